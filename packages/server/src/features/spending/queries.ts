/** The queries of spending: policies with what was spent, a dry run, approvals, recent decisions. */
import { MarketError, parseUsd, type Spending, type SpendSubject } from '@market/contract';
import type { HandlersOf } from '../../access/call.ts';
import type { Caller } from '../../access/caller.ts';
import { findOrder, requireParty } from '../orders/index.ts';
import { readMaxHirePrice } from '../x402/index.ts';
import { listApprovals } from './approval-repository.ts';
import { findBudget } from './budget-repository.ts';
import { prepareDecision } from './decide.ts';
import { nameApprovals } from './names-repository.ts';
import { listOwnSubjects, requireMachine } from './own-subjects.ts';
import { readPolicies, readSubjects } from './policy-repository.ts';
import { presentApproval, presentPolicy, presentRecord, presentVerdict, storedSubject } from './present.ts';
import { listRecent, type PaidBy } from './recent-repository.ts';
import type { SpendingContext } from './spending-context.ts';
import { readSpent } from './spending-repository.ts';
import { accountsOf, machineOf } from './subjects.ts';

type Queries = Pick<HandlersOf<'spending'>, 'policies' | 'check' | 'approvals' | 'recent'>;
type CheckInput = Parameters<Queries['check']>[0];

export function spendingQueries(context: SpendingContext): Queries {
  const { db } = context.database;
  return {
    async policies(_input, { caller }) {
      const own = await listOwnSubjects(context, caller);
      const subjects = own.map(storedSubject);
      const [rows, spent] = await Promise.all([readPolicies(db, subjects), readSpent(db, unrepeated(subjects), {})]);
      const data = own.map((one) => {
        const { kind, id } = storedSubject(one);
        const row = rows.find(({ subjectKind, subjectId }) => subjectKind === kind && subjectId === id);
        return presentPolicy(one, row, spent.find((sum) => sum.kind === kind && sum.id === id)?.dayMicros ?? 0n);
      });
      return { data };
    },

    async check(input, { caller }) {
      const named = input.kind === undefined || input.id === undefined ? undefined : { kind: input.kind, id: input.id };
      const machine = await requireMachine(context, caller, named);
      const spending = await readSpending(context, caller, input);
      const subjects = await readSubjects(db, machine);
      const policies = subjects.map(({ policy }) => policy).filter((policy) => policy !== null);
      const budget = input.budget_id === undefined ? undefined : await findBudget(db, input.budget_id);
      if (input.budget_id !== undefined && budget?.owner !== machine.principal) throw new MarketError('budget_not_found');
      const decide = await prepareDecision(db, policies, { spending, budget }, subjects);
      return { data: presentVerdict(decide(false), spending, subjects) };
    },

    async approvals(filter, { caller }) {
      const { rows, total, nextCursor } = await listApprovals(db, { ...filter, ...seenBy(caller) });
      const names = await nameApprovals(db, rows);
      return {
        data: rows.map((row) => presentApproval(row, names, context.appUrl)),
        total,
        next_cursor: nextCursor,
      };
    },

    async recent(filter, { caller }) {
      const machine = machineOf(caller);
      const seen =
        machine === undefined ? { subjects: (await listOwnSubjects(context, caller)).map(storedSubject) } : { by: ownOf(caller) };
      const { rows, total, nextCursor } = await listRecent(db, { ...filter, ...seen });
      return { data: rows.map(presentRecord), total, next_cursor: nextCursor };
    },
  };
}

/** Several connections of one program have one policy. */
function unrepeated(subjects: readonly SpendSubject[]): SpendSubject[] {
  return [...new Map(subjects.map((one) => [`${one.kind}:${one.id}`, one])).values()];
}

/** A machine sees its own approvals, and nothing else of its owner. */
function seenBy(caller: Caller): { readonly people: readonly string[]; readonly principal: string | null } {
  const machine = machineOf(caller);
  return machine === undefined ? { people: accountsOf(caller), principal: null } : { people: [], principal: machine.principal };
}

/** A machine reads only its own payments, although those of others count for the same limits. */
function ownOf({ agent, connection }: Caller): PaidBy {
  return { agentId: agent?.id ?? null, programId: connection?.programId ?? null };
}

async function readSpending(context: SpendingContext, caller: Caller, input: CheckInput): Promise<Spending> {
  if (input.service_id !== undefined) {
    const price = await readMaxHirePrice(context, input.service_id);
    if (price === undefined) throw new MarketError('service_not_found');
    return price;
  }
  if (input.order_id === undefined)
    return { amountMicros: parseUsd(input.amount_usd ?? 0) ?? 0n, providerAgentId: input.provider_agent_id, category: input.category };
  const order = await findOrder(context.database.db, input.order_id);
  if (order === undefined) throw new MarketError('order_not_found');
  requireParty(caller, order);
  return { amountMicros: order.priceMicros ?? 0n, providerAgentId: order.providerAgentId, category: order.category ?? undefined };
}
