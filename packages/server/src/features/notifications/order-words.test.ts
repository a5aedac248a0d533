import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OrderEventData, OrderEventType, OrderRole } from '@market/contract';
import { orderNotices } from './order-words.ts';
import type { NotifiedOrder } from './repository.ts';
import type { SideNotices } from './words.ts';

const order: NotifiedOrder = {
  id: 'ord_1700000000000_k3v9x1q7a',
  title: 'Ledger reconciliation',
  providerName: 'Tallyrook',
  priceMicros: 10_000_000n,
  network: 'base-mainnet',
  reviewDeadline: new Date('2026-11-17T14:05:00Z'),
  revisionDeadline: new Date('2026-11-22T14:05:00Z'),
  agentMicros: 9_000_000n,
  refundMicros: 0n,
  paidAtHire: false,
  clientAgentId: null,
  clientUserId: 'user',
  clientWallet: null,
  providerAgentId: 'ext_1700000000000_k3v9x1q7a',
  providerUserId: 'owner',
  providerWallet: null,
};

type Case = {
  [T in OrderEventType]: readonly [T, OrderEventData<T>, OrderRole, string | null, string | null, Partial<NotifiedOrder>?];
}[OrderEventType];

const message = { sender_type: 'client', sender_name: 'Ines', content: 'Is page two part of it?' } as const;
const request = { request_id: 'del_1700000000000_k3v9x1q7a', prompt: 'A red door', answer_by: '2026-11-16 09:30:00' };
const overdue = { overdue_since: '2026-11-18 09:35:00', status: 'paid' } as const;
const revision = { feedback: 'A page is missing.', revision_count: 1, max_revisions: 3, is_extra: false };

/** Event, data, acting role, and the notification types for buyer and provider; null: no notification. */
const cases: readonly Case[] = [
  ['order.created', { service_id: null, brief: 'x', status: 'quoted', service_title: 'x' }, 'buyer', null, 'provider_order_received'],
  [
    'order.created',
    { service_id: null, brief: 'x', status: 'pending_quote', service_title: 'x' },
    'buyer',
    null,
    'provider_order_received',
    { priceMicros: null },
  ],
  ['order.created', { service_id: null, brief: 'x', status: 'paid', service_title: 'x' }, 'buyer', null, 'provider_order_received'],
  ['order.quoted', { price_usd: '10.00' }, 'provider', 'order_quoted', null],
  ['order.accepted', { status: 'accepted' }, 'buyer', null, 'provider_order_accepted'],
  ['order.paid', { status: 'paid', service_title: 'x' }, 'buyer', null, 'provider_order_paid'],
  ['order.started', { status: 'in_progress' }, 'provider', 'order_started', null],
  ['order.delivered', { round: 1, deliverables: 1 }, 'provider', 'order_delivered', null],
  ['order.delivered', { round: 3, deliverables: 3 }, 'system', 'order_delivered', 'provider_order_delivered'],
  ['order.revision_requested', revision, 'buyer', 'order_revision', 'provider_revision_requested'],
  ['order.revision_allowed', { extra_revisions: 1 }, 'provider', 'order_revision_allowed', null],
  ['order.payout_sent', { amount_usd: 5, chain: 'base', tx_hash: '0x', destination: '0x' }, 'system', null, null],
  ['order.payout_failed', { reason: 'x', chain: 'base', amount_usd: 5, hint: 'x' }, 'system', null, null],
  ['order.disputed', { reason: 'A page is missing.' }, 'buyer', null, 'provider_order_disputed'],
  ['order.disputed', { reason: 'No delivery.' }, 'system', 'order_disputed', 'provider_order_disputed'],
  ['order.dispute_stated', { side: 'buyer' }, 'buyer', null, 'provider_dispute_stated'],
  ['order.dispute_stated', { side: 'provider' }, 'provider', 'order_dispute_stated', null],
  ['order.dispute_withdrawn', { status: 'delivered' }, 'buyer', null, 'provider_dispute_withdrawn'],
  ['order.dispute_ruled', { ruling: 'release', reason: 'It is all there.' }, 'admin', 'order_dispute_ruled', 'provider_dispute_ruled'],
  ['order.dispute_ruled', { ruling: 'refund', reason: 'It is not there.' }, 'admin', 'order_dispute_ruled', 'provider_dispute_ruled'],
  [
    'order.dispute_ruled',
    { ruling: 'split', reason: 'Half is there.' },
    'admin',
    'order_dispute_ruled',
    'provider_dispute_ruled',
    { refundMicros: 4_000_000n },
  ],
  ['order.completed', { payout_failed: false }, 'buyer', 'order_completed', 'provider_order_completed'],
  [
    'order.completed',
    { payout_failed: false },
    'system',
    'order_completed',
    'provider_order_completed',
    { agentMicros: null, refundMicros: null },
  ],
  ['order.cancelled', { previous_status: 'quoted' }, 'buyer', 'order_cancelled', 'provider_order_cancelled'],
  ['order.cancelled', { previous_status: 'quoted' }, 'provider', 'order_cancelled', 'provider_order_cancelled'],
  ['order.cancelled', { previous_status: 'paid' }, 'admin', 'order_cancelled', 'provider_order_cancelled', { refundMicros: 10_000_000n }],
  ['order.cancelled', { previous_status: 'paid' }, 'system', 'order_cancelled', 'provider_order_cancelled', { refundMicros: 10_000_000n }],
  ['order.deadline_near', { delivery_deadline: '2026-11-18 09:35:00' }, 'system', 'order_deadline_near', 'provider_deadline_near'],
  ['order.overdue', { ...overdue, hires_held: false }, 'system', 'order_overdue', 'provider_order_overdue'],
  ['order.overdue', { ...overdue, hires_held: true }, 'system', 'order_overdue', 'provider_order_overdue'],
  ['order.message', message, 'buyer', null, 'provider_order_message'],
  ['order.agent_message', { ...message, sender_type: 'agent' }, 'provider', 'order_message', null],
  ['order.reviewed', { rating: 4, comment: 'Careful work.' }, 'buyer', null, 'provider_order_reviewed'],
  ['order.reviewed', { rating: 4, comment: null }, 'buyer', null, 'provider_order_reviewed'],
  ['order.request_opened', request, 'buyer', null, 'provider_request_opened'],
  ['order.request_answered', { request_id: request.request_id, status: 'completed' }, 'provider', 'order_request_answered', null],
  [
    'order.request_answered',
    { request_id: request.request_id, status: 'failed' },
    'system',
    'order_request_failed',
    'provider_request_failed',
  ],
];

function write([type, data, by, , , more]: Case): SideNotices {
  return (orderNotices[type] as (data: unknown, order: NotifiedOrder, by: OrderRole) => SideNotices)(data, { ...order, ...more }, by);
}

test('every order event has a test case', () => {
  assert.deepEqual([...new Set(cases.map(([type]) => type))].sort(), Object.keys(orderNotices).sort());
});

for (const example of cases) {
  const [type, data, by, toBuyer, toProvider] = example;
  test(`${type} by the ${by} (${JSON.stringify(data).slice(0, 60)}) notifies the buyer ${toBuyer ?? 'nothing'} and the provider ${toProvider ?? 'nothing'}`, () => {
    const { buyer, provider } = write(example);
    assert.deepEqual([buyer?.type ?? null, provider?.type ?? null], [toBuyer, toProvider]);
    for (const text of [buyer, provider]) {
      if (text === undefined) continue;
      assert.ok(text.title.length > 0 && text.title.length <= 60, text.title);
      assert.match(text.body, /[.”]$/, text.body);
      assert.doesNotMatch(`${text.title} ${text.body}`, /!|\bpending\b|please|undefined|null| {2}/i, text.body);
      assert.match(text.body, /“Ledger reconciliation”/, 'names the order');
    }
  });
}

test('notifications about money name token and chain, and say where the money is', () => {
  const paidBack = write(['order.cancelled', { previous_status: 'paid' }, 'buyer', null, null, { refundMicros: 10_000_000n }]);
  assert.equal(
    paidBack.buyer?.body,
    '“Ledger reconciliation” was cancelled by the buyer. 10.00 USDC on Base is refunded to the wallet that paid.',
  );
  const unpaid = write(['order.cancelled', { previous_status: 'quoted' }, 'provider', null, null, { refundMicros: null }]);
  assert.equal(unpaid.buyer?.body, 'Tallyrook declined “Ledger reconciliation”. Nothing was paid.');
  const split = write([
    'order.completed',
    { payout_failed: false },
    'admin',
    null,
    null,
    { agentMicros: 5_400_000n, refundMicros: 4_000_000n },
  ]);
  assert.match(split.buyer?.body ?? '', /4\.00 USDC on Base is refunded to you\./);
  assert.match(split.provider?.body ?? '', /5\.40 USDC on Base is released to you/);
  const atHire = write(['order.completed', { payout_failed: false }, 'buyer', null, null, { agentMicros: null, refundMicros: null }]);
  assert.equal(atHire.provider?.body, '“Ledger reconciliation” was approved.');
});

test('a notification cuts a long message at 200 characters and keeps it on one line', () => {
  const { provider } = write(['order.message', { ...message, content: `first\n\nsecond ${'x'.repeat(2000)}` }, 'buyer', null, null]);
  assert.match(provider?.body ?? '', /“first second x+…”$/);
  assert.equal(Array.from(provider?.body ?? '').length, Array.from('About “Ledger reconciliation”: “”').length + 200);
});
