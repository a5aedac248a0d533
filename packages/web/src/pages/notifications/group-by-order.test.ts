import assert from 'node:assert/strict';
import { test } from 'node:test';
import { groupByOrder } from './group-by-order.ts';

const row = (id: string, order_id: string | null) => ({ id, order_id });

test('notifications about one order are grouped at the position of the newest', () => {
  const groups = groupByOrder([row('5', 'a'), row('4', 'b'), row('3', 'a'), row('2', null), row('1', 'a'), row('0', null)]);
  assert.deepEqual(
    groups.map(({ newest, earlier }) => [newest.id, ...earlier.map(({ id }) => id)]),
    [['5', '3', '1'], ['4'], ['2'], ['0']],
  );
});
