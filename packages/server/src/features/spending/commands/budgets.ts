/** Budget sessions of a key: opened, shrunk and closed. */
import { MarketError, parseUsd, spendingLimits } from '@market/contract';
import type { HandlersOf } from '../../../access/call.ts';
import type { Caller } from '../../../access/caller.ts';
import { newId } from '../../../platform/random.ts';
import {
  type BudgetRow,
  closeBudget,
  countOpenBudgets,
  insertBudget,
  listBudgets,
  lockBudget,
  requireBudget,
  shrinkBudget,
} from '../budget-repository.ts';
import { listOwnSubjects } from '../own-subjects.ts';
import { presentBudget } from '../present.ts';
import type { SpendingContext } from '../spending-context.ts';
import { machineOf } from '../subjects.ts';

type BudgetHandlers = Pick<HandlersOf<'spending'>, 'openBudget' | 'budgets' | 'shrinkBudget' | 'closeBudget'>;

export function budgetHandlers(context: SpendingContext): BudgetHandlers {
  const { database, clock } = context;
  return {
    async openBudget({ amount_usd, expires_in_seconds: seconds, label }, call) {
      const owner = principalIn(call.caller);
      return await call.commit(async (tx) => {
        if ((await countOpenBudgets(tx, owner)) >= spendingLimits.openBudgets) throw new MarketError('too_many_budgets');
        const id = newId('bud', clock.now());
        const budget = await insertBudget(tx, { id, owner, label: label ?? null, amountMicros: parseUsd(amount_usd) ?? 0n, seconds });
        return { data: presentBudget(budget) };
      });
    },

    async budgets(_input, { caller }) {
      return { data: (await listBudgets(database.db, await ownersSeenBy(context, caller))).map(presentBudget) };
    },

    async shrinkBudget({ id, amount_usd, expires_in_seconds: seconds = null }, call) {
      const owner = principalIn(call.caller);
      return await call.commit(async (tx) => {
        const budget = requireOf([owner], await lockBudget(tx, id));
        if (budget.closedAt !== null || budget.isExpired)
          throw new MarketError('budget_session_unusable', { message: 'The budget session is over.' });
        const amountMicros = amount_usd === undefined ? null : (parseUsd(amount_usd) ?? 0n);
        const isTooSmall = amountMicros !== null && amountMicros < budget.usedMicros;
        if (isTooSmall || !(await shrinkBudget(tx, budget.id, { amountMicros, seconds }))) throw new MarketError('budget_only_shrinks');
        return { data: presentBudget(await requireBudget(tx, id)) };
      });
    },

    async closeBudget({ id }, call) {
      const owners = await ownersSeenBy(context, call.caller);
      return await call.commit(async (tx) => {
        const budget = requireOf(owners, await lockBudget(tx, id));
        return { data: presentBudget(await closeBudget(tx, budget.id)) };
      });
    },
  };
}

function principalIn(caller: Caller): string {
  const machine = machineOf(caller);
  if (machine === undefined) throw new MarketError('wrong_credential');
  return machine.principal;
}

async function ownersSeenBy(context: SpendingContext, caller: Caller): Promise<string[]> {
  const machine = machineOf(caller);
  if (machine !== undefined) return [machine.principal];
  const subjects = await listOwnSubjects(context, caller);
  return subjects.filter(({ kind }) => kind !== 'account').map(({ kind, id }) => `${kind}:${id}`);
}

function requireOf(owners: readonly string[], budget: BudgetRow | undefined): BudgetRow {
  if (budget === undefined || !owners.includes(budget.owner)) throw new MarketError('budget_not_found');
  return budget;
}
