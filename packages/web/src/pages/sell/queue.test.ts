import assert from 'node:assert/strict';
import { test } from 'node:test';
import { plainFormat, sampleView } from '../orders/order/order-samples.ts';
import { dueAt, nextAct, type QueueOrder, sellersWords, silenceCost, sortByDeadline, yourPart } from './queue.ts';

function listed(change: Partial<QueueOrder>): QueueOrder {
  const base = { ...sampleView().order, viewer_role: 'provider', unread_messages: 0, needs_me: true } as const;
  return { ...base, quoted_price_usd: '180.00', platform_fee_usd: '18.00', kind: 'standard', payment_reverted: false, ...change };
}

test('the queue lists the soonest deadline first, then orders without one, oldest first', () => {
  const orders = [
    listed({ id: 'ord_new_ask', status: 'pending_quote', created_at: '2026-11-15 10:00:00' }),
    listed({ id: 'ord_revision', status: 'revision_requested', revision_deadline: '2026-11-20 10:00:00' }),
    listed({ id: 'ord_old_ask', status: 'pending_quote', created_at: '2026-11-14 10:00:00' }),
    listed({ id: 'ord_space', status: 'in_progress', workspace_expires_at: '2026-11-18T10:00:00.000Z' }),
    listed({ id: 'ord_late', status: 'in_progress', workspace_expires_at: null, due_at: '2026-11-15 09:00:00' }),
  ];
  assert.deepEqual(
    sortByDeadline(orders).map(({ id }) => id),
    ['ord_late', 'ord_space', 'ord_revision', 'ord_old_ask', 'ord_new_ask'],
  );
});

test('the due time of an order is the promised time, not the later expiry of the order', () => {
  assert.equal(
    dueAt(listed({ status: 'paid', due_at: '2026-11-15 09:00:00', delivery_deadline: '2026-11-16 09:00:00' })),
    '2026-11-15 09:00:00',
  );
  assert.equal(dueAt(listed({ status: 'quoted' })), null);
});

test('the seller gets 90% of a person’s payment and the whole list price of a machine’s', () => {
  assert.equal(yourPart(listed({})), '162.00');
  assert.equal(yourPart(listed({ kind: 'machine' })), '180.00');
  assert.equal(yourPart(listed({ quoted_price_usd: null })), null);
  assert.equal(yourPart(listed({ platform_fee_usd: null })), '162.00');
});

test('the queue offers the action of the order’s state, and none when it is not the seller’s turn', () => {
  const fixed = { price_type: 'fixed', quota_total: 0 } as const;
  assert.equal(nextAct(listed({ status: 'pending_quote', price_type: 'quote' })), 'quote');
  assert.equal(nextAct(listed({ status: 'paid', ...fixed })), 'start');
  assert.equal(nextAct(listed({ status: 'in_progress', ...fixed })), 'deliver');
  assert.equal(nextAct(listed({ status: 'revision_requested', ...fixed })), 'deliver');
  assert.equal(nextAct(listed({ status: 'in_progress', price_type: 'weekly' })), 'answer');
  assert.equal(nextAct(listed({ status: 'delivered', needs_me: false })), 'open');
  assert.equal(nextAct(listed({ status: 'paid', ...fixed, payment_reverted: true })), 'open');
});

test('the deadline text of the queue shows the time and the amount that is lost or earned', () => {
  const work = listed({
    status: 'in_progress',
    workspace_expires_at: null,
    delivery_deadline: '2026-11-17 14:05:00',
    settlement: 'on_approval',
  });
  assert.equal(silenceCost(work, plainFormat), 'Nothing delivered by 2026-11-17 14:05:00: cancelled, and you lose 162.00 USDC.');
  const review = listed({ status: 'delivered', review_deadline: '2026-11-17 14:05:00' });
  assert.equal(silenceCost(review, plainFormat), 'If the buyer says nothing, 162.00 USDC is released to you on 2026-11-17 14:05:00.');
  const hired = listed({ status: 'in_progress', workspace_expires_at: null, settlement: 'instant', kind: 'machine' });
  assert.equal(silenceCost(hired, plainFormat), 'You were paid 180.00 USDC at hire and owe the work.');
});

test('the queue rewords buyer-side state labels for the seller', () => {
  assert.equal(sellersWords(listed({ status: 'quoted' })), 'Price given, not paid');
  assert.equal(sellersWords(listed({ status: 'revision_requested', revision_count: 1, max_revisions: 2 })), 'Revision asked, 1 of 2');
  assert.equal(sellersWords(listed({ status: 'in_progress' })), undefined);
});
