/** Answers a request of a workspace. The first item fills the row of the request; further items get rows of their own. */
import { MarketError } from '@market/contract';
import type { Tx } from '../../../platform/db/database.ts';
import { newId } from '../../../platform/random.ts';
import {
  attachFiles,
  finishWorkspaceIfOver,
  type OrderRow,
  type OrdersContext,
  type RequestAnswer,
  requireAllowed,
  requireLockedOrder,
  takeStep,
  withheldMark,
} from '../index.ts';
import { findOpenRequest, insertAnswers, updateRequest } from './repository.ts';

/** The order must be locked. Ends the workspace when this was its last request. */
export async function answerRequest(tx: Tx, context: OrdersContext, order: OrderRow, answer: RequestAnswer): Promise<OrderRow> {
  const request = await findOpenRequest(tx, order.id, answer.requestId);
  if (request === undefined) throw new MarketError('no_open_request');
  const uploads = await attachFiles(tx, context, order, answer.items, answer.by);
  const [first, ...more] = answer.items;
  if (first === undefined) throw new Error('an answer has at least one item');
  await updateRequest(tx, request.id, { ...first, uploadId: uploads[0] ?? null, status: 'completed', answeredAt: order.now });
  await insertAnswers(
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
  await takeStep(tx, context, order, {
    command: 'answer_request',
    to: requireAllowed(order, 'answer_request', answer.actor),
    actor: answer.actor,
    events: [{ type: 'order.request_answered', data: { request_id: request.id, status: 'completed', ...withheldMark(order) } }],
  });
  // Read the order again: it has one open request less.
  return await finishWorkspaceIfOver(tx, context, await requireLockedOrder(tx, order.id));
}
