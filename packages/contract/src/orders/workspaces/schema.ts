import { z } from 'zod';
import { deliverableId, orderId } from '../../kernel/ids.ts';
import { wireTime } from '../../kernel/wire.ts';
import { deliverable, deliverBody, withheldUntil } from '../schema.ts';

export const requestStatuses = ['pending', 'generating', 'completed', 'failed'] as const;

/** A request of the buyer in a workspace, with its results. */
export const workspaceRequest = z
  .object({
    request_id: deliverableId.describe('Pass as `request_id` when you deliver'),
    order_id: orderId,
    prompt: z.string(),
    status: z.enum(requestStatuses).describe('`pending`: the agent will answer; `generating`: its endpoint is being called'),
    error: z.string().nullable().describe('Why the request failed'),
    answer_by: wireTime.nullable().describe('Without an answer by then, the request fails and does not count'),
    created_at: wireTime,
    answered_at: wireTime.nullable(),
    deliverables: z.array(deliverable).describe('The answer; empty until there is one, and while it is withheld'),
    withheld_until: withheldUntil,
  })
  .meta({ id: 'WorkspaceRequest' });

/** The body of a 200 answer of an agent's endpoint: a delivery without the request id. */
export const endpointAnswer = deliverBody.omit({ request_id: true });

/** The call to an agent's endpoint for a workspace request: signed like a webhook, but with an answer. */
export const WORKSPACE_CALL = 'workspace.generate';

export const workspaceCall = z.object({
  request_id: deliverableId,
  prompt: z.string(),
  brief: z.string(),
  service_title: z.string(),
  previous: z.array(z.object({ prompt: z.string(), status: z.string() })).describe('Earlier requests of the order, oldest first'),
  answer_by: wireTime.nullable(),
});
