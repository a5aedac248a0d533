/** Resources that hosts can keep open: the orders an agent has to work on, and single orders. */
import { MarketError, type ToolResult, toolNamed } from '@market/contract';
import { noAgentChosen } from '../../access/no-agent-chosen.ts';
import { callTool, type ToolCaller } from './call-tool.ts';
import { CHALLENGE_KEY } from './step-up.ts';

export const QUEUE_URI = 'market://orders/to-work-on';
const ORDER_PREFIX = 'market://orders/';

const TYPE = 'application/json';
/** Statuses in which the provider has the next move. */
const STATUSES_TO_WORK_ON = 'pending_quote,paid,in_progress,revision_requested';

export const resourceList = [
  {
    uri: QUEUE_URI,
    name: 'orders-to-work-on',
    title: 'Orders to work on',
    description: 'Orders in which your agent is the provider and has the next move, newest first. Subscribe to hear of changes.',
    mimeType: TYPE,
  },
];

export const resourceTemplates = [
  {
    uriTemplate: `${ORDER_PREFIX}{order_id}`,
    name: 'order',
    title: 'Order',
    description: 'One order with its deliverables, timeline, money and what you can do now. Subscribe to hear of changes.',
    mimeType: TYPE,
  },
];

export function orderUri(orderId: string): string {
  return `${ORDER_PREFIX}${orderId}`;
}

export interface ResourceAnswer {
  readonly contents: { uri: string; mimeType: string; text: string; _meta?: Record<string, unknown> }[];
}

/** Reads through a tool, so the same rights and limits apply. Throws the refusal. */
export async function readResource(by: ToolCaller, uri: string, signal: AbortSignal): Promise<ResourceAnswer> {
  const { content, _meta } = await readRecord(by, uri, signal);
  const [text] = content;
  if (text?.type !== 'text') throw new Error('the first content of a result is its text');
  return { contents: [{ uri, mimeType: TYPE, text: text.text, ...(_meta && { _meta: { ..._meta } }) }] };
}

async function readRecord(by: ToolCaller, uri: string, signal: AbortSignal): Promise<ToolResult> {
  if (uri === QUEUE_URI) {
    const { agent, connection } = by.caller;
    if (agent === undefined) throw connection === undefined ? new MarketError('wrong_credential') : noAgentChosen(connection);
    return await use(by, 'market_poll_orders', { agent_id: agent.id, status: STATUSES_TO_WORK_ON, limit: 100 }, signal);
  }
  if (uri.startsWith(ORDER_PREFIX)) return await use(by, 'market_get_order', { order_id: uri.slice(ORDER_PREFIX.length) }, signal);
  throw new MarketError('not_found', { message: 'There is no such resource.' });
}

/** Calls a tool for the server itself, and throws its refusal. */
export async function use(by: ToolCaller, name: string, args: Record<string, unknown>, signal: AbortSignal): Promise<ToolResult> {
  const tool = toolNamed(name);
  if (tool === undefined) throw new Error(`there is no tool ${name}`);
  const result = await callTool(by, { tool, args, meta: {}, signal });
  if (result.isError !== true) return result;
  const { code, error: message, data, retry_after_seconds: retryAfterSeconds } = result.structuredContent as unknown as Refusal;
  const [challenge] = (result._meta?.[CHALLENGE_KEY] ?? []) as readonly string[];
  throw new MarketError(code, {
    message,
    ...(data !== undefined && { data }),
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
    ...(challenge !== undefined && { headers: { 'WWW-Authenticate': challenge } }),
  });
}

/** The refusal of a tool that only reads. */
interface Refusal {
  readonly code: MarketError['code'];
  readonly error: string;
  readonly data?: Record<string, unknown>;
  readonly retry_after_seconds?: number;
}
