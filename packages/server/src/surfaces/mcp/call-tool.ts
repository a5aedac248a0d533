/** Runs one call of a tool through the executor, as every transport does. */
import { challengeResult, errorResult, MarketError, type Tool, type ToolRefusal, type ToolResult } from '@market/contract';
import type { Logger } from '../../platform/telemetry/logger.ts';
import type { Metrics } from '../../platform/telemetry/metrics.ts';
import type { Executor } from '../execute-operation.ts';
import { marketErrorOf } from '../rest/error-answer.ts';
import type { McpCaller } from './authenticate.ts';
import { decodeHeader, PAYMENT_KEY, paymentArguments, receiptOf } from './payment-meta.ts';
import { CHALLENGE_KEY, scopesToAskFor } from './step-up.ts';
import { traceOf } from './trace.ts';

/** The `_meta` key that names the budget session of a call that pays, as X-Budget-Session does over HTTP. */
const BUDGET_KEY = 'market/budget';

export interface ToolCaller extends McpCaller {
  readonly executor: Executor;
  readonly log: Logger;
  readonly metrics: Pick<Metrics, 'toolFinished'>;
  /** Runs follow-up work of a command after its answer. */
  readonly afterAnswer: (work: readonly (() => Promise<void>)[]) => void;
  /** Describes how a client gets a token with this scope. */
  readonly stepUp: (scope: string, words: string) => string;
}

export interface ToolRequest {
  readonly tool: Tool;
  readonly args: Readonly<Record<string, unknown>>;
  readonly meta: Readonly<Record<string, unknown>>;
  readonly signal: AbortSignal;
}

/** Writes one log line and one observation for every call, as REST does for every request. */
export async function callTool(by: ToolCaller, request: ToolRequest): Promise<ToolResult> {
  const startedAt = performance.now();
  const log = by.log.child({ tool: request.tool.name, ...traceOf(request.meta) });
  const result = await execute({ ...by, log }, request);
  const milliseconds = performance.now() - startedAt;
  const status = result.isError === true ? Number(result.structuredContent['status'] ?? 402) : 200;
  by.metrics.toolFinished(request.tool.name, status === 200 ? 'done' : status === 500 ? 'failed' : 'refused', milliseconds);
  log.info(
    { status, code: result.isError === true ? result.structuredContent['code'] : undefined, ms: Math.round(milliseconds * 10) / 10 },
    'tool',
  );
  return result;
}

async function execute(by: ToolCaller, { tool, args: given, meta, signal }: ToolRequest): Promise<ToolResult> {
  const sent = new Map<string, string>();
  try {
    const { args, idempotencyKey, signature } = tool.toArguments(given);
    const result = await by.executor.execute({
      operation: tool.operation,
      args: { ...args, ...paymentArguments(tool.operation, meta[PAYMENT_KEY]) },
      credentials: { ...by.credentials, ...(signature && { signature: { from: 'body', ...signature } }) },
      // A signature among the arguments is a further credential: the resolver must see both.
      ...(signature === undefined && { resolved: by.caller }),
      idempotencyKey,
      budgetSession: budgetOf(meta),
      log: by.log,
      gone: () => signal,
      responseMetadata: { setCookie: () => undefined, setHeader: (name, value) => void sent.set(name.toUpperCase(), value) },
    });
    by.afterAnswer(result.afterAnswer);
    return withMeta(tool.toResult(result.answer), { ...receiptOf(sent), ...(result.replayed && { 'market/replayed': true }) });
  } catch (thrown) {
    return refusalOf(by, thrown);
  }
}

/** The budget session that pays for this call. A value of another type becomes a text that matches no session. */
function budgetOf(meta: Readonly<Record<string, unknown>>): string | undefined {
  const budget = meta[BUDGET_KEY];
  return budget === undefined ? undefined : String(budget);
}

/** Returns a refusal as a result, because the calling model reads results and can correct the call. */
function refusalOf(by: ToolCaller, thrown: unknown): ToolResult {
  const error = marketErrorOf(thrown);
  if (error.kind === 'internal' || (error.kind === 'unavailable' && !(thrown instanceof MarketError))) {
    by.log.error({ err: thrown }, 'a tool failed');
  }
  const headers = new Map(Object.entries(error.headers).map(([name, value]) => [name.toUpperCase(), value]));
  const challenge = decodeHeader(headers.get('PAYMENT-REQUIRED'));
  if (challenge !== undefined && error.code !== 'sign_in_required') return withMeta(challengeResult(challenge), receiptOf(headers));
  const result = errorResult({
    code: error.code,
    status: error.status,
    message: error.message,
    ...detailsOf(error),
    retryAfterSeconds: error.retryAfterSeconds,
  });
  return withMeta(result, { ...receiptOf(headers), ...stepUpOf(by, error) });
}

/** Commands may offer next actions in `data`; the result shows them beside `data`. */
function detailsOf({ data, extras }: MarketError): Pick<ToolRefusal, 'data' | 'next_actions'> {
  const { next_actions: offered, ...rest } = data ?? {};
  if (!Array.isArray(offered) || offered.length === 0) return { data: data ?? extras };
  return { data: rest, next_actions: offered };
}

/** The challenge for hosts that can ask the person for further scopes. */
function stepUpOf({ stepUp }: ToolCaller, error: MarketError): Record<string, unknown> {
  const scope = scopesToAskFor(error);
  return scope === undefined ? {} : { [CHALLENGE_KEY]: [stepUp(scope, error.message)] };
}

function withMeta(result: ToolResult, meta: Readonly<Record<string, unknown>>): ToolResult {
  return Object.keys(meta).length === 0 ? result : { ...result, _meta: { ...result._meta, ...meta } };
}
