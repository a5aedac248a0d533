/**
 * The Tasks extension (SEP-2663): every order is a task. It is working until the order is completed or cancelled; its result is then the
 * order as `market_get_order` shows it. The SDK leaves the methods of the extension to the server.
 */
import { MarketError, type Tool, type ToolResult } from '@market/contract';
import {
  MissingRequiredClientCapabilityError,
  ProtocolError,
  ProtocolErrorCode,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { ToolCaller } from './call-tool.ts';
import { protocolErrorOf } from './protocol-error.ts';
import { use } from './resources.ts';

export const TASKS_EXTENSION = 'io.modelcontextprotocol/tasks';
const RELATED_TASK_KEY = 'io.modelcontextprotocol/related-task';

const POLL_MS = 30_000;
const acknowledged = { resultType: 'complete' } as const;
const ofTask = z.looseObject({ taskId: z.string().min(1).max(80) });

interface OrderRecord {
  readonly status: string;
  readonly created_at: string;
  readonly updated_at: string;
}

export function addOrderTasks(server: Server, by: ToolCaller, hasExtension: (context: ServerContext) => boolean): void {
  const requireExtension = (context: ServerContext): void => {
    if (hasExtension(context)) return;
    throw new MissingRequiredClientCapabilityError({ requiredCapabilities: { extensions: { [TASKS_EXTENSION]: {} } } });
  };

  server.setRequestHandler('tasks/get', { params: ofTask }, async ({ taskId }, context) => {
    requireExtension(context);
    const { signal } = context.mcpReq;
    return taskOf(taskId, await readOrder(by, taskId, signal));
  });

  server.setRequestHandler('tasks/cancel', { params: ofTask }, async ({ taskId }, context) => {
    requireExtension(context);
    const { signal } = context.mcpReq;
    const { status } = orderIn(await readOrder(by, taskId, signal));
    if (!isOver(status)) await cancel(by, taskId, signal);
    return acknowledged;
  });

  // An order asks its buyer nothing through its task: messages and approvals have their own tools.
  server.setRequestHandler('tasks/update', { params: ofTask }, async ({ taskId }, context) => {
    requireExtension(context);
    const { signal } = context.mcpReq;
    await readOrder(by, taskId, signal);
    return acknowledged;
  });
}

/** Adds to the result the task id of the order just placed, for clients that know tasks. */
export function withRelatedTask({ operation }: Tool, result: ToolResult): ToolResult {
  const { order_id: taskId } = (result.structuredContent['data'] ?? {}) as { order_id?: unknown };
  if (operation.spec.effects.kind !== 'pay' || typeof taskId !== 'string') return result;
  return { ...result, _meta: { ...result._meta, [RELATED_TASK_KEY]: { taskId } } };
}

async function readOrder(by: ToolCaller, taskId: string, signal: AbortSignal): Promise<ToolResult> {
  try {
    return await use(by, 'market_get_order', { order_id: taskId }, signal);
  } catch (error) {
    if (!(error instanceof MarketError)) throw error;
    if (error.status !== 404 && error.code !== 'not_your_order') throw protocolErrorOf(error);
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'There is no such task. A task is an order of yours, by its id.');
  }
}

/** A refused cancellation must not be acknowledged: the order continues, and the client must know. */
async function cancel(by: ToolCaller, taskId: string, signal: AbortSignal): Promise<void> {
  try {
    await use(by, 'market_cancel_order', { order_id: taskId }, signal);
  } catch (error) {
    if (!(error instanceof MarketError)) throw error;
    throw protocolErrorOf(error);
  }
}

function orderIn({ structuredContent }: ToolResult): OrderRecord {
  return (structuredContent['data'] as { order: OrderRecord }).order;
}

function isOver(status: string): boolean {
  return status === 'completed' || status === 'cancelled';
}

function taskOf(taskId: string, result: ToolResult): Record<string, unknown> {
  const { status, created_at, updated_at } = orderIn(result);
  return {
    ...acknowledged,
    taskId,
    status: isOver(status) ? status : 'working',
    statusMessage: wordsFor(status),
    createdAt: isoTime(created_at),
    lastUpdatedAt: isoTime(updated_at),
    // Orders are never deleted.
    ttlMs: null,
    pollIntervalMs: POLL_MS,
    ...(status === 'completed' && { result: { ...acknowledged, ...result } }),
  };
}

function wordsFor(status: string): string {
  if (status === 'delivered') return 'delivered: approve it, or ask for changes';
  if (status === 'quoted') return 'quoted: pay, or cancel it';
  return status.replaceAll('_', ' ');
}

/** Converts the records' `YYYY-MM-DD HH:MM:SS` in UTC. */
function isoTime(wireTime: string): string {
  return `${wireTime.replace(' ', 'T')}Z`;
}
