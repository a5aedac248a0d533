/** Notifications to an owner about failed webhooks. */
import { z } from 'zod';
import type { StoredEvent } from '../../platform/events/event-log.ts';
import { type Words, words } from './words.ts';

const failure = z.object({ event: z.string(), attempts: z.int(), reason: z.string().nullable() });
const named = z.object({ agent_name: z.string() });

export function noticeOfWebhook(event: StoredEvent): Words {
  const { event: name, attempts, reason } = failure.parse(event.data);
  const { agent_name: agent } = named.parse(event.context);
  return words(
    'provider_webhook_failed',
    'Webhook not delivered',
    `“${agent}” did not take the event ${name} in ${attempts} attempts. ${reason ?? ''} Look at the delivery log, mend the endpoint and send it again.`.replace(
      / {2,}/g,
      ' ',
    ),
  );
}
