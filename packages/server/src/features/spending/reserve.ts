/** Decides about one payment and reserves its amount, in one transaction that holds the lock of every policy concerned. */
import { type BudgetId, MarketError, type SpendDecision, type SpendRule } from '@market/contract';
import type { PayingCall } from '../../access/spend-guard.ts';
import type { Tx } from '../../platform/db/database.ts';
import { newId } from '../../platform/random.ts';
import { useApproval } from './approval-repository.ts';
import { type AskingCall, askOwner, findApproval } from './approvals.ts';
import { type BudgetRow, lockBudget } from './budget-repository.ts';
import { prepareDecision, requireOwnBudget } from './decide.ts';
import type { Estimate } from './paying-operations.ts';
import { lockPolicies, type PolicyRow } from './policy-repository.ts';
import { approvalRequired, refusalOf } from './refusals.ts';
import type { SpendingContext } from './spending-context.ts';
import { findCounted, insertSpending, joinReserved, type NewSpending, type SpendingRow } from './spending-repository.ts';
import type { Machine } from './subjects.ts';

interface Asked {
  readonly call: PayingCall;
  /** With all accounts of its owner. */
  readonly machine: Machine;
  readonly estimate: Estimate;
}

/** A refusal is recorded, so its transaction commits before it is thrown. Neither: the call pays nothing that counts. */
export interface Reserved {
  readonly spending?: SpendingRow;
  readonly refusal?: MarketError;
}

export async function reserve(tx: Tx, context: SpendingContext, asked: Asked): Promise<Reserved> {
  const { call, machine, estimate } = asked;
  const policies = await lockPolicies(tx, machine.subjects);
  const budget =
    call.budgetSession === undefined ? undefined : requireOwnBudget(await lockBudget(tx, call.budgetSession), machine.principal);
  if (policies.length === 0 && budget === undefined) return {};
  const known = await findKnown(tx, asked, policies);
  if (known !== undefined) return known;
  const decide = await prepareDecision(tx, policies, { spending: estimate, budget });
  return await act(tx, context, asked, budget, decide);
}

/** The same payment again: what is paid counts already, and what is reserved is shared. A freeze stops it all the same. */
async function findKnown(tx: Tx, { machine, estimate, call }: Asked, policies: readonly PolicyRow[]): Promise<Reserved | undefined> {
  const reference = estimate.reference ?? keyedReference(call);
  const known = reference === undefined ? undefined : await findCounted(tx, machine.principal, reference);
  if (known === undefined) return undefined;
  if (known.status === 'kept') return estimate.reference === undefined ? undefined : {};
  if (policies.some(({ frozen }) => frozen)) return undefined;
  if (estimate.amountMicros > known.amountMicros) throw new MarketError('unavailable', { retryAfterSeconds: 5 });
  return (await joinReserved(tx, known.id)) ? { spending: known } : undefined;
}

function keyedReference({ operation, idempotencyKey }: PayingCall): string | undefined {
  return idempotencyKey === undefined ? undefined : `call ${operation.name} ${idempotencyKey}`;
}

async function act(
  tx: Tx,
  context: SpendingContext,
  asked: Asked,
  budget: BudgetRow | undefined,
  decide: (isApproved: boolean) => SpendDecision,
): Promise<Reserved> {
  const { call, machine, estimate } = asked;
  const asking: AskingCall = { ...machine, name: nameOf(call), operation: call.operation.name, hash: call.hash, estimate };
  const payment = { amountMicros: estimate.amountMicros, isTransferred: estimate.isTransferred === true };
  const first = decide(false);
  const approval = first.decision === 'ask' ? await findApproval(tx, asking) : undefined;
  const decision = approval?.status === 'approved' ? decide(true) : first;
  const record = (status: NewSpending['status'], rule: SpendRule | null, sentence: string) =>
    insertSpending(
      tx,
      newSpending(context, asked, { status, rule, sentence, budgetId: budget?.id ?? null, approvalId: approval?.id ?? null }),
      machine.subjects,
    );

  if (decision.decision === 'allow') {
    if (estimate.amountMicros === 0n) return {};
    const spending = await record('reserved', null, approval === undefined ? 'Within all limits.' : 'The owner approved it.');
    if (approval !== undefined) await useApproval(tx, approval.id, spending.id);
    return { spending };
  }
  const { objection } = decision;
  if (decision.decision === 'ask' && approval?.status !== 'declined') {
    const waiting = approval ?? (await askOwner(tx, context, asking, objection));
    if (waiting !== undefined) {
      if (approval === undefined) await record('asked', objection.rule, objection.sentence);
      return { refusal: approvalRequired(waiting, context.appUrl, payment) };
    }
  }
  const sentence = approval?.status === 'declined' ? `${objection.sentence} They declined this payment.` : objection.sentence;
  await record('refused', objection.rule, sentence);
  return { refusal: refusalOf({ ...objection, sentence }, payment) };
}

function newSpending(
  { clock }: SpendingContext,
  { call, machine, estimate }: Asked,
  decided: Pick<NewSpending, 'status' | 'rule' | 'sentence' | 'approvalId'> & { readonly budgetId: BudgetId | null },
): NewSpending {
  const id = newId('spd', clock.now());
  return {
    ...decided,
    id,
    principal: machine.principal,
    operation: call.operation.name,
    reference: estimate.reference ?? keyedReference(call) ?? `call ${call.operation.name} ${id}`,
    about: estimate.about,
    amountMicros: estimate.amountMicros,
    providerAgentId: estimate.providerAgentId ?? null,
    category: estimate.category ?? null,
  };
}

function nameOf({ caller: { connection, agent } }: PayingCall): string {
  return connection?.clientName ?? agent?.name ?? '';
}
