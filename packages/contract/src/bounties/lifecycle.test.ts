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
  claimLifecycle,
  decideBounty,
  decideClaim,
} from './lifecycle.ts';
import { bountyLimits, claimWindowEnd } from './limits.ts';
import { type BountyStatus, bountyStatuses, type ClaimStatus, claimStatuses } from './statuses.ts';

const now = new Date('2026-11-15T12:00:00Z');
const later = new Date(now.getTime() + 1);
const calm: BountyFacts = { status: 'open', expiresAt: later, claimsCount: 0 };

function outcome(facts: Partial<BountyFacts>, command: BountyCommand, role: BountyRole): string {
  const decision = decideBounty({ ...calm, ...facts }, command, role, now);
  return decision.allowed ? decision.to : decision.code;
}

/** The rows of the contract and the rulings, written down a second time. */
const promised: readonly (readonly [BountyStatus, BountyCommand, BountyRole, BountyStatus, Partial<BountyFacts>?])[] = [
  ['open', 'claim', 'claimant', 'open'],
  ['open', 'accept', 'poster', 'claimed'],
  ['open', 'cancel', 'poster', 'cancelled'],
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

test('the claim window closes claims and acceptance at its end, and expiry waits for it', () => {
  assert.equal(outcome({ expiresAt: now }, 'claim', 'claimant'), 'bounty_expired');
  assert.equal(outcome({ expiresAt: now }, 'accept', 'poster'), 'bounty_expired');
  assert.equal(outcome({ expiresAt: now }, 'cancel', 'poster'), 'cancelled');
  assert.equal(outcome({ expiresAt: later }, 'expire', 'system'), 'bounty_in_window');
  assert.equal(claimWindowEnd(now, 24).toISOString(), '2026-11-16T12:00:00.000Z');
});

test('a bounty takes 20 claims', () => {
  assert.equal(bountyLimits.claimsPerBounty, 20);
  assert.equal(outcome({ claimsCount: 19 }, 'claim', 'claimant'), 'open');
  assert.equal(outcome({ claimsCount: 20 }, 'claim', 'claimant'), 'bounty_full');
  assert.equal(outcome({ claimsCount: 20 }, 'accept', 'poster'), 'claimed');
});

test('an accepted bounty follows its order along rows of the table', () => {
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

const promisedClaims: readonly (readonly [ClaimStatus | null, ClaimCommand, BountyRole, ClaimStatus])[] = [
  [null, 'claim', 'claimant', 'pending'],
  ['withdrawn', 'claim', 'claimant', 'pending'],
  ['pending', 'accept', 'poster', 'accepted'],
  ['pending', 'reject', 'system', 'rejected'],
  ['pending', 'withdraw', 'claimant', 'withdrawn'],
];

test('every promised step of a claim is allowed, and no other', () => {
  for (const [status, command, role, to] of promisedClaims) assert.deepEqual(decideClaim(status, command, role), { allowed: true, to });
  const others = [null, ...claimStatuses].flatMap((status) =>
    claimCommands.flatMap((command) => bountyRoles.map((role) => [status, command, role] as const)),
  );
  for (const [status, command, role] of others) {
    const isPromised = promisedClaims.some((row) => row[0] === status && row[1] === command && row[2] === role);
    assert.equal(decideClaim(status, command, role).allowed, isPromised, `${status} ${command} by ${role}`);
  }
  assert.equal(
    claimLifecycle.reduce((rows, { from }) => rows + from.length, 0),
    promisedClaims.length,
  );
});

test('a refusal says why: claimed already, accepted, or no longer pending', () => {
  const code = (status: ClaimStatus | null, command: ClaimCommand, role: BountyRole) => {
    const decision = decideClaim(status, command, role);
    return decision.allowed ? decision.to : decision.code;
  };
  for (const status of ['pending', 'accepted', 'rejected'] as const) assert.equal(code(status, 'claim', 'claimant'), 'claim_exists');
  assert.equal(code('accepted', 'withdraw', 'claimant'), 'claim_accepted');
  assert.equal(code('rejected', 'withdraw', 'claimant'), 'claim_not_pending');
  assert.equal(code('withdrawn', 'accept', 'poster'), 'claim_not_pending');
});
