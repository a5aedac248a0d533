import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { BountyFacts } from '../bounties/lifecycle.ts';
import { decideBounty, decideClaim } from '../bounties/lifecycle.ts';
import { bountyLimits } from '../bounties/limits.ts';
import { bountyModes, bountyStatuses, claimStatuses } from '../bounties/statuses.ts';
import { type NextAction, nextAction } from '../kernel/next-action.ts';
import { toWireTime } from '../kernel/wire.ts';
import { toolNamed } from '../mcp/tool-list.ts';
import { operationList } from '../operations.ts';
import { decide, moneyOfStep, type OrderRole, orderCommands } from '../orders/lifecycle.ts';
import type { LifecycleFacts } from '../orders/lifecycle-guards.ts';
import { orderStatuses } from '../orders/statuses.ts';
import { nextActionsOnClaim, nextClaimActions, nextClaimantActions, nextPosterActions } from './bounty-actions.ts';
import { nextOrderActions } from './order-actions.ts';
import { orderCalls } from './order-calls.ts';

const now = new Date('2026-11-15T12:00:00.000Z');
const at = (seconds: number) => new Date(now.getTime() + seconds * 1000);
const dates = fc.constantFrom(at(-1), now, at(1), at(3600));
const deadline = fc.option(dates);

const orders: fc.Arbitrary<LifecycleFacts> = fc
  .record({
    status: fc.constantFrom(...orderStatuses),
    workspace: fc.boolean(),
    settled: fc.boolean(),
    paymentReverted: fc.boolean(),
    deliveryDeadline: deadline,
    reviewDeadline: deadline,
    revisionDeadline: deadline,
    workspaceEndsAt: deadline,
    revisionCount: fc.integer({ min: 0, max: 4 }),
    maxRevisions: fc.constantFrom(0, 3),
    extraRevisions: fc.constantFrom(0, 1),
    quotaTotal: fc.constantFrom(0, 2),
    quotaUsed: fc.integer({ min: 0, max: 2 }),
    openRequests: fc.integer({ min: 0, max: 2 }),
    reviewed: fc.boolean(),
    relatedParty: fc.boolean(),
    byQuote: fc.boolean(),
    delivered: fc.boolean(),
    markedOverdue: fc.boolean(),
    quoteLengthened: fc.boolean(),
  })
  // Only an order by quote can be in `pending_quote`.
  .map((facts) => ({ ...facts, byQuote: facts.byQuote || facts.status === 'pending_quote' }));
const roleSets = fc.subarray<OrderRole>(['buyer', 'provider', 'admin']);

const operationOf = (name: string) => operationList.find((operation) => operation.name === name)?.spec;

/** Asserts that a ready call has its operation's method and path, and names only fields of its schema. */
function assertReady(ready: NextAction): void {
  nextAction.parse(ready);
  const spec = operationOf(ready.operation);
  assert.ok(spec, ready.operation);
  assert.equal(ready.method, spec.rest.method);
  const [path = ''] = ready.path.split('?');
  assert.match(path, new RegExp(`^${spec.rest.path.replaceAll(/\{\w+\}/g, '[\\w]+')}$`));
  const fields = { ...spec.input?.path?.shape, ...spec.input?.query?.shape, ...spec.input?.body?.shape };
  for (const name of [...ready.required, ...ready.one_of]) assert.ok(Object.hasOwn(fields, name), `${ready.operation}: ${name}`);
  for (const name of Object.keys(ready.body))
    assert.ok(Object.hasOwn(fields, name) || name === spec.rest.selector?.field, `${ready.operation}: ${name}`);
  assert.match(ready.command, /^market [a-z-]+ [a-z-]+ --/);
  assert.equal(ready.tool?.name, spec.mcp?.tool);
  // The tool accepts the arguments under these names.
  if (ready.tool !== null) assert.ok(toolNamed(ready.tool.name)?.toArguments(ready.tool.arguments));
}

test('an order offers exactly the next actions that decide allows, in every state and role', () => {
  fc.assert(
    fc.property(orders, roleSets, fc.boolean(), (facts, roles, contestable) => {
      const offered = nextOrderActions({ ...facts, id: 'ord_1' }, { roles, contestable, confirmableUntil: null }, now);
      offered.forEach(assertReady);
      const names = offered.map(({ action }) => action);
      const expected = orderCommands.filter((command) => {
        if (!roles.some((role) => decide(facts, command, role, now).allowed)) return false;
        // Independent copy of what commands refuse besides the table.
        if (command === 'answer_request' && facts.openRequests === 0) return false;
        if (command.startsWith('rule_') && roles.length > 1) return false;
        const money = moneyOfStep(facts.status, command);
        return !(contestable && !facts.settled && (money === 'release' || money === 'split'));
      });
      assert.deepEqual(names.toSorted(), expected.toSorted());
    }),
    { numRuns: 2_000 },
  );
});

test('an order offers the payer of a contestable transfer its confirmation first', () => {
  const confirmableUntil = new Date(now.getTime() + 60_000);
  fc.assert(
    fc.property(orders, roleSets, (facts, roles) => {
      const [first, ...rest] = nextOrderActions({ ...facts, id: 'ord_1' }, { roles, contestable: false, confirmableUntil }, now);
      assert.ok(first);
      assertReady(first);
      assert.deepEqual([first.action, first.path, first.required], ['confirm_payment', '/api/orders/ord_1/confirm-payment', []]);
      assert.deepEqual(rest, nextOrderActions({ ...facts, id: 'ord_1' }, { roles, contestable: false, confirmableUntil: null }, now));
    }),
    { numRuns: 100 },
  );
});

test('until of a next action is the moment from which the order refuses it, and null if time never does', () => {
  const roles = ['buyer', 'provider', 'admin'] as const;
  const far = new Date('2100-01-01T00:00:00Z');
  fc.assert(
    fc.property(orders, (facts) => {
      for (const role of roles)
        for (const { action, until } of nextOrderActions(
          { ...facts, id: 'ord_1' },
          { roles: [role], contestable: false, confirmableUntil: null },
          now,
        )) {
          const command = orderCommands.find((name) => name === action);
          assert.ok(command);
          const allowedAt = (moment: Date) => decide(facts, command, role, moment).allowed;
          if (until === null) assert.ok(allowedAt(far), `${action} has an end`);
          else {
            const end = new Date(`${until.replace(' ', 'T')}Z`);
            assert.deepEqual([allowedAt(new Date(end.getTime() - 1)), allowedAt(end)], [true, false], action);
          }
        }
    }),
    { numRuns: 2_000 },
  );
});

test('every order command of a person has a call; commands of the marketplace itself have none', () => {
  const ofPeople = orderCommands.filter((command) => Object.hasOwn(orderCalls, command));
  const ofMarket = orderCommands.filter((command) => !Object.hasOwn(orderCalls, command));
  assert.equal(ofPeople.length, 19);
  assert.deepEqual(ofMarket, ['open_workspace', 'finish_workspace', 'auto_release', 'expire', 'mark_overdue', 'contest', 'escalate']);
});

const bounties: fc.Arbitrary<BountyFacts> = fc.record({
  status: fc.constantFrom(...bountyStatuses),
  expiresAt: dates,
  claimsCount: fc.constantFrom(0, 1, bountyLimits.claimsPerBounty - 1, bountyLimits.claimsPerBounty),
  placesTaken: fc.constantFrom(0, 1, bountyLimits.claimsPerBounty - 1, bountyLimits.claimsPerBounty),
});
const orderIds = fc.constantFrom(null, 'ord_1');

test('a bounty and its claims offer exactly the next actions that both lifecycle tables allow', () => {
  fc.assert(
    fc.property(
      bounties,
      orderIds,
      fc.constantFrom(...claimStatuses),
      fc.boolean(),
      fc.constantFrom(...bountyModes),
      fc.constantFrom(0n, 500_000n),
      fc.constantFrom(at(-60), now, at(30), at(600)),
      (facts, orderId, stored, able, mode, stake, lapsesAt) => {
        const bounty = { ...facts, id: 'bnty_1', mode, claimStakeMicros: stake, orderId };
        const claim = { id: 'bcl_1', agentId: 'ext_1', status: stored, lapsesAt, hireable: able, mayClaim: able };
        const isUndecided = stored === 'pending' || stored === 'invited';
        const status = isUndecided && lapsesAt.getTime() <= now.getTime() ? 'lapsed' : stored;
        const can = (command: 'claim' | 'invite' | 'accept' | 'cancel', role: 'poster' | 'claimant') =>
          decideBounty(facts, command, role, now).allowed;
        const step = (command: 'claim' | 'invite' | 'accept' | 'withdraw', role: 'poster' | 'claimant') =>
          decideClaim(status, command, role, mode).allowed;
        const names = (actions: readonly NextAction[]) => {
          actions.forEach(assertReady);
          return actions.map(({ action }) => action);
        };
        const given = (action: string, when: boolean) => (when ? [action] : []);

        assert.deepEqual(names(nextPosterActions(bounty, now)), [
          ...given('read_claims', can('accept', 'poster') && facts.claimsCount > 0),
          ...given('cancel', can('cancel', 'poster')),
          ...given('read_order', orderId !== null),
        ]);
        assert.deepEqual(names(nextActionsOnClaim(bounty, claim, now)), [
          ...given('invite', able && can('invite', 'poster') && step('invite', 'poster')),
          ...given('accept', able && can('accept', 'poster') && step('accept', 'poster')),
        ]);
        assert.deepEqual(names(nextClaimActions(bounty, claim, now)), [
          ...given('withdraw', step('withdraw', 'claimant')),
          ...given('claim', able && step('claim', 'claimant') && can('claim', 'claimant')),
          ...given('read_order', status === 'accepted' && orderId !== null),
        ]);
        for (const agentId of [null, 'ext_1']) {
          const [claims, ...more] = nextClaimantActions(bounty, { agentId, mayClaim: able }, now);
          assert.deepEqual([claims !== undefined, more], [able && can('claim', 'claimant'), []]);
          if (claims === undefined) continue;
          assertReady(claims);
          assert.deepEqual(
            [claims.required, claims.body['agent_id']],
            [
              [...given('message', mode === 'pitch'), ...given('stake_tx_hash', stake > 0n), ...given('agent_id', agentId === null)],
              agentId ?? undefined,
            ],
          );
          assert.equal(claims.meaning.includes('0.50 USDC'), stake > 0n);
          assert.equal(claims.until, toWireTime(facts.expiresAt));
        }
      },
    ),
    { numRuns: 1_500 },
  );
});

test('a ready call has ids, selector and query filled in, and lists fields that only the caller knows', () => {
  const facts = {
    status: 'open',
    mode: 'open',
    expiresAt: at(60),
    claimsCount: 1,
    placesTaken: 1,
    id: 'bnty_1',
    claimStakeMicros: 0n,
    orderId: null,
  } as const;
  const claim = { id: 'bcl_1', agentId: 'ext_1', status: 'pending', lapsesAt: at(120) } as const;
  const [accept] = nextActionsOnClaim(facts, { ...claim, hireable: true }, now);
  assert.deepEqual(accept, {
    action: 'accept',
    operation: 'bounties.accept',
    method: 'POST',
    path: '/api/bounties/bnty_1/accept',
    body: { claim_id: 'bcl_1' },
    required: ['client_wallet', 'escrow_tx_hash'],
    one_of: [],
    command: 'market bounties accept --id bnty_1 --claim-id bcl_1 --client-wallet CLIENT_WALLET --escrow-tx-hash ESCROW_TX_HASH',
    tool: null,
    meaning: 'Accept this claim: send 110% of the budget from your wallet, then name the transfer. The other claims are rejected.',
    until: '2026-11-15 12:01:00',
  });
  const [soon] = nextActionsOnClaim(facts, { ...claim, lapsesAt: at(30), hireable: true }, now);
  assert.equal(soon?.until, '2026-11-15 12:00:30', 'the claim lapses before the bounty ends');
  const [withdraw] = nextClaimActions(facts, { ...claim, mayClaim: true }, now);
  assert.deepEqual([withdraw?.method, withdraw?.path, withdraw?.body], ['DELETE', '/api/bounties/bnty_1/claim?agent_id=ext_1', {}]);
  const [read] = nextPosterActions(facts, now);
  assert.equal(read?.path, '/api/bounties/bnty_1?include_claims=1');
});
