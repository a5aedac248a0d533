/**
 * The buyer of a workspace asks for something. A first transaction takes the quota, then the agent's endpoint is asked outside of any
 * transaction, and a second one writes the outcome. If the process dies in between, the request's timeout fails it.
 */
import { type AgentId, MarketError, type OperationAnswer, type Operations, orderDurations } from '@market/contract';
import type { Call, HandlersOf } from '../../../access/call.ts';
import type { Caller } from '../../../access/caller.ts';
import { refuseBannedMeanwhile } from '../../../access/refuse-banned.ts';
import { reachCrashPoint } from '../../../platform/crash-points.ts';
import type { Db, Tx } from '../../../platform/db/database.ts';
import { enqueueJobs } from '../../../platform/jobs/job-repository.ts';
import { type AgentRow, findAgent } from '../../agents/index.ts';
import {
  type Actor,
  lockForCommand,
  type OrderRow,
  presentRequested,
  requireActor,
  requireAllowed,
  requireLockedOrder,
  requireOrder,
} from '../index.ts';
import { answerRequest } from './answer-request.ts';
import { askEndpoint, type EndpointOutcome } from './ask-endpoint.ts';
import { failRequest } from './fail-request.ts';
import { openRequest } from './open-request.ts';
import { findRequest, leavePending, type RequestRow } from './repository.ts';
import { timeoutJob } from './request-timeout.ts';
import type { WorkspacesContext } from './workspaces-context.ts';

const ENDPOINT_TIME_MS = orderDurations.endpointRequestMinutes * 60_000;
const ANSWER_TIME_MS = orderDurations.requestHours * 3_600_000;

type Answer = OperationAnswer<Operations['workspaces']['generate']>;

export function generate(context: WorkspacesContext): HandlersOf<'workspaces'>['generate'] {
  return async ({ id, prompt }, call) => {
    const { db } = context.database;
    const seen = await requireOrder(db, id);
    const actor = requireActor(call.caller, call.clientAddress, seen, 'generate');
    const agent = await requireAgent(db, seen.providerAgentId);
    const { endpointUrl } = agent;
    if (endpointUrl === null || !agent.active || agent.ownerBanned) {
      return await call.commit(async (tx) => {
        const { request } = await open(tx, context, id, actor, { prompt, status: 'pending', timeMs: ANSWER_TIME_MS });
        return await present(tx, context, request, call.caller);
      });
    }

    const opened = await context.database.transaction(
      async (tx) => await open(tx, context, id, actor, { prompt, status: 'generating', timeMs: ENDPOINT_TIME_MS }),
    );
    reachCrashPoint('generate.after_reserve');
    const outcome = await askEndpoint(context, { ...opened, agent, endpointUrl }, call.log);
    reachCrashPoint('generate.after_answer');
    const answer = await conclude(context, call, opened.request, agent, outcome);
    await refuseBannedMeanwhile(db, call.caller, call.clientAddress);
    return answer;
  };
}

async function requireAgent(db: Db, id: AgentId): Promise<AgentRow> {
  const agent = await findAgent(db, id);
  if (agent === undefined) throw new Error(`agent ${id} vanished`);
  return agent;
}

async function open(
  tx: Tx,
  context: WorkspacesContext,
  orderId: string,
  actor: Actor,
  wanted: { readonly prompt: string; readonly status: 'pending' | 'generating'; readonly timeMs: number },
): Promise<{ order: OrderRow; request: RequestRow }> {
  const { order, to } = await lockForCommand(tx, context, orderId, 'generate', actor);
  const answerBy = answerTime(order, wanted.timeMs);
  const request = await openRequest(tx, context, order, { prompt: wanted.prompt, status: wanted.status, answerBy, actor, to });
  await enqueueJobs(tx, [timeoutJob(order.id, request.id, answerBy)]);
  return { order, request };
}

/** No answers are accepted after the workspace has ended. */
function answerTime({ now, workspaceEndsAt }: OrderRow, timeMs: number): Date {
  const full = new Date(now.getTime() + timeMs);
  return workspaceEndsAt !== null && workspaceEndsAt < full ? workspaceEndsAt : full;
}

/** Stores only a success under the Idempotency-Key, so that the same key may try again after a failure. */
async function conclude(
  context: WorkspacesContext,
  call: Call,
  request: RequestRow,
  agent: AgentRow,
  outcome: EndpointOutcome,
): Promise<Answer> {
  if (outcome.kind === 'failed') return await fail(context, call, request, outcome.reason);
  try {
    return await call.commit(async (tx) => {
      await accept(tx, context, request, agent, outcome);
      return await present(tx, context, request, call.caller);
    });
  } catch (error) {
    if (!(error instanceof MarketError) || error.code === 'idempotency_in_flight') throw error;
    // The answer was refused: a foreign file, or a cancelled order. Nothing was written, so the request is still open.
    return await fail(context, call, request, `The agent’s answer could not be taken: ${error.message}`);
  }
}

async function accept(
  tx: Tx,
  context: WorkspacesContext,
  { id, orderId }: RequestRow,
  agent: AgentRow,
  outcome: Exclude<EndpointOutcome, { kind: 'failed' }>,
): Promise<void> {
  const order = await requireLockedOrder(tx, orderId);
  const { status } = await findRequest(tx, orderId, id);
  // The agent may have delivered meanwhile, or its endpoint took so long that the request has failed.
  if (status === 'completed') return;
  if (status === 'failed') throw new MarketError('no_open_request');
  const actor: Actor = { role: 'provider', name: `agent:${agent.id}` };
  requireAllowed(order, 'answer_request', actor);
  if ((await requireAgent(tx, agent.id)).ownerBanned)
    throw new MarketError('agent_not_hireable', { message: 'The agent was banned meanwhile.' });
  if (outcome.kind === 'answered') {
    await answerRequest(tx, context, order, { requestId: id, items: outcome.items, by: asCaller(agent), actor });
    return;
  }
  const answerBy = answerTime(order, ANSWER_TIME_MS);
  await leavePending(tx, id, answerBy);
  await enqueueJobs(tx, [timeoutJob(orderId, id, answerBy)]);
}

/** The agent as a caller: files its endpoint names must be its own uploads. */
function asCaller({ id, name, active, ownerWallet, ownerUserId }: AgentRow): Caller {
  return {
    agent: { id, name, active, ownerWallet, recordedOwnerWallet: ownerWallet, ownerUserId, keyRetired: false },
    byCookieOnly: false,
  };
}

async function fail(context: WorkspacesContext, call: Call, request: RequestRow, reason: string): Promise<Answer> {
  const answer = await context.database.transaction(async (tx) => {
    await failRequest(tx, context, await requireLockedOrder(tx, request.orderId), request.id, reason);
    return await present(tx, context, request, call.caller);
  });
  if (answer.data.deliverable.status === 'failed') throw new MarketError('generation_failed', { data: answer.data });
  // The agent delivered by itself before its endpoint gave up.
  return await call.commit(async () => answer);
}

async function present(tx: Tx, context: WorkspacesContext, { id, orderId }: RequestRow, caller: Caller): Promise<Answer> {
  const order = await requireLockedOrder(tx, orderId);
  const deliverable = await presentRequested(context, order, caller, await findRequest(tx, orderId, id));
  return { data: { deliverable, quota_used: order.quotaUsed, quota_total: order.quotaTotal } };
}
