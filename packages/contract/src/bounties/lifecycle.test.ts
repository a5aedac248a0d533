import assert from 'node:assert/strict';
import { test } from 'node:test';
import { orderStatuses } from '../orders/statuses.ts';
import {
  type BountyCommand,
  type BountyFacts,
  type BountyRole,
  bountyCommands,
  bountyLifecycle,
  bountyRoles,
  bountyStatusOf,
  type ClaimCommand,
  claimCommands,
  claimStatusAt,
  decideBounty,
  decideClaim,
} from './lifecycle.ts';
import { bountyDeadlineHours, bountyEnd, bountyLimits, claimWindowEnd, winnerPaidBy } from './limits.ts';
import { type BountyMode, type BountyStatus, bountyModes, bountyStatuses, type ClaimStatus, claimStatuses } from './statuses.ts';

const now = new Date('2026-11-15T12:00:00Z');
const later = new Date(now.getTime() + 1);
const calm: BountyFacts = { status: 'open', expiresAt: later, claimsCount: 0, placesTaken: 0 };

function outcome(facts: Partial<BountyFacts>, command: BountyCommand, role: BountyRole): string {
  const decision = decideBounty({ ...calm, ...facts }, command, role, now);
  return decision.allowed ? decision.to : decision.code;
}

/** The steps that specification and rulings allow, written independently of the table. */
const promised: readonly (readonly [BountyStatus, BountyCommand, BountyRole, BountyStatus, Partial<BountyFacts>?])[] = [
  ['open', 'claim', 'claimant', 'open'],
  ['open', 'invite', 'poster', 'open'],
  ['open', 'accept', 'poster', 'claimed'],
  ['open', 'extend', 'poster', 'open'],
  ['open', 'cancel', 'poster', 'cancelled'],
  ['open', 'take_down', 'operator', 'cancelled'],
  ['cancelled', 'take_down', 'operator', 'cancelled'],
  ['expired', 'take_down', 'operator', 'expired'],
  ['open', 'expire', 'system', 'expired', { expiresAt: now }],
  ['claimed', 'complete', 'system', 'completed'],
  ['disputed', 'complete', 'system', 'completed'],
  ['claimed', 'dispute', 'system', 'disputed'],
  ['disputed', 'resume', 'system', 'claimed'],
  ['claimed', 'call_off', 'system', 'cancelled'],
  ['disputed', 'call_off', 'system', 'cancelled'],
];

test('every promised step of a bounty is allowed, and no other', () => {
  for (const [status, command, role, to, facts] of promised) {
    assert.equal(outcome({ status, ...facts }, command, role), to, `${status} ${command} by ${role}`);
  }
  for (const status of bountyStatuses)
    for (const command of bountyCommands)
      for (const role of bountyRoles) {
        const isPromised = promised.some((row) => row[0] === status && row[1] === command && row[2] === role);
        if (!isPromised) assert.equal(outcome({ status }, command, role), 'bounty_not_open', `${status} ${command} by ${role}`);
      }
  assert.equal(
    bountyLifecycle.reduce((rows, { from }) => rows + from.length, 0),
    promised.length,
  );
});

test('a bounty of a banned poster takes no claims, and an operator can still take it down', () => {
  assert.equal(outcome({ posterBanned: true }, 'claim', 'claimant'), 'bounty_not_open');
  assert.equal(outcome({ posterBanned: true }, 'take_down', 'operator'), 'cancelled');
  for (const role of ['poster', 'claimant', 'system'] as const) assert.equal(outcome({}, 'take_down', role), 'bounty_not_open');
});

test('an operator takes an ended bounty down once, and never one with a winner', () => {
  for (const status of ['cancelled', 'expired'] as const) {
    assert.equal(outcome({ status, acceptedClaimId: null, takenDownAt: null }, 'take_down', 'operator'), status);
    assert.equal(outcome({ status, acceptedClaimId: 'clm_1' }, 'take_down', 'operator'), 'bounty_not_open');
    assert.equal(outcome({ status, takenDownAt: now }, 'take_down', 'operator'), 'bounty_not_open');
  }
});

test('a bounty takes claims and acceptance until its window ends, and expires only then', () => {
  assert.equal(outcome({ expiresAt: now }, 'claim', 'claimant'), 'bounty_expired');
  assert.equal(outcome({ expiresAt: now }, 'accept', 'poster'), 'bounty_expired');
  assert.equal(outcome({ expiresAt: now }, 'invite', 'poster'), 'bounty_expired');
  assert.equal(outcome({ expiresAt: now }, 'extend', 'poster'), 'bounty_expired');
  assert.equal(outcome({ expiresAt: now }, 'cancel', 'poster'), 'cancelled');
  assert.equal(outcome({ expiresAt: later }, 'expire', 'system'), 'bounty_in_window');
  assert.equal(claimWindowEnd(now, 24).toISOString(), '2026-11-16T12:00:00.000Z');
  assert.equal(bountyEnd(now, 7).toISOString(), '2026-11-22T12:00:00.000Z');
});

test('a bounty refuses a 21st claim of an agent that can be hired', () => {
  assert.equal(bountyLimits.claimsPerBounty, 20);
  assert.equal(outcome({ claimsCount: 25, placesTaken: 19 }, 'claim', 'claimant'), 'open');
  assert.equal(outcome({ claimsCount: 20, placesTaken: 20 }, 'claim', 'claimant'), 'bounty_full');
  assert.equal(outcome({ claimsCount: 20, placesTaken: 20 }, 'accept', 'poster'), 'claimed');
});

test('an accepted bounty takes the status of its order by rows of the lifecycle table', () => {
  const reachable = new Set(orderStatuses.map(bountyStatusOf));
  assert.deepEqual(reachable, new Set(['claimed', 'disputed', 'completed', 'cancelled']));
  assert.deepEqual(
    orderStatuses.filter((status) => bountyStatusOf(status) !== 'claimed'),
    ['completed', 'disputed', 'cancelled'],
  );
  const steps = [
    ['claimed', 'disputed'],
    ['claimed', 'completed'],
    ['claimed', 'cancelled'],
    ['disputed', 'claimed'],
    ['disputed', 'completed'],
    ['disputed', 'cancelled'],
  ] as const;
  for (const [from, to] of steps) {
    assert.ok(
      bountyLifecycle.some((row) => row.by === 'system' && row.from.includes(from) && row.to === to),
      `${from} to ${to}`,
    );
  }
});

/** Mode, state before, command, role, state after. */
const promisedClaims: readonly (readonly [BountyMode, ClaimStatus | null, ClaimCommand, BountyRole, ClaimStatus])[] = [
  ...bountyModes.flatMap((mode) => [
    [mode, null, 'claim', 'claimant', 'pending'] as const,
    [mode, 'withdrawn', 'claim', 'claimant', 'pending'] as const,
    [mode, 'lapsed', 'claim', 'claimant', 'pending'] as const,
    [mode, 'pending', 'lapse', 'system', 'lapsed'] as const,
    [mode, 'invited', 'lapse', 'system', 'lapsed'] as const,
    [mode, 'pending', 'reject', 'system', 'rejected'] as const,
    [mode, 'invited', 'reject', 'system', 'rejected'] as const,
    [mode, 'pending', 'withdraw', 'claimant', 'withdrawn'] as const,
    [mode, 'invited', 'withdraw', 'claimant', 'withdrawn'] as const,
    // Bounties of mode `open` have no invited claims, so this row never applies to them.
    [mode, 'invited', 'accept', 'poster', 'accepted'] as const,
  ]),
  ['open', 'pending', 'accept', 'poster', 'accepted'],
  ['pitch', 'pending', 'invite', 'poster', 'invited'],
];

test('every promised step of a claim is allowed in its mode, and no other', () => {
  for (const [mode, status, command, role, to] of promisedClaims)
    assert.deepEqual(decideClaim(status, command, role, mode), { allowed: true, to }, `${mode}: ${status} ${command} by ${role}`);
  const others = [null, ...claimStatuses].flatMap((status) =>
    claimCommands.flatMap((command) => bountyRoles.flatMap((role) => bountyModes.map((mode) => [mode, status, command, role] as const))),
  );
  for (const [mode, status, command, role] of others) {
    const isPromised = promisedClaims.some((row) => row[0] === mode && row[1] === status && row[2] === command && row[3] === role);
    assert.equal(decideClaim(status, command, role, mode).allowed, isPromised, `${mode}: ${status} ${command} by ${role}`);
  }
});

test('a refused claim command names the reason: claimed already, accepted, not invited, or no longer pending', () => {
  const code = (status: ClaimStatus | null, command: ClaimCommand, role: BountyRole, mode: BountyMode = 'open') => {
    const decision = decideClaim(status, command, role, mode);
    return decision.allowed ? decision.to : decision.code;
  };
  for (const status of ['pending', 'invited', 'accepted', 'rejected'] as const)
    assert.equal(code(status, 'claim', 'claimant'), 'claim_exists');
  assert.equal(code('accepted', 'withdraw', 'claimant'), 'claim_accepted');
  assert.equal(code('rejected', 'withdraw', 'claimant'), 'claim_not_pending');
  assert.equal(code('withdrawn', 'accept', 'poster'), 'claim_not_pending');
  assert.equal(code('lapsed', 'accept', 'poster'), 'claim_not_pending');
  assert.equal(code('pending', 'accept', 'poster', 'pitch'), 'claim_not_invited');
  assert.equal(code('withdrawn', 'invite', 'poster', 'pitch'), 'claim_not_pending');
  assert.equal(code('pending', 'invite', 'poster'), 'bounty_takes_no_pitches');
});

test('an undecided claim lapses when its window ends, even before the timer runs', () => {
  for (const status of claimStatuses) {
    assert.equal(claimStatusAt({ status, lapsesAt: later }, now), status);
    const isUndecided = status === 'pending' || status === 'invited';
    assert.equal(claimStatusAt({ status, lapsesAt: now }, now), isUndecided ? 'lapsed' : status);
  }
});

test('the winner of a bounty is paid at most deadline, 24 hours of grace and 48 hours of review after acceptance', () => {
  const hours = (date: Date) => (date.getTime() - now.getTime()) / 3_600_000;
  for (const deadline of bountyDeadlineHours) assert.equal(hours(winnerPaidBy(now, deadline)), deadline + 24 + 48);
});
