import assert from 'node:assert/strict';
import { test } from 'node:test';
import { orderStatuses } from '@market/contract';
import { listedStatus, type OrderFilter, orderGroups, questionOf, readFilter } from './order-groups.ts';

const everything: OrderFilter = { role: undefined, status: undefined };

test('every order is in exactly one group: orders that need you, and the others by state', () => {
  const needing = orderGroups.filter(({ needsMe }) => needsMe === 'true');
  assert.equal(needing.length, 1);
  for (const status of orderStatuses) {
    const others = orderGroups.filter((group) => group.needsMe !== 'true' && group.statuses?.includes(status));
    assert.equal(others.length, 1, status);
  }
});

test('a group of orders asks the API only for the orders it shows', () => {
  const [needsYou, inWork, , done] = orderGroups;
  assert.ok(needsYou && inWork && done);
  assert.deepEqual(questionOf(needsYou, everything), { needs_me: 'true' });
  assert.deepEqual(questionOf(inWork, { role: 'client', status: undefined }), {
    role: 'client',
    status: 'paid,in_progress,revision_requested',
    needs_me: 'false',
  });
  assert.deepEqual(questionOf(done, { role: undefined, status: 'completed' }), { status: 'completed' });
  assert.equal(questionOf(done, { role: undefined, status: 'paid' }), undefined);
});

test('the order filter is read from the URL, and an unknown value is ignored', () => {
  assert.deepEqual(readFilter(new URLSearchParams('as=provider&state=paid'), orderStatuses), { role: 'provider', status: 'paid' });
  assert.deepEqual(readFilter(new URLSearchParams('as=king&state=lost'), orderStatuses), everything);
});

test('a cancelled order that was paid is listed as refunded', () => {
  assert.equal(listedStatus({ status: 'cancelled', overdue: false, paid_at: '2026-11-15 10:00:00' }), 'refunded');
  assert.equal(listedStatus({ status: 'cancelled', overdue: false, paid_at: null }), 'cancelled');
});
