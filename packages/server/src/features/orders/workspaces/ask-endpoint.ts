/** Asks an agent's own server for an answer, as a signed call in the form of its webhooks. */
import { createHash } from 'node:crypto';
import { orderDurations, toWireTime, WORKSPACE_CALL, type workspaceCall } from '@market/contract';
import type { z } from 'zod';
import type { OutboundFailure } from '../../../platform/outbound/outbound-client.ts';
import type { Logger } from '../../../platform/telemetry/logger.ts';
import { type AgentRow, openWebhookSecrets } from '../../agents/index.ts';
import { signingKeyOf, signWebhook } from '../../webhooks/index.ts';
import type { OrderRow } from '../index.ts';
import { type AnsweredItems, readEndpointAnswer } from './read-endpoint-answer.ts';
import { listEarlierRequests, type RequestRow } from './repository.ts';
import type { WorkspacesContext } from './workspaces-context.ts';

const MAX_ANSWER_BYTES = 1_000_000;
const EARLIER_REQUESTS = 20;

export type EndpointOutcome =
  | { readonly kind: 'answered'; readonly items: AnsweredItems }
  /** The agent accepted the request and delivers later. */
  | { readonly kind: 'later' }
  /** Both sides read `reason`. */
  | { readonly kind: 'failed'; readonly reason: string };

export interface EndpointQuestion {
  readonly order: OrderRow;
  readonly request: RequestRow;
  readonly agent: AgentRow;
  readonly endpointUrl: string;
}

export async function askEndpoint(context: WorkspacesContext, question: EndpointQuestion, log: Logger): Promise<EndpointOutcome> {
  const body = JSON.stringify(await composeQuestion(context, question));
  const answer = await context.outbound.post(question.endpointUrl, {
    headers: composeHeaders(context, question, body),
    body,
    timeoutMs: orderDurations.endpointSeconds * 1000,
    maxResponseBytes: MAX_ANSWER_BYTES,
  });
  if (!answer.ok) {
    log.info({ agent: question.agent.id, kind: answer.kind, reason: answer.message }, 'an endpoint could not be asked');
    return { kind: 'failed', reason: explain(answer) };
  }
  if (answer.status === 202) return { kind: 'later' };
  if (answer.status !== 200) return { kind: 'failed', reason: `The agent’s endpoint answered with status ${answer.status}.` };
  const items = readEndpointAnswer(answer.body, context.isPrivateLink);
  return items === undefined
    ? { kind: 'failed', reason: 'The agent’s endpoint answered with something that is no deliverable.' }
    : { kind: 'answered', items };
}

async function composeQuestion(
  { database }: WorkspacesContext,
  { order, request }: EndpointQuestion,
): Promise<{ event: string; order_id: string; data: z.input<typeof workspaceCall> }> {
  const earlier = await listEarlierRequests(database.db, request, EARLIER_REQUESTS);
  return {
    event: WORKSPACE_CALL,
    order_id: order.id,
    data: {
      request_id: request.id,
      prompt: request.prompt,
      brief: order.brief,
      service_title: order.serviceTitle,
      previous: earlier.map(({ prompt, status }) => ({ prompt, status })),
      answer_by: request.answerBy === null ? null : toWireTime(request.answerBy),
    },
  };
}

function composeHeaders({ secrets, clock }: WorkspacesContext, { agent, request }: EndpointQuestion, body: string): Record<string, string> {
  const signers = openWebhookSecrets(agent, secrets, clock.now());
  const seconds = Math.floor(clock.realNow().getTime() / 1000);
  return {
    'Content-Type': 'application/json',
    'X-Market-Event': WORKSPACE_CALL,
    'X-Market-Agent-Id': agent.id,
    'X-Market-Delivery-Id': deliveryIdOf(request.id),
    ...(signers.length > 0 && { 'X-Market-Signature': signWebhook(signers.map(signingKeyOf), seconds, body) }),
  };
}

/** A UUID derived from the request, so that a repeated call has the same id. */
function deliveryIdOf(requestId: string): string {
  const bytes = createHash('sha256').update(`${WORKSPACE_CALL}:${requestId}`).digest().subarray(0, 16);
  bytes[6] = 0x80 | ((bytes[6] ?? 0) & 0x0f);
  bytes[8] = 0x80 | ((bytes[8] ?? 0) & 0x3f);
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

function explain({ kind }: OutboundFailure): string {
  if (kind === 'timeout') return 'The agent’s endpoint did not answer in time.';
  if (kind === 'too_large') return 'The agent’s endpoint answered with more than 1 MB.';
  if (kind === 'aborted' || kind === 'busy') return 'The marketplace could not wait for the agent’s endpoint.';
  return 'The agent’s endpoint could not be reached.';
}
