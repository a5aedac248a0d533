/** The rules of the contract against the documented table. `matrix.test.ts` checks the same table over HTTP. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { decide, type LifecycleFacts, orderCommands, orderRoles, orderStatuses } from '@market/contract';
import fc from 'fast-check';
import { conditions, expectedOutcome, leadsAgain, leadsTo } from './transition-table.ts';

const NOW = new Date('2026-11-15T12:00:00Z');
const ONE_MS_BEFORE = new Date(NOW.getTime() - 1);
const ONE_MS_AFTER = new Date(NOW.getTime() + 1);

/** Every fact that a rule may read, with deadlines at, just before and just after now. */
const deadline = fc.constantFrom(null, ONE_MS_BEFORE, NOW, ONE_MS_AFTER);
const rounds = fc.integer({ min: 0, max: 2 });
const plainFacts = fc.record({
  workspace: fc.boolean(),
  settled: fc.boolean(),
  paymentReverted: fc.boolean(),
  deliveryDeadline: deadline,
  reviewDeadline: deadline,
  revisionDeadline: deadline,
  workspaceEndsAt: deadline,
  revisionCount: rounds,
  maxRevisions: rounds,
  extraRevisions: rounds,
  quotaTotal: rounds,
  quotaUsed: rounds,
  openRequests: rounds,
  reviewed: fc.boolean(),
  relatedParty: fc.boolean(),
  byQuote: fc.boolean(),
  delivered: fc.boolean(),
  markedOverdue: fc.boolean(),
  quoteLengthened: fc.boolean(),
});
/** The transfer that a restore found on the chain. */
const left = fc.constantFrom({}, { left: 'payout' as const }, { left: 'refund' as const });
const factsBesideStatus: fc.Arbitrary<Omit<LifecycleFacts, 'status'>> = fc
  .tuple(plainFacts, left)
  .map(([plain, found]) => ({ ...plain, ...found }));

function assertDecided(order: LifecycleFacts, command: (typeof orderCommands)[number], role: (typeof orderRoles)[number]): void {
  const decision = decide(order, command, role, NOW);
  const expected = expectedOutcome(order, command, role, NOW);
  const what = `${command} by ${role} on ${JSON.stringify(order)}`;
  if ('to' in expected) assert.deepEqual(decision, { allowed: true, to: expected.to }, what);
  else assert.ok(!decision.allowed && expected.codes.includes(decision.code), `${what}: ${JSON.stringify({ decision, expected })}`);
}

const cells = orderStatuses.flatMap((status) => orderCommands.flatMap((command) => orderRoles.map((role) => ({ status, command, role }))));

describe('R04: the transition rules of the contract agree with the documents', () => {
  test(`the transition rules of orders agree with the documents in each of ${cells.length} cells of state, command and role, for any other facts`, () => {
    for (const { status, command, role } of cells) {
      const runs = [false, true].every((settled) => leadsTo(command, role, status, settled) === undefined) ? 5 : 400;
      fc.assert(
        fc.property(factsBesideStatus, (facts) => assertDecided({ ...facts, status }, command, role)),
        { numRuns: runs },
      );
    }
  });

  test('the transition rules begin no review window during a dispute, and let only undelivered work paid at hire be delivered', () => {
    const attempts = (['deliver', 'answer_request', 'approve', 'auto_release'] as const).flatMap((command) =>
      orderRoles.map((role) => ({ command, role })),
    );
    fc.assert(
      fc.property(factsBesideStatus, fc.constantFrom(...attempts), (facts, { command, role }) => {
        const decision = decide({ ...facts, status: 'disputed' }, command, role, NOW);
        const isOwed = facts.settled && !facts.delivered && !facts.paymentReverted && command === 'deliver' && role === 'provider';
        assert.deepEqual(decision.allowed ? decision.to : null, isOwed ? 'disputed' : null, `${command} by ${role}`);
      }),
    );
  });

  test('the transition rules keep completed and cancelled final, and reach no state after the payment without it', () => {
    const unpaid = ['pending_quote', 'quoted', 'accepted'] as const;
    for (const { status, command, role } of cells) {
      const to = leadsTo(command, role, status);
      if (to === undefined) continue;
      if (status === 'completed' || status === 'cancelled') assert.equal(to, status, command);
      if (unpaid.some((one) => one === status))
        assert.ok([...unpaid, 'cancelled', ...(command === 'pay' ? ['paid'] : [])].includes(to), command);
    }
  });

  test('each condition of the transition rules belongs to an allowed cell and is refused by its code', () => {
    for (const { commands, from, code } of conditions) {
      for (const command of commands) {
        const places = cells.filter((cell) => cell.command === command && (from === undefined || from.includes(cell.status)));
        assert.ok(
          places.some(({ status, role }) =>
            [leadsTo(command, role, status), leadsTo(command, role, status, true), leadsAgain(command, role, status)].some(
              (to) => to !== undefined,
            ),
          ),
          `${command}: ${code}`,
        );
      }
    }
  });
});
