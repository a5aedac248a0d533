/** Decides about one payment and reserves its amount, in one transaction that holds the lock of every policy concerned. */
import type { BudgetId, MarketError, SpendDecision, SpendRule } from '@market/contract';
import type { PayingCall } from '../../access/spend-guard.ts';
import type { Tx } from '../../platform/db/database.ts';
import { newId } from '../../platform/random.ts';
import { useApproval } from './approval-repository.ts';
import { type AskingCall, askOwner, findApproval } from './approvals.ts';
import { type BudgetRow, lockBudget } from './budget-repository.ts';
import { prepareDecision, requireOwnBudget } from './decide.ts';
import type { Estimate } from './paying-operations.ts';
import { lockPolicies, type PolicyRow, type SubjectRow } from './policy-repository.ts';
import { canClaimMove } from './purchase-repository.ts';
import { approvalRequired, type Obstacle, paymentUnderWay, refusalOf } from './refusals.ts';
import type { SpendingContext } from './spending-context.ts';
import { insertSpending, joinReserved, lockCounted, type NewSpending, type SpendingRow } from './spending-repository.ts';
import { type Machine, shownSubject } from './subjects.ts';

export type HeldMachine = Omit<Machine, 'subjects'> & { readonly subjects: readonly SubjectRow[] };

interface Asked {
  readonly call: PayingCall;
  /** The machine with its creators and all accounts of the owners. */
  readonly machine: HeldMachine;
  readonly estimate: Estimate;
}

/** A refusal is recorded, so its transaction commits before it is thrown. Both fields are absent if the call pays nothing. */
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
  const known = await findKnown(tx, asked, policies, budget);
  if (known !== undefined) return known;
  const decide = await prepareDecision(tx, policies, { spending: estimate, budget }, machine.subjects);
  return await act(tx, context, asked, budget, decide);
}

/** The result for a payment that was reserved or counted before; undefined if the policies must decide. */
async function findKnown(
  tx: Tx,
  { machine, estimate, call }: Asked,
  policies: readonly PolicyRow[],
  budget: BudgetRow | undefined,
): Promise<Reserved | undefined> {
  const reference = estimate.reference ?? keyedReference(call);
  const known = reference === undefined ? undefined : await lockCounted(tx, machine.principal, reference);
  if (known === undefined) return undefined;
  const isSameCall = known.callHash?.equals(call.hash) === true;
  if (known.status === 'kept') {
    // An Idempotency-Key may name a new call after a day.
    if (estimate.reference === undefined) return undefined;
    // A repeat buys nothing more. Another call may take over the claim of a bare transfer.
    return isSameCall || !(await canClaimMove(tx, known.reference)) ? {} : undefined;
  }
  if (policies.some(({ frozen }) => frozen)) return undefined;
  if (!isSameCall || known.budgetId !== (budget?.id ?? null)) throw paymentUnderWay();
  await joinReserved(tx, known.id);
  return { spending: known };
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
  const { amountMicros, isTransferred = false, transferSeconds } = estimate;
  const payment = { amountMicros, isTransferred, transferSeconds };
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
    if (estimate.isFree === true) return {};
    const spending = await record('reserved', null, approval === undefined ? 'Within all limits.' : 'The owner approved it.');
    if (approval !== undefined) await useApproval(tx, approval.id, spending.id);
    return { spending };
  }
  const { objection } = decision;
  let obstacle: Obstacle = objection.rule;
  if (decision.decision === 'ask') {
    const waiting = approval ?? (await askOwner(tx, context, asking, objection));
    if (typeof waiting === 'string') obstacle = waiting;
    else if (waiting.status === 'declined') obstacle = 'declined';
    else {
      if (approval === undefined) await record('asked', objection.rule, objection.sentence);
      return { refusal: approvalRequired(waiting, context.appUrl, payment) };
    }
  }
  const refusal = refusalOf({ ...objection, subject: shownSubject(objection.subject, machine.subjects) }, payment, obstacle);
  await record('refused', objection.rule, refusal.sentence);
  return { refusal: refusal.error };
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
    callHash: call.hash,
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
