/**
 * The one way an order changes. A transaction locks the order, asks `decide` on the locked row, then takes the step here.
 * The second of two commands sees the new state and is refused.
 *
 * Every step writes in the same order (docs/decisions/0036):
 * 1. A payment is claimed. The claim's key decides which of two orders gets a transfer, so it comes before the order's own change.
 * 2. Status (compare-and-set), history, the agent's hold, events and timers.
 * 3. Escrow is shared out. All orders share the fee account: after a posting, other postings wait until commit.
 */
import { decide, MarketError, moneyOfStep, type OrderCommand, type OrderStatus, offeredActions } from '@market/contract';
import { reachCrashPoint } from '../../../platform/crash-points.ts';
import type { Tx } from '../../../platform/db/database.ts';
import { enqueueJobs } from '../../../platform/jobs/job-repository.ts';
import { holdPayment, type MoneyDetails, settleEscrow } from '../money/settle-escrow.ts';
import type { OrdersContext, StepContext } from '../orders-context.ts';
import type { OrderRow } from '../repository.ts';
import { requireLockedOrder } from '../require-order.ts';
import { appendOrderEvents, type OrderEvent } from './append-order-events.ts';
import { provePayer } from './contestable.ts';
import { factsOf, nextActionsOf } from './facts.ts';
import { newOrderRow } from './new-order.ts';
import { refreshHold } from './overdue-repository.ts';
import type { Actor } from './parties.ts';
import type { OrderSides } from './sides-repository.ts';
import { insertNewOrder, insertStepRow, type NewOrder, type OrderChange, updateOrderRow } from './step-repository.ts';
import { type OrderTimer, timerJob } from './timer-job.ts';

export interface Step extends MoneyDetails {
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
  context: OrdersContext,
  id: string,
  command: OrderCommand,
  actor: Actor,
): Promise<{ order: OrderRow; to: OrderStatus }> {
  return await judgeLocked(tx, context, await requireLockedOrder(tx, id), command, actor);
}

/** As `lockForCommand`, for an order that is locked already. */
export async function judgeLocked(
  tx: Tx,
  context: OrdersContext,
  locked: OrderRow,
  command: OrderCommand,
  actor: Actor,
): Promise<{ order: OrderRow; to: OrderStatus }> {
  const { role, isPayer, caller } = actor;
  const order = role === 'buyer' && isPayer === true && caller !== undefined ? await provePayer(tx, context, locked, caller) : locked;
  return { order, to: requireAllowed(order, command, actor) };
}

export function requireAllowed(order: OrderRow, command: OrderCommand, actor: Actor): OrderStatus {
  const facts = factsOf(order);
  const decision = decide(facts, command, actor.role, order.now);
  if (decision.allowed) return decision.to;
  const allowed = offeredActions(facts, actor.role, order.now).filter((offer) => offer.allowed);
  throw new MarketError(decision.code, {
    message: decision.reason,
    data: {
      status: order.status,
      allowed_actions: allowed.map((offer) => offer.action),
      next_actions: nextActionsOf(order, [actor.role], actor.isPayer === true),
    },
  });
}

/** Writes a step that was allowed; returns the order as it is then. */
export async function takeStep(tx: Tx, context: OrdersContext, order: OrderRow, step: Step): Promise<OrderRow> {
  if (moneyOfStep(order.status, step.command) === 'hold') await holdPayment(tx, context, order, step);
  return await writeStep(tx, context, order, step);
}

/** As `takeStep`, for a step that takes no payment. */
export async function writeStep(tx: Tx, context: StepContext, order: OrderRow, step: Step): Promise<OrderRow> {
  const money = moneyOfStep(order.status, step.command);
  const changed: OrderRow = { ...order, ...(step.set as Partial<OrderRow> | undefined), status: step.to, updatedAt: order.now };
  await updateOrderRow(tx, order.id, { from: order.status, to: step.to, at: order.now }, step.set ?? {});
  await insertStepRow(tx, {
    orderId: order.id,
    command: step.command,
    fromStatus: order.status,
    toStatus: step.to,
    actorRole: step.actor.role,
    actor: step.actor.name,
    note: step.note ?? null,
    // The moment the step was judged by: its deadlines run from here.
    at: order.now,
  });
  if (changed.overdueSince !== null) await refreshHold(tx, order.providerAgentId);
  if (order.bountyId !== null) {
    const { command, to } = step;
    await context.bounties.follow(tx, context, order.bountyId, { command, from: order.status, to, at: order.now });
  }
  reachCrashPoint('order.after_step');
  await appendOrderEvents(tx, context, order, step.actor, step.events ?? []);
  await enqueueTimers(tx, order, step.timers);
  if (money !== undefined && money !== 'hold') await settleEscrow(tx, context, order, money, step);
  reachCrashPoint('order.before_commit');
  return changed;
}

export interface FirstStep {
  /** A buyer places an order. A machine hires, or a poster awards a bounty, with a payment claimed in the same transaction. */
  readonly command: 'place' | 'hire' | 'award';
  readonly actor: Actor;
  readonly note?: string;
  readonly events: readonly OrderEvent[];
  readonly timers?: readonly OrderTimer[];
}

/** Writes a new order with its first step. `contestableUntil` is of the bare transfer that paid it. */
export async function beginOrder(
  tx: Tx,
  context: OrdersContext,
  {
    begun,
    sides,
    contestableUntil = null,
  }: { readonly begun: NewOrder; readonly sides: OrderSides; readonly contestableUntil?: Date | null },
  step: FirstStep,
): Promise<OrderRow> {
  const { command, actor, note = null } = step;
  const { id, status } = begun;
  await insertNewOrder(tx, {
    order: { ...begun, relatedParty: sides.relatedParty },
    step: { orderId: id, command, fromStatus: null, toStatus: status, actorRole: actor.role, actor: actor.name, note },
  });
  const order = newOrderRow(begun, sides, contestableUntil);
  await appendOrderEvents(tx, context, order, actor, step.events);
  await enqueueTimers(tx, order, step.timers);
  return order;
}

/** Changes a locked order without a step: its status and history stay as they are. */
export async function amendOrder(tx: Tx, order: OrderRow, change: OrderChange): Promise<void> {
  await updateOrderRow(tx, order.id, { from: order.status, to: order.status, at: order.now }, change);
}

async function enqueueTimers(tx: Tx, { id }: OrderRow, timers: readonly OrderTimer[] = []): Promise<void> {
  await enqueueJobs(
    tx,
    timers.map((timer) => timerJob(id, timer)),
  );
}
