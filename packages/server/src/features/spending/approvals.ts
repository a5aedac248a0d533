/** Asks the owner about a payment, and finds their decision when the same call comes again. */
import { formatUsd, type SpendingEventData, type SpendObjection, spendingLimits, toWireTime } from '@market/contract';
import type { Tx } from '../../platform/db/database.ts';
import type { EventReader, NewEvent } from '../../platform/events/event-log.ts';
import { newId } from '../../platform/random.ts';
import { type ApprovalRow, countWaiting, findApprovalOf, insertApproval } from './approval-repository.ts';
import type { Estimate } from './paying-operations.ts';
import type { SubjectRow } from './policy-repository.ts';
import type { SpendingContext } from './spending-context.ts';

export interface AskingCall {
  readonly principal: string;
  /** Name of the agent or program. */
  readonly name: string;
  readonly operation: string;
  readonly hash: Buffer;
  readonly estimate: Estimate;
  readonly subjects: readonly SubjectRow[];
}

/** The approval of this very call. An approval for a smaller amount does not count: the price went up since. */
export async function findApproval(tx: Tx, { principal, hash, estimate }: AskingCall): Promise<ApprovalRow | undefined> {
  const approval = await findApprovalOf(tx, principal, hash);
  return approval === undefined || approval.amountMicros < estimate.amountMicros ? undefined : approval;
}

/**
 * Asks the owner. Returns the approval, or why the owner was not asked. The policy that asks is locked, so the count of waiting approvals
 * holds.
 */
export async function askOwner(
  tx: Tx,
  context: SpendingContext,
  call: AskingCall,
  { sentence, subject }: SpendObjection,
): Promise<ApprovalRow | 'no_owner' | 'too_many_wait'> {
  const asking = call.subjects.find(({ kind, id }) => kind === subject?.kind && id === subject.id);
  if (asking === undefined || asking.owners.length === 0) return 'no_owner';
  if ((await countWaiting(tx, call.principal)) >= spendingLimits.waitingApprovals) return 'too_many_wait';
  const { amountMicros, providerAgentId, category, about } = call.estimate;
  const approval = await insertApproval(tx, {
    id: newId('apr', context.clock.now()),
    principal: call.principal,
    operation: call.operation,
    callHash: call.hash,
    amountMicros,
    providerAgentId: providerAgentId ?? null,
    category: category ?? null,
    about,
    sentence,
    askedOf: [...asking.askedOf],
    deciders: [...asking.owners],
  });
  const data: SpendingEventData<'spending.approval_asked'> = {
    ...eventData(approval),
    expires_at: toWireTime(approval.expiresAt),
    sentence,
  };
  await context.events.append(tx, [eventOf('spending.approval_asked', approval, call.name, data)]);
  return approval;
}

export function eventData({ id, operation, amountMicros, principal }: ApprovalRow) {
  return { approval_id: id, operation, amount_usd: formatUsd(amountMicros), by: principal };
}

/** An event for the owner and for the agent that wants to pay. */
export function eventOf(type: string, { id, principal, askedOf }: ApprovalRow, name: string, data: Record<string, unknown>): NewEvent {
  const readers = [...askedOf, ...(principal.startsWith('agent:') ? [principal] : [])] as EventReader[];
  const owner = askedOf.find((one) => one.startsWith('user:')) ?? askedOf[0];
  return { type, subjectId: id, readers, data, context: { owner, name, link: `/build/spending?approval=${id}` } };
}
