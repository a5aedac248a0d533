/**
 * The one way an order changes: the rule is asked on the locked row, then status, history, events and timers are written in
 * the same transaction. Whoever comes second sees the new state and is refused cleanly.
 */
import {
  decide,
  MarketError,
  type NetworkName,
  type OrderCommand,
  type OrderEventData,
  type OrderEventType,
  type OrderStatus,
  offeredActions,
} from '@market/contract';
import { reachCrashPoint } from '../../../platform/crash-points.ts';
import type { Tx } from '../../../platform/db/database.ts';
import { enqueueJobs } from '../../../platform/jobs/job-repository.ts';
import type { OrdersContext } from '../orders-context.ts';
import { insertStep, lockOrder, type OrderChange, type OrderRow, updateOrder } from '../repository.ts';
import { provePayer } from './contestable.ts';
import { buyersOf } from './event-readers.ts';
import { factsOf } from './facts.ts';
import { refreshHold } from './overdue-repository.ts';
import type { Actor } from './parties.ts';
import { type OrderTimer, timerJob } from './timer-job.ts';

export type OrderEvent = { [T in OrderEventType]: { readonly type: T; readonly data: OrderEventData<T> } }[OrderEventType];

export interface Step {
  readonly command: OrderCommand;
  readonly to: OrderStatus;
  readonly actor: Actor;
  readonly set?: OrderChange;
  /** What the actor said with it. */
  readonly note?: string | undefined;
  readonly events?: readonly OrderEvent[];
  readonly timers?: readonly OrderTimer[];
}

/** Locks the order and asks whether the command is allowed now; throws the refusal. */
export async function lockForCommand(
  tx: Tx,
  id: string,
  command: OrderCommand,
  actor: Actor,
): Promise<{ order: OrderRow; to: OrderStatus }> {
  const locked = await lockOrder(tx, id);
  if (locked === undefined) throw new MarketError('order_not_found');
  const order = actor.role === 'buyer' && actor.isPayer === true ? await provePayer(tx, locked) : locked;
  return { order, to: requireAllowed(order, command, actor) };
}

export function requireAllowed(order: OrderRow, command: OrderCommand, actor: Actor): OrderStatus {
  const facts = factsOf(order);
  const decision = decide(facts, command, actor.role, order.now);
  if (decision.allowed) return decision.to;
  const allowed = offeredActions(facts, actor.role, order.now).filter((offer) => offer.allowed);
  throw new MarketError(decision.code, {
    message: decision.reason,
    data: { status: order.status, allowed_actions: allowed.map((offer) => offer.action) },
  });
}

/** Writes a step that was allowed; returns the order as it is then. */
export async function takeStep(tx: Tx, context: Pick<OrdersContext, 'events'>, order: OrderRow, step: Step): Promise<OrderRow> {
  const written = await updateOrder(tx, order.id, order.status, { ...step.set, status: step.to });
  await insertStep(tx, {
    orderId: order.id,
    command: step.command,
    fromStatus: order.status,
    toStatus: step.to,
    actorRole: step.actor.role,
    actor: step.actor.name,
    note: step.note ?? null,
    // The moment it was judged by, from which its deadlines run.
    at: order.now,
  });
  if (written.overdueSince !== null) await refreshHold(tx, order.providerAgentId);
  reachCrashPoint('order.after_step');
  await tellOf(tx, context, order, step.actor, step.events ?? []);
  await enqueueJobs(
    tx,
    (step.timers ?? []).map((timer) => timerJob(order.id, timer)),
  );
  reachCrashPoint('order.before_commit');
  return { ...order, ...written, paymentNetwork: written.paymentNetwork as NetworkName | null };
}

/** Appends events about an order; their context names both sides, so that readers need not ask for them. */
export async function tellOf(
  tx: Tx,
  { events }: Pick<OrdersContext, 'events'>,
  order: OrderRow,
  actor: Actor,
  told: readonly OrderEvent[],
): Promise<void> {
  await events.append(
    tx,
    told.map(({ type, data }) => ({
      type,
      subjectId: order.id,
      agentId: order.providerAgentId,
      readers: buyersOf(order),
      data,
      context: {
        actor_role: actor.role,
        service_id: order.serviceId,
        service_title: order.serviceTitle,
        related_party: order.relatedParty,
        price_micros: order.priceMicros === null ? null : String(order.priceMicros),
        client_agent_id: order.clientAgentId,
        client_wallet: order.clientWallet,
        client_user_id: order.userId,
        provider_agent_id: order.providerAgentId,
        provider_name: order.providerName,
        provider_owner_wallet: order.providerOwnerWallet,
        provider_owner_user_id: order.providerOwnerUserId,
      },
    })),
  );
}
