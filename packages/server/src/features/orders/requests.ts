/** Requests of a workspace. Quota is taken before work begins and given back when nothing comes of it. */
import { type DeliverableId, isWorkspaceOver, MarketError, type OrderStatus, toWireTime } from '@market/contract';
import type { Caller } from '../../access/caller.ts';
import type { Tx } from '../../platform/db/database.ts';
import { newId } from '../../platform/random.ts';
import { attachFiles, type DeliveredItem } from './commands/delivered-items.ts';
import { factsOf } from './lifecycle/facts.ts';
import { type Actor, theMarket } from './lifecycle/parties.ts';
import { requireAllowed, takeStep, tellOf } from './lifecycle/take-step.ts';
import { reviewDeadline } from './lifecycle/terms.ts';
import type { OrdersContext } from './orders-context.ts';
import {
  type DeliverableRow,
  findOpenRequest,
  insertDeliverables,
  insertStep,
  lastRound,
  listOpenRequests,
  lockOrder,
  type OrderRow,
  updateDeliverable,
  updateOrder,
} from './repository.ts';

export interface NewRequest {
  readonly prompt: string;
  /** `generating` while the agent's endpoint is asked, `pending` when the agent will answer by itself. */
  readonly status: 'pending' | 'generating';
  readonly answerBy: Date;
  readonly actor: Actor;
}

/** The order must be locked and the command allowed. Takes one of the quota. */
export async function openRequest(tx: Tx, context: OrdersContext, order: OrderRow, request: NewRequest): Promise<DeliverableRow> {
  const id = newId('del', context.clock.now());
  await updateOrder(tx, order.id, order.status, { quotaUsed: order.quotaUsed + 1 });
  await insertDeliverables(tx, [
    {
      id,
      orderId: order.id,
      round: (await lastRound(tx, order.id)) + 1,
      prompt: request.prompt,
      status: request.status,
      isRequest: true,
      answerBy: request.answerBy,
      url: null,
      mediaType: null,
      content: null,
      uploadId: null,
      error: null,
      answeredAt: null,
    },
  ]);
  await recordStep(tx, order, 'generate', request.actor, request.prompt);
  await tellOf(tx, context, order, request.actor, [
    { type: 'order.request_opened', data: { request_id: id, prompt: request.prompt, answer_by: toWireTime(request.answerBy) } },
  ]);
  const row = await findOpenRequest(tx, order.id, id);
  if (row === undefined) throw new Error(`request ${id} vanished`);
  return row;
}

export interface Answer {
  readonly requestId: DeliverableId | undefined;
  readonly items: readonly DeliveredItem[];
  readonly by: Caller;
  readonly actor: Actor;
}

/** Answers a request; the first item stands for the request itself, more are added beside it. Ends the workspace when it was the last. */
export async function answerRequest(tx: Tx, context: OrdersContext, order: OrderRow, answer: Answer): Promise<OrderRow> {
  const request = await findOpenRequest(tx, order.id, answer.requestId);
  if (request === undefined) throw new MarketError('no_open_request');
  const uploads = await attachFiles(tx, context, order, answer.items, answer.by);
  const [first, ...more] = answer.items;
  if (first === undefined) throw new Error('an answer has at least one item');
  await updateDeliverable(tx, request.id, { ...first, uploadId: uploads[0] ?? null, status: 'completed', answeredAt: order.now });
  if (more.length > 0) {
    await insertDeliverables(
      tx,
      more.map((item, index) => ({
        id: newId('del', context.clock.now()),
        orderId: order.id,
        round: request.round,
        position: index + 1,
        prompt: request.prompt,
        ...item,
        uploadId: uploads[index + 1] ?? null,
        status: 'completed',
        error: null,
        answerBy: null,
        answeredAt: order.now,
      })),
    );
  }
  await recordStep(tx, order, 'answer_request', answer.actor, null);
  await tellOf(tx, context, order, answer.actor, [
    { type: 'order.request_answered', data: { request_id: request.id, status: 'completed' } },
  ]);
  return await finishIfOver(tx, context, await relock(tx, order));
}

/** Nothing came of it: the quota is given back. Does nothing when the request was answered meanwhile. */
export async function failRequest(
  tx: Tx,
  context: OrdersContext,
  order: OrderRow,
  requestId: DeliverableId,
  error: string,
): Promise<OrderRow> {
  const request = await findOpenRequest(tx, order.id, requestId);
  if (request === undefined) return order;
  await updateDeliverable(tx, request.id, { status: 'failed', error, answeredAt: order.now });
  await updateOrder(tx, order.id, order.status, { quotaUsed: order.quotaUsed - 1 });
  await tellOf(tx, context, order, theMarket, [{ type: 'order.request_answered', data: { request_id: request.id, status: 'failed' } }]);
  return await relock(tx, order);
}

/** Requests still open when the order ends: they fail, and what they took of the quota is given back. */
export async function failOpenRequests(tx: Tx, order: OrderRow, error: string): Promise<number> {
  const open = await listOpenRequests(tx, order.id);
  for (const request of open) await updateDeliverable(tx, request.id, { status: 'failed', error, answeredAt: order.now });
  if (open.length > 0) await updateOrder(tx, order.id, order.status, { quotaUsed: order.quotaUsed - open.length });
  return open.length;
}

/** Time or quota used up: the workspace counts as delivered and its review window opens. */
export async function finishIfOver(tx: Tx, context: OrdersContext, order: OrderRow): Promise<OrderRow> {
  if (order.status !== 'in_progress' || !isWorkspaceOver(factsOf(order), order.now)) return order;
  const to: OrderStatus = requireAllowed(order, 'finish_workspace', theMarket);
  await failOpenRequests(tx, order, 'The workspace ended before the agent answered.');
  const settled = await relock(tx, order);
  const deadline = reviewDeadline(order.now);
  return await takeStep(tx, context, settled, {
    command: 'finish_workspace',
    to,
    actor: theMarket,
    set: { deliveredAt: order.now, reviewDeadline: deadline },
    events: [{ type: 'order.delivered', data: { round: await lastRound(tx, order.id), deliverables: settled.quotaUsed } }],
    timers: [{ command: 'auto_release', at: deadline }],
  });
}

async function recordStep(
  tx: Tx,
  order: OrderRow,
  command: 'generate' | 'answer_request',
  actor: Actor,
  note: string | null,
): Promise<void> {
  await insertStep(tx, {
    orderId: order.id,
    command,
    fromStatus: order.status,
    toStatus: order.status,
    actorRole: actor.role,
    actor: actor.name,
    note,
    at: order.now,
  });
}

async function relock(tx: Tx, order: OrderRow): Promise<OrderRow> {
  const row = await lockOrder(tx, order.id);
  if (row === undefined) throw new Error(`order ${order.id} vanished`);
  return row;
}
