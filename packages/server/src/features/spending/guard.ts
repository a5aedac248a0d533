/**
 * Holds a paying call to its policies. It reserves the amount before the handler runs, counts it in the transaction of the effect, and
 * releases it after a failure. A crash in between leaves a reservation: it counts until the job has read what the payment bought.
 */
import { MarketError } from '@market/contract';
import { isOwner } from '../../access/ownership.ts';
import { type PayingCall, priceRose, type SpendCharge, type SpendGuard } from '../../access/spend-guard.ts';
import { reachCrashPoint } from '../../platform/crash-points.ts';
import { isUniqueViolation, type Tx } from '../../platform/db/database.ts';
import type { StoredAnswer } from '../../platform/idempotency/idempotent-answers.ts';
import { findAgent } from '../agents/index.ts';
import { type Estimate, FREEZABLE, type PayingOperation, type PayingRule, payingOperations } from './paying-operations.ts';
import { readSubjects } from './policy-repository.ts';
import { findPurchase } from './purchase-repository.ts';
import { paymentUnderWay } from './refusals.ts';
import { type Reserved, reserve } from './reserve.ts';
import { settledBy, settleSpending } from './settle.ts';
import type { SpendingContext } from './spending-context.ts';
import { type Bought, keepSpending, type SpendingRow } from './spending-repository.ts';
import { type Machine, machineOf } from './subjects.ts';

/** The charge of a call without a price. If its handler finds a price after all, the policies must decide again. */
const NOTHING_TO_PAY: SpendCharge = {
  maxMicros: 0n,
  async keep() {
    throw priceRose();
  },
  settle: async () => undefined,
};

export function createSpendGuard(context: SpendingContext): SpendGuard {
  const { database } = context;
  return {
    async begin(call) {
      const rule: PayingRule | undefined = payingOperations[call.operation.name as PayingOperation];
      if (rule === undefined || 'free' in rule) return undefined;
      const machine = await withPayingAgent(context, call, rule);
      if (machine === undefined) return refuseStrayBudget(call);
      const subjects = await readSubjects(database.db, machine);
      if (call.budgetSession === undefined && subjects.every(({ policy }) => policy === null)) return undefined;
      const estimate = 'estimate' in rule ? await estimateWith(rule, context, call) : FREEZABLE;
      if (estimate === undefined) return NOTHING_TO_PAY;
      const reserved = await reserveOnce(context, { call, machine: { ...machine, subjects }, estimate });
      if (reserved.refusal !== undefined) throw reserved.refusal;
      reachCrashPoint('spending.after_reserve');
      return reserved.spending && chargeOf(context, reserved.spending, estimate);
    },
  };
}

/** A connected program without an agent of its own may act for any agent of its person. The policy of the agent that pays holds, too. */
async function withPayingAgent(
  { database }: SpendingContext,
  { caller, input }: PayingCall,
  rule: PayingRule,
): Promise<Machine | undefined> {
  const machine = machineOf(caller);
  const paidBy = 'paidBy' in rule ? (rule.paidBy as ((input: unknown) => string | undefined) | undefined) : undefined;
  const named = machine === undefined || caller.agent !== undefined ? undefined : paidBy?.(input);
  if (machine === undefined || named === undefined) return machine;
  const agent = await findAgent(database.db, named);
  if (agent === undefined || !isOwner(caller, agent)) return machine;
  return { ...machine, subjects: [...machine.subjects, { kind: 'agent', id: agent.id }] };
}

/** Refuses a budget session that would limit nothing. */
function refuseStrayBudget({ budgetSession }: PayingCall): undefined {
  if (budgetSession === undefined) return undefined;
  throw new MarketError('budget_session_unusable', { message: 'X-Budget-Session goes with an API key: it names a session of that key.' });
}

/** Each rule takes the arguments of its own operation, which were validated by its schemas. */
async function estimateWith(
  rule: Extract<PayingRule, { estimate: unknown }>,
  context: SpendingContext,
  { input, caller }: PayingCall,
): Promise<Estimate | undefined> {
  const estimate = rule.estimate as (
    context: SpendingContext,
    input: unknown,
    caller: PayingCall['caller'],
  ) => Promise<Estimate | undefined>;
  return await estimate(context, input, caller);
}

async function reserveOnce(context: SpendingContext, asked: Parameters<typeof reserve>[2]): Promise<Reserved> {
  try {
    return await context.database.transaction((tx) => reserve(tx, context, asked));
  } catch (error) {
    // Two calls reserve one payment at the same moment, in different budget sessions: they share no lock.
    if (isUniqueViolation(error, 'spendings_reserved_once')) throw paymentUnderWay(error);
    throw error;
  }
}

function chargeOf({ database, log }: SpendingContext, row: SpendingRow, estimate: Estimate): SpendCharge {
  let isKept = false;
  return {
    maxMicros: row.amountMicros,
    async keep(tx, answer) {
      const bought = await findBought(tx, row, estimate, answer);
      if (bought === undefined) return;
      if (bought.amountMicros > row.amountMicros) throw priceRose();
      if (!(await keepSpending(tx, row, bought))) throw new MarketError('unavailable', { retryAfterSeconds: 1 });
      isKept = true;
      reachCrashPoint('spending.before_keep_commit');
    },
    async settle(error) {
      if (error === undefined && isKept) return;
      reachCrashPoint('spending.before_settle');
      try {
        await database.transaction((tx) => settleSpending(tx, row.id, error === undefined ? 'ended' : settledBy(error)));
      } catch (failure) {
        log.error({ err: failure, spending: row.id }, 'a reservation could not be settled; its job carries on');
      }
    },
  };
}

/** Undefined for a repeat. Throws if the effect is not what this call reserved for: it must not be stored uncounted. */
async function findBought(tx: Tx, row: SpendingRow, estimate: Estimate, answer: StoredAnswer): Promise<Bought | undefined> {
  const movement = estimate.movementOf?.(answer);
  if (movement !== undefined && movement !== null) return { kind: 'movement', id: movement, amountMicros: row.amountMicros };
  const purchase = await findPurchase(tx, row);
  if (purchase.state === 'bought') return purchase;
  if (purchase.state === 'repeat') return undefined;
  throw new MarketError(purchase.state === 'other' ? 'payment_already_used' : 'unavailable', { retryAfterSeconds: 1 });
}
