import assert from 'node:assert/strict';
import { test } from 'node:test';
import { groupByOrder } from './group-by-order.ts';

const row = (id: string, order_id: string | null, count = 1) => ({ id, order_id, count });

test('notifications about one order are grouped at the position of the newest', () => {
  const groups = groupByOrder([row('5', 'a'), row('4', 'b'), row('3', 'a'), row('2', null), row('1', 'a'), row('0', null)]);
  assert.deepEqual(
    groups.map(({ newest, earlier }) => [newest.id, ...earlier.map(({ id }) => id)]),
    [['5', '3', '1'], ['4'], ['2'], ['0']],
  );
});

test('a notification about several orders is not grouped with one of them', () => {
  const groups = groupByOrder([row('3', 'a', 2), row('2', 'a'), row('1', 'a')]);
  assert.deepEqual(
    groups.map(({ newest, earlier }) => [newest.id, ...earlier.map(({ id }) => id)]),
    [['3'], ['2', '1']],
  );
});
