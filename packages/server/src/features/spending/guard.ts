/**
 * Holds a paying call to the policies: reserves its amount before the handler runs, counts it in the transaction of the effect, gives it back
 * after a failure. A crash between leaves a reservation, which counts until the job finds out what became of it.
 */
import { MarketError } from '@market/contract';
import type { PayingCall, SpendCharge, SpendGuard } from '../../access/spend-guard.ts';
import { reachCrashPoint } from '../../platform/crash-points.ts';
import { isUniqueViolation, type Tx } from '../../platform/db/database.ts';
import type { StoredAnswer } from '../../platform/idempotency/idempotent-answers.ts';
import { type Estimate, type PayingOperation, type PayingRule, payingOperations } from './paying-operations.ts';
import { readSubjects } from './policy-repository.ts';
import { findPurchase } from './purchase-repository.ts';
import { type Reserved, reserve } from './reserve.ts';
import { settledBy, settleSpending } from './settle.ts';
import type { SpendingContext } from './spending-context.ts';
import { type Bought, keepSpending, type SpendingRow } from './spending-repository.ts';
import { machineOf } from './subjects.ts';

/** Costs no USDC. */
const FREEZABLE: Estimate = { amountMicros: 0n, about: null };

export function createSpendGuard(context: SpendingContext): SpendGuard {
  const { database } = context;
  return {
    async begin(call) {
      const rule: PayingRule | undefined = payingOperations[call.operation.name as PayingOperation];
      if (rule === undefined || 'free' in rule) return undefined;
      const machine = machineOf(call.caller);
      if (machine === undefined) return refuseStrayBudget(call);
      const subjects = await readSubjects(database.db, machine);
      if (call.budgetSession === undefined && subjects.every(({ policy }) => policy === null)) return undefined;
      const estimate = 'estimate' in rule ? await estimateWith(rule, context, call.input) : FREEZABLE;
      if (estimate === undefined) return undefined;
      const reserved = await reserveOnce(context, { call, machine: { ...machine, subjects }, estimate });
      if (reserved.refusal !== undefined) throw reserved.refusal;
      reachCrashPoint('spending.after_reserve');
      return reserved.spending && chargeOf(context, reserved.spending, estimate);
    },
  };
}

/** A session that would limit nothing must not pass in silence. */
function refuseStrayBudget({ budgetSession }: PayingCall): undefined {
  if (budgetSession === undefined) return undefined;
  throw new MarketError('budget_session_unusable', { message: 'X-Budget-Session goes with an API key: it names a session of that key.' });
}

/** Each rule takes the arguments of its own operation, which were validated by its schemas. */
async function estimateWith(
  rule: Extract<PayingRule, { estimate: unknown }>,
  context: SpendingContext,
  input: unknown,
): Promise<Estimate | undefined> {
  const estimate = rule.estimate as (context: SpendingContext, input: unknown) => Promise<Estimate | undefined>;
  return await estimate(context, input);
}

async function reserveOnce(context: SpendingContext, asked: Parameters<typeof reserve>[2]): Promise<Reserved> {
  try {
    return await context.database.transaction((tx) => reserve(tx, context, asked));
  } catch (error) {
    // Two calls with one payment and different sessions at the same moment.
    if (isUniqueViolation(error, 'spendings_once')) throw new MarketError('unavailable', { retryAfterSeconds: 1, cause: error });
    throw error;
  }
}

function chargeOf({ database, log }: SpendingContext, row: SpendingRow, estimate: Estimate): SpendCharge {
  let isKept = false;
  return {
    async keep(tx, answer) {
      const bought = await findBought(tx, row, estimate, answer);
      if (bought === undefined) return;
      // The price went up between the decision and the effect.
      if (bought.amountMicros > row.amountMicros) throw new MarketError('price_changed');
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

async function findBought(tx: Tx, row: SpendingRow, estimate: Estimate, answer: StoredAnswer): Promise<Bought | undefined> {
  const movement = estimate.movementOf?.(answer);
  if (movement !== undefined && movement !== null) return { kind: 'movement', id: movement, amountMicros: row.amountMicros };
  const purchase = await findPurchase(tx, row);
  return purchase.state === 'bought' ? purchase : undefined;
}
