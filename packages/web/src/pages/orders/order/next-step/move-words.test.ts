import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type OrderRole, orderStatuses } from '@market/contract';
import { plainFormat, sampleView } from '../order-samples.ts';
import { isYourMove, shownStatus, statusDetail } from '../order-view.ts';
import { closedActs, contestWords, moveWords, silenceWords } from './move-words.ts';
import { wordsOfAct } from './order-acts.ts';

const viewers = ['buyer', 'seller', 'admin'] as const;

test('every state of an order shows every viewer whose move it is, and highlight and text agree', () => {
  for (const status of orderStatuses) {
    for (const viewer_role of viewers) {
      const view = sampleView({ order: { status, price_type: 'fixed', quota_total: 0 }, view: { viewer_role, deliverables: [] } });
      const { title } = moveWords(view, plainFormat);
      assert.notEqual(title, '', `${status} for ${viewer_role}`);
      assert.equal(title.startsWith('Your move'), isYourMove(view), `${status} for ${viewer_role}: ${title}`);
    }
  }
});

test('the buyer must agree to a longer time quoted later, and the words say that a sent transfer still pays', () => {
  const order = { status: 'quoted', price_type: 'quote', turnaround_hours: 8760 } as const;
  const view = sampleView({ order, view: { viewer_role: 'buyer', allowed_actions: ['accept', 'cancel'] } });
  const { title, text = '' } = moveWords(view, plainFormat);
  assert.equal(title, 'Your move: agree to the longer time');
  assert.match(text, /now asks for 365 days .* the same transfer pays\.$/);
  assert.equal(wordsOfAct('accept', view, plainFormat).button, 'Agree');
});

test('exactly one side has the next move of an open order', () => {
  const turns: Partial<Record<(typeof orderStatuses)[number], OrderRole>> = {
    pending_quote: 'provider',
    quoted: 'buyer',
    accepted: 'buyer',
    paid: 'provider',
    in_progress: 'provider',
    delivered: 'buyer',
    revision_requested: 'provider',
    disputed: 'admin',
  };
  for (const status of orderStatuses) {
    const who = viewers.filter((viewer_role) =>
      isYourMove(sampleView({ order: { status, price_type: 'fixed', quota_total: 0 }, view: { viewer_role, deliverables: [] } })),
    );
    const expected = turns[status] === 'provider' ? 'seller' : turns[status];
    assert.deepEqual(who, expected === undefined ? [] : [expected], status);
  }
});

test('a workspace waits for its provider only while a request is open', () => {
  const open = sampleView()
    .deliverables.slice(0, 1)
    .map((item) => ({ ...item, status: 'pending' as const }));
  const order = { status: 'in_progress', price_type: 'weekly' } as const;
  assert.equal(open.length, 1);
  assert.equal(isYourMove(sampleView({ order, view: { viewer_role: 'seller', deliverables: open } })), true);
  assert.equal(isYourMove(sampleView({ order, view: { viewer_role: 'seller', deliverables: [] } })), false);
});

test('neither side has a move while the payment is reverted', () => {
  const view = sampleView({ order: { status: 'delivered', payment_reverted: true }, view: { viewer_role: 'buyer' } });
  assert.equal(isYourMove(view), false);
  assert.match(moveWords(view, plainFormat).text ?? '', /took the payment back/);
});

test('the review deadline text says how much goes to whom and when, and that it is final', () => {
  const clock = { at: '2026-11-17 14:05:00', action: 'auto_release', meaning: 'Released.' } as const;
  const money = { state: 'in_review', provider_usd: '162.00' } as const;
  const of = (viewer_role: 'buyer' | 'seller') =>
    silenceWords(sampleView({ order: { provider_name: 'Tallyrook' }, money, view: { viewer_role, clock } }), plainFormat);
  assert.equal(of('buyer'), 'If you do nothing, 162.00 USDC goes to Tallyrook on 2026-11-17 14:05:00 and cannot be called back.');
  assert.equal(of('seller'), 'If the buyer does nothing, 162.00 USDC goes to you on 2026-11-17 14:05:00 and cannot be called back.');
});

test('the deadline text of an order paid at hire promises no release', () => {
  const clock = { at: '2026-11-17 14:05:00', action: 'auto_release', meaning: 'Released.' } as const;
  const words = silenceWords(sampleView({ money: { state: 'paid_at_hire' }, view: { viewer_role: 'buyer', clock } }), plainFormat);
  assert.match(words ?? '', /paid at hire/);
  assert.doesNotMatch(words ?? '', /goes to/);
});

test('a buyer sees why Cancel is not available after work began', () => {
  const reasons = closedActs(sampleView({ order: { status: 'delivered' }, view: { viewer_role: 'buyer' } }));
  assert.deepEqual(
    reasons.map(({ action }) => action),
    ['cancel', 'review'],
  );
  assert.deepEqual(closedActs(sampleView({ order: { status: 'paid' }, view: { viewer_role: 'buyer' } })), []);
});

test('a contestable payment is explained to both sides until the window ends or the provider is paid', () => {
  const order = { status: 'paid', contestable_until: '2026-11-15 14:20:00' } as const;
  const of = (viewer_role: 'buyer' | 'seller', at: string, state: 'held' | 'paid_at_hire' = 'held') =>
    contestWords(sampleView({ order, money: { state }, view: { viewer_role } }), plainFormat, Date.parse(at));
  assert.match(of('seller', '2026-11-15T14:19:59Z') ?? '', /payout waits until 2026-11-15 14:20:00\. .*cancels this order/);
  assert.match(of('buyer', '2026-11-15T14:19:59Z') ?? '', /release it at once/);
  assert.equal(of('seller', '2026-11-15T14:20:00Z'), undefined);
  assert.equal(of('seller', '2026-11-15T14:19:59Z', 'paid_at_hire'), undefined);
});

test('an overdue order shows every viewer Overdue, whose move it is, and that no ruling refunds it', () => {
  const order = { status: 'paid', overdue: true, overdue_since: '2026-11-16 14:05:00', provider_name: 'Tallyrook' } as const;
  const of = (viewer_role: 'buyer' | 'seller' | 'admin', status: 'paid' | 'disputed' = 'paid') =>
    sampleView({ order: { ...order, status }, money: { state: 'paid_at_hire' }, view: { viewer_role } });
  for (const viewer of viewers) {
    const { title, text } = moveWords(of(viewer), plainFormat);
    assert.equal(title.startsWith('Your move'), isYourMove(of(viewer)), viewer);
    assert.match(`${title}. ${text}`, /Overdue since 2026-11-16 14:05:00/);
  }
  for (const view of [of('buyer'), of('buyer', 'disputed'), of('admin', 'disputed')])
    assert.match(moveWords(view, plainFormat).text ?? '', /cannot bring the money back/);
  assert.deepEqual([shownStatus(of('buyer')), statusDetail(of('buyer'))], ['overdue', undefined]);
  assert.equal(statusDetail(of('buyer', 'disputed')), 'Overdue, in dispute');
  const late = sampleView({ order: { status: 'delivered', overdue: false, overdue_since: order.overdue_since } });
  assert.deepEqual([shownStatus(late), statusDetail(late)], ['delivered', 'Delivered late, in review']);
  const { confirm } = wordsOfAct('dispute', of('buyer'), plainFormat);
  assert.match(confirm?.consequences.join(' ') ?? '', /cannot bring the money back/);
});
