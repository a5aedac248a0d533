/** Public API of webhooks. */
import { z } from 'zod';
import type { Database } from '../../platform/db/database.ts';
import { defineJob, type JobDefinition } from '../../platform/jobs/job.ts';
import { deleteFinishedBefore } from './log-repository.ts';

const KEPT_DAYS = 30;
const ONE_HOUR_SECONDS = 3600;

/** The log is kept for 30 days. */
export function clearDeliveriesJob({ db }: Database): JobDefinition {
  return defineJob({
    kind: 'webhooks.clear',
    payload: z.object({}),
    retryAfterSeconds: [],
    everySeconds: ONE_HOUR_SECONDS,
    run: async () => await deleteFinishedBefore(db, KEPT_DAYS),
  });
}

export { createWebhookDispatcher } from './dispatcher.ts';
export { webhookHandlers } from './operations.ts';
export { countOpenDeliveries } from './queue-repository.ts';
export { webhookRecorder } from './record-deliveries.ts';
export { signingKeyOf, signWebhook } from './sign-webhook.ts';
