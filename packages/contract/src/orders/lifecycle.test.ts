import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { orderErrors } from './errors.ts';
import {
  decide,
  firstStatus,
  messagingStatuses,
  moneyOfStep,
  type OrderCommand,
  type OrderRole,
  offeredActions,
  orderCommands,
  orderLifecycle,
  orderRoles,
  type StepMoney,
} from './lifecycle.ts';
import type { LifecycleFacts } from './lifecycle-guards.ts';
import { type OrderStatus, orderStatuses } from './statuses.ts';

const now = new Date('2026-11-15T12:00:00Z');
const earlier = new Date(now.getTime() - 1);
const later = new Date(now.getTime() + 1);

const calm: LifecycleFacts = {
  status: 'quoted',
  workspace: false,
  settled: false,
  paymentReverted: false,
  deliveryDeadline: later,
  reviewDeadline: later,
  revisionDeadline: later,
  workspaceEndsAt: null,
  revisionCount: 0,
  maxRevisions: 3,
  extraRevisions: 0,
  quotaTotal: 0,
  quotaUsed: 0,
  openRequests: 0,
  reviewed: false,
  relatedParty: false,
  byQuote: true,
  delivered: true,
  markedOverdue: false,
  quoteLengthened: false,
};

const facts = (more: Partial<LifecycleFacts>): LifecycleFacts => ({ ...calm, ...more });

function outcome(order: LifecycleFacts, command: OrderCommand, role: OrderRole): string {
  const decision = decide(order, command, role, now);
  return decision.allowed ? decision.to : decision.code;
}

/** The steps of specification and decisions, written independently of the table. */
const promised: readonly (readonly [OrderStatus, OrderCommand, OrderRole, OrderStatus, Partial<LifecycleFacts>?])[] = [
  ['pending_quote', 'quote', 'provider', 'quoted'],
  ['quoted', 'pay', 'buyer', 'paid'],
  ['accepted', 'pay', 'buyer', 'paid'],
  ['paid', 'deliver', 'provider', 'delivered'],
  ['in_progress', 'deliver', 'provider', 'delivered'],
  ['delivered', 'approve', 'buyer', 'completed'],
  ['delivered', 'auto_release', 'system', 'completed', { reviewDeadline: now }],
  ['delivered', 'revision', 'buyer', 'revision_requested'],
  ['delivered', 'dispute', 'buyer', 'disputed'],
  ['pending_quote', 'cancel', 'buyer', 'cancelled'],
  ['quoted', 'cancel', 'buyer', 'cancelled'],
  ['accepted', 'cancel', 'buyer', 'cancelled'],
  ['paid', 'cancel', 'buyer', 'cancelled'],
  ['quoted', 'accept', 'buyer', 'accepted'],
  ['paid', 'start', 'provider', 'in_progress'],
  ['paid', 'open_workspace', 'system', 'in_progress', { workspace: true }],
  ['in_progress', 'finish_workspace', 'system', 'delivered', { workspace: true, workspaceEndsAt: now }],
  ['in_progress', 'finish_workspace', 'system', 'delivered', { workspace: true, workspaceEndsAt: later, quotaTotal: 2, quotaUsed: 2 }],
  ['revision_requested', 'deliver', 'provider', 'delivered'],
  ['delivered', 'deliver', 'provider', 'delivered'],
  ['disputed', 'rule_release', 'admin', 'completed'],
  ['disputed', 'rule_refund', 'admin', 'cancelled'],
  ['disputed', 'rule_split', 'admin', 'completed'],
  ['disputed', 'refund', 'provider', 'cancelled'],
  ['disputed', 'withdraw_dispute', 'buyer', 'delivered'],
  ['paid', 'expire', 'system', 'cancelled', { deliveryDeadline: now }],
  ['in_progress', 'expire', 'system', 'cancelled', { deliveryDeadline: now }],
  ['revision_requested', 'escalate', 'system', 'disputed', { revisionDeadline: now }],
  ['paid', 'mark_overdue', 'system', 'paid', { settled: true, delivered: false, deliveryDeadline: now }],
  ['in_progress', 'mark_overdue', 'system', 'in_progress', { settled: true, delivered: false, deliveryDeadline: now }],
  ['paid', 'dispute', 'buyer', 'disputed', { settled: true, delivered: false, deliveryDeadline: now }],
  ['in_progress', 'dispute', 'buyer', 'disputed', { settled: true, delivered: false, deliveryDeadline: now, markedOverdue: true }],
  ['disputed', 'deliver', 'provider', 'disputed', { settled: true, delivered: false }],
  ['disputed', 'withdraw_dispute', 'buyer', 'paid', { settled: true, delivered: false }],
  ['disputed', 'withdraw_dispute', 'buyer', 'delivered', { settled: true }],
];

test('an order allows every step that specification and decisions name', () => {
  for (const [status, command, role, to, more] of promised) {
    assert.equal(outcome(facts({ ...more, status }), command, role), to, `${status} + ${command} by ${role}`);
  }
});

/** The money movements of the documents, written independently of the table. Commands not named here move no money. */
const moneyMoves: readonly (readonly [StepMoney, OrderCommand, readonly OrderStatus[]])[] = [
  ['hold', 'pay', ['quoted', 'accepted']],
  ['release', 'approve', ['delivered']],
  ['release', 'auto_release', ['paid', 'in_progress', 'delivered', 'revision_requested']],
  ['release', 'rule_release', ['disputed']],
  ['refund', 'cancel', ['paid']],
  ['refund', 'refund', ['paid', 'in_progress', 'delivered', 'revision_requested', 'disputed']],
  ['refund', 'expire', ['paid', 'in_progress']],
  ['refund', 'rule_refund', ['disputed']],
  ['split', 'rule_split', ['disputed']],
  ['reassign', 'contest', ['paid', 'in_progress', 'delivered', 'revision_requested', 'disputed']],
];

test('each step of an order moves the money that the documents name, and no other step moves money', () => {
  for (const command of orderCommands)
    for (const status of orderStatuses) {
      const promisedMove = moneyMoves.find(([, name, from]) => name === command && from.includes(status))?.[0];
      assert.equal(moneyOfStep(status, command), promisedMove, `${command} from ${status}`);
    }
});

test('rows of the order lifecycle for the same state and command move the same money', () => {
  for (const row of orderLifecycle)
    for (const status of row.from) assert.equal(moneyOfStep(status, row.command), row.money, `${row.command} from ${status}`);
});

test('every end of a funded order names its money movement', () => {
  const held: readonly OrderStatus[] = ['paid', 'in_progress', 'delivered', 'revision_requested', 'disputed'];
  for (const row of orderLifecycle)
    if (row.from.some((status) => held.includes(status)) && (row.to === 'completed' || row.to === 'cancelled'))
      assert.notEqual(row.money, undefined, row.command);
});

test('a new order starts as quoted, or waits for a quote', () => {
  assert.deepEqual(
    ['fixed', 'weekly', 'monthly', 'quote'].map((type) => firstStatus(type as 'fixed')),
    ['quoted', 'quoted', 'quoted', 'pending_quote'],
  );
});

test('decide answers for every order state, command and role, and refusals have a code and a reason', () => {
  for (const status of orderStatuses)
    for (const command of orderCommands)
      for (const role of orderRoles) {
        const decision = decide(facts({ status }), command, role, now);
        if (decision.allowed) assert.ok(orderStatuses.includes(decision.to));
        else assert.ok(decision.code in orderErrors && decision.reason.endsWith('.'), `${status} ${command} ${role}`);
      }
});

test('at most one row of the order lifecycle matches a state, command and role, or two with exclusive guards', () => {
  for (const status of orderStatuses)
    for (const command of orderCommands)
      for (const role of orderRoles) {
        const rows = orderLifecycle.filter((row) => row.command === command && row.from.includes(status) && row.by.includes(role));
        const guards = rows.map((row) => row.guards?.join());
        assert.ok(rows.length <= 1 || guards.sort().join(' ') === 'not_owed owed', `${status} ${command} ${role}`);
      }
});

test('only an undelivered order paid at hire is marked overdue or disputed, once and after its deadline', () => {
  const owed = facts({ status: 'paid', settled: true, delivered: false, deliveryDeadline: now });
  assert.equal(outcome({ ...owed, deliveryDeadline: later }, 'mark_overdue', 'system'), 'deadline_not_reached');
  assert.equal(outcome({ ...owed, deliveryDeadline: later }, 'dispute', 'buyer'), 'deadline_not_reached');
  assert.equal(outcome({ ...owed, markedOverdue: true }, 'mark_overdue', 'system'), 'illegal_transition');
  assert.equal(outcome({ ...owed, settled: false }, 'mark_overdue', 'system'), 'illegal_transition');
  assert.equal(outcome({ ...owed, settled: false }, 'dispute', 'buyer'), 'illegal_transition');
  assert.equal(outcome({ ...owed, status: 'disputed', delivered: true }, 'deliver', 'provider'), 'illegal_transition');
  const offered = (order: LifecycleFacts) => offeredActions(order, 'buyer', now).map(({ action }) => action);
  assert.deepEqual([offered(owed).includes('dispute'), offered({ ...owed, settled: false }).includes('dispute')], [true, false]);
});

test('every order state can be reached, and completed and cancelled are final', () => {
  const reached = new Set<OrderStatus>(['pending_quote', 'quoted']);
  for (let size = 0; size !== reached.size; ) {
    size = reached.size;
    for (const row of orderLifecycle) if (row.from.some((status) => reached.has(status))) reached.add(row.to);
  }
  assert.deepEqual([...reached].sort(), [...orderStatuses].sort());
  for (const row of orderLifecycle) {
    for (const end of ['completed', 'cancelled'] as const) if (row.from.includes(end)) assert.equal(row.to, end, row.command);
  }
});

test('R03: from the millisecond of the review deadline on, the release is allowed and every objection of the buyer refused', () => {
  for (const [reviewDeadline, release, objection] of [
    [later, 'review_window_open', undefined],
    [now, 'completed', 'review_window_over'],
    [earlier, 'completed', 'review_window_over'],
  ] as const) {
    const order = facts({ status: 'delivered', reviewDeadline });
    assert.equal(outcome(order, 'auto_release', 'system'), release);
    for (const command of ['dispute', 'revision'] as const) {
      assert.equal(outcome(order, command, 'buyer'), objection ?? (command === 'dispute' ? 'disputed' : 'revision_requested'));
    }
    assert.equal(outcome(order, 'deliver', 'provider'), objection ?? 'delivered');
    assert.equal(outcome(order, 'approve', 'buyer'), 'completed');
  }
});

test('a late delivery, revision or request is refused with its own code', () => {
  assert.equal(outcome(facts({ status: 'paid', deliveryDeadline: now }), 'deliver', 'provider'), 'delivery_overdue');
  assert.equal(outcome(facts({ status: 'revision_requested', revisionDeadline: now }), 'deliver', 'provider'), 'revision_overdue');
  const workspace = facts({ status: 'in_progress', workspace: true, workspaceEndsAt: now });
  assert.equal(outcome(workspace, 'generate', 'buyer'), 'workspace_over');
  assert.equal(outcome(workspace, 'answer_request', 'provider'), 'workspace_over');
});

test('an order settled at hire can be delivered late and does not expire', () => {
  const late = facts({ status: 'paid', deliveryDeadline: now, settled: true });
  assert.equal(outcome(late, 'deliver', 'provider'), 'delivered');
  assert.equal(outcome(late, 'start', 'provider'), 'in_progress');
  assert.equal(outcome(late, 'expire', 'system'), 'already_settled');
});

test('an order refuses a revision beyond the agreed number, unless the provider grants an extra one', () => {
  const used = facts({ status: 'delivered', revisionCount: 3 });
  assert.equal(outcome(used, 'revision', 'buyer'), 'revision_limit_reached');
  assert.equal(outcome({ ...used, extraRevisions: 1 }, 'revision', 'buyer'), 'revision_requested');
});

test('a workspace with a used-up quota ends, unless a request is open', () => {
  const full = facts({ status: 'in_progress', workspace: true, workspaceEndsAt: later, quotaTotal: 2, quotaUsed: 2 });
  assert.equal(outcome(full, 'generate', 'buyer'), 'quota_exhausted');
  assert.equal(outcome({ ...full, openRequests: 1 }, 'finish_workspace', 'system'), 'workspace_running');
  assert.equal(outcome({ ...full, quotaTotal: 0 }, 'generate', 'buyer'), 'in_progress');
});

test('an order settled at hire cannot be refunded', () => {
  for (const [status, command, role] of [
    ['paid', 'cancel', 'buyer'],
    ['paid', 'refund', 'provider'],
    ['disputed', 'rule_refund', 'admin'],
    ['disputed', 'rule_split', 'admin'],
  ] as const) {
    assert.equal(outcome(facts({ status, settled: true }), command, role), 'already_settled');
  }
});

test('a reverted payment blocks every command of a funded order, and no command of an unpaid one', () => {
  for (const { from, command, by, onlyPaidAtHire: settled = false } of orderLifecycle)
    for (const status of from)
      for (const role of by) {
        const answer = outcome(facts({ status, paymentReverted: true, settled }), command, role);
        const isFunded = !['pending_quote', 'quoted', 'accepted', 'completed', 'cancelled'].includes(status);
        assert.equal(answer === 'payment_reverted', isFunded, `${status} ${command}`);
      }
});

test('only the buyer of an unrelated order reviews it, once', () => {
  const done = facts({ status: 'completed' });
  assert.equal(outcome(done, 'review', 'buyer'), 'completed');
  assert.equal(outcome({ ...done, reviewed: true }, 'review', 'buyer'), 'review_exists');
  assert.equal(outcome({ ...done, relatedParty: true }, 'review', 'buyer'), 'related_party');
  assert.equal(outcome(done, 'review', 'provider'), 'illegal_transition');
});

test('offeredActions marks exactly the commands as allowed that decide allows', () => {
  const flags = fc.boolean();
  const deadline = fc.constantFrom(earlier, now, later);
  const anyFacts = fc.record({
    status: fc.constantFrom(...orderStatuses),
    workspace: flags,
    settled: flags,
    paymentReverted: flags,
    deliveryDeadline: deadline,
    reviewDeadline: deadline,
    revisionDeadline: deadline,
    workspaceEndsAt: deadline,
    revisionCount: fc.nat(5),
    maxRevisions: fc.nat(5),
    extraRevisions: fc.nat(1),
    quotaTotal: fc.nat(3),
    quotaUsed: fc.nat(3),
    openRequests: fc.nat(2),
    reviewed: flags,
    relatedParty: flags,
    byQuote: flags,
    delivered: flags,
    markedOverdue: flags,
    quoteLengthened: flags,
  });
  fc.assert(
    fc.property(anyFacts, fc.constantFrom(...orderRoles), (order, role) => {
      for (const { action, allowed, reason } of offeredActions(order, role, now)) {
        assert.equal(decide(order, action, role, now).allowed, allowed);
        assert.equal(reason === null, allowed);
      }
    }),
  );
});

test('buyer and provider may send messages in exactly the order states of the specification', () => {
  assert.deepEqual([...messagingStatuses].sort(), ['completed', 'delivered', 'disputed', 'in_progress', 'paid', 'revision_requested']);
});
