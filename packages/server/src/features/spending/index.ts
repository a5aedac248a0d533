/** Spend policies: owners limit what their agents and connected programs pay, and approve large payments. */
import type { HandlersOf } from '../../access/call.ts';
import type { Db, Tx } from '../../platform/db/database.ts';
import { budgetHandlers } from './commands/budgets.ts';
import { decide } from './commands/decide-approval.ts';
import { freezePolicy, setPolicy } from './commands/set-policy.ts';
import { readPolicies, writeDailyLimit } from './policy-repository.ts';
import { transferReference } from './purchase-repository.ts';
import { spendingQueries } from './queries.ts';
import type { SpendingContext } from './spending-context.ts';
import { releaseSpent } from './spending-repository.ts';

export function spendingHandlers(context: SpendingContext): HandlersOf<'spending'> {
  return {
    ...spendingQueries(context),
    ...budgetHandlers(context),
    setPolicy: setPolicy(context),
    freeze: freezePolicy(context),
    decide: decide(context),
  };
}

/** The limit that a person chooses when they connect a program. Null removes it; other rules stay. */
export async function setDailyLimit(tx: Tx, programId: string, micros: bigint | null): Promise<void> {
  await writeDailyLimit(tx, { kind: 'connection', id: programId }, micros);
}

/** Limits per day of connected programs, by id. */
export async function dailyLimitsOf(db: Db, ids: readonly string[]): Promise<ReadonlyMap<string, bigint>> {
  const rows = await readPolicies(
    db,
    ids.map((id) => ({ kind: 'connection', id })),
  );
  return new Map(rows.flatMap(({ subjectId, perDayMicros }) => (perDayMicros === null ? [] : [[subjectId, perDayMicros] as const])));
}

/** Releases the amount of somebody else's transfer that a limited machine had presented. */
export async function releaseSpentTransfer(tx: Tx, { caip2, reference, subjectId }: SpentTransfer): Promise<void> {
  await releaseSpent(tx, transferReference(caip2, reference), subjectId);
}

interface SpentTransfer {
  readonly caip2: string;
  readonly reference: string;
  readonly subjectId: string;
}

export { createSpendGuard } from './guard.ts';
export { spendingJobs } from './jobs.ts';
export { isAgentFrozen } from './own-subjects.ts';
export type { SpendingContext } from './spending-context.ts';
