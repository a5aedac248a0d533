/** Fails a request that was not answered in time, and gives its quota back. */
import type { DeliverableId, OrderId } from '@market/contract';
import { z } from 'zod';
import { requireKnownDatabase } from '../../../platform/db/database-identity.ts';
import { defineJob, type JobDefinition } from '../../../platform/jobs/job.ts';
import type { NewJob } from '../../../platform/jobs/job-repository.ts';
import { lockOrder, ORDER_QUEUE } from '../index.ts';
import { failRequest } from './fail-request.ts';
import { findRequest } from './repository.ts';
import type { WorkspacesContext } from './workspaces-context.ts';

const REQUEST_TIMEOUT = 'workspace.request_timeout';

export function timeoutJob(orderId: OrderId, requestId: DeliverableId, answerBy: Date): NewJob {
  return {
    kind: REQUEST_TIMEOUT,
    queue: ORDER_QUEUE,
    payload: { order_id: orderId, request_id: requestId },
    uniqueKey: `${REQUEST_TIMEOUT}:${requestId}:${answerBy.getTime()}`,
    runAt: answerBy,
  };
}

export function requestTimeouts(context: WorkspacesContext): JobDefinition {
  return defineJob({
    kind: REQUEST_TIMEOUT,
    queue: ORDER_QUEUE,
    payload: z.object({ order_id: z.string(), request_id: z.string() }),
    retryAfterSeconds: [1, 5, 30, 60, 300, 3600],
    async run({ order_id: orderId, request_id: id }, attempt) {
      await context.database.transaction(async (tx) => {
        await requireKnownDatabase(tx);
        const order = await lockOrder(tx, orderId);
        if (order !== undefined) {
          const request = await findRequest(tx, order.id, id as DeliverableId);
          // A request that got more time has a second job. `failRequest` ignores answered ones.
          if (request.answerBy !== null && request.answerBy <= order.now) {
            await failRequest(tx, context, order, request.id, 'The agent did not answer in time.');
          }
        }
        await attempt.complete(tx);
      });
    },
  });
}
