/** Opens a request of a workspace. It takes one of the quota before work begins. */
import { type OrderStatus, toWireTime } from '@market/contract';
import type { Tx } from '../../../platform/db/database.ts';
import { newId } from '../../../platform/random.ts';
import { type Actor, type OrderRow, type OrdersContext, takeStep } from '../index.ts';
import { insertRequest, type RequestRow } from './repository.ts';

export interface NewRequest {
  readonly prompt: string;
  /** `generating` while the agent's endpoint is asked, `pending` when the agent will answer by itself. */
  readonly status: 'pending' | 'generating';
  readonly answerBy: Date;
  readonly actor: Actor;
  /** The order's status after this request. */
  readonly to: OrderStatus;
}

/** The order must be locked and the command allowed. */
export async function openRequest(tx: Tx, context: OrdersContext, order: OrderRow, request: NewRequest): Promise<RequestRow> {
  const { prompt, status, answerBy, actor, to } = request;
  const row = await insertRequest(tx, { id: newId('del', context.clock.now()), orderId: order.id, prompt, status, answerBy });
  await takeStep(tx, context, order, {
    command: 'generate',
    to,
    actor,
    set: { quotaUsed: order.quotaUsed + 1 },
    note: prompt,
    events: [{ type: 'order.request_opened', data: { request_id: row.id, prompt, answer_by: toWireTime(answerBy) } }],
  });
  return row;
}
