/** Reads the facts for the pure decision, and makes it. */
import { decideSpend, type HeldBudget, type HeldPolicy, MarketError, type SpendDecision, type Spending } from '@market/contract';
import type { Db } from '../../platform/db/database.ts';
import type { BudgetRow } from './budget-repository.ts';
import type { PolicyRow, SubjectRow } from './policy-repository.ts';
import { readSpent } from './spending-repository.ts';

export interface Question {
  readonly spending: Spending;
  readonly budget: BudgetRow | undefined;
  readonly isApproved: boolean;
}

export type Decide = (isApproved: boolean) => SpendDecision;

/** Reads the sums once. The returned function decides with or without an approval. */
export async function prepareDecision(
  db: Db,
  held: readonly PolicyRow[],
  { spending, budget }: Pick<Question, 'spending' | 'budget'>,
  subjects: readonly SubjectRow[],
): Promise<Decide> {
  const rows = held.toSorted((one, other) => rankOf(one, subjects) - rankOf(other, subjects));
  const spent = await readSpent(
    db,
    rows.map(({ subjectKind: kind, subjectId: id }) => ({ kind, id })),
    spending,
  );
  const policies = rows.map((policy): HeldPolicy => {
    const subject = { kind: policy.subjectKind, id: policy.subjectId };
    const used = spent.find(({ kind, id }) => kind === subject.kind && id === subject.id);
    return { subject, policy, spent: used ?? { dayMicros: 0n, providerDayMicros: 0n, categoryDayMicros: 0n } };
  });
  return (isApproved) => decideSpend({ policies, spending, budget: budget && heldBudget(budget), isApproved });
}

/**
 * The order in which policies ask: a creator's first, an account's last. One approval answers all of them, so the first one names the owner
 * who decides.
 */
function rankOf({ subjectKind, subjectId }: PolicyRow, subjects: readonly SubjectRow[]): number {
  if (subjectKind === 'account') return 2;
  return subjects.some(({ kind, id, isCreator }) => isCreator && kind === subjectKind && id === subjectId) ? 0 : 1;
}

function heldBudget({ amountMicros, usedMicros, closedAt, isExpired }: BudgetRow): HeldBudget {
  return { amountMicros, usedMicros, isOpen: closedAt === null && !isExpired };
}

export function requireOwnBudget(budget: BudgetRow | undefined, principal: string): BudgetRow {
  if (budget?.owner === principal) return budget;
  throw new MarketError('budget_session_unusable', { message: 'X-Budget-Session names no budget session of this key.' });
}
