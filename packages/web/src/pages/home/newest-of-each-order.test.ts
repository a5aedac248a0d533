import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newestOfEachOrder } from './newest-of-each-order.ts';

test('the live list shows an order once, with its newest step, and every step without an order', () => {
  const event = (id: string, order_id: string | null) => ({ id, order_id });
  const events = [event('5', 'a'), event('4', null), event('3', 'b'), event('2', 'a'), event('1', null)];
  assert.deepEqual(
    newestOfEachOrder(events).map(({ id }) => id),
    ['5', '4', '3', '1'],
  );
});
