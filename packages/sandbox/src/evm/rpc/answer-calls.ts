// Turns JSON-RPC 2.0 text into its answer: single calls, batches, notifications, and malformed input.

import { INTERNAL_ERROR, INVALID_PARAMS, INVALID_REQUEST, PARSE_ERROR, RpcError } from './rpc-error.ts';

export type CallHandler = (method: string, params: readonly unknown[]) => Promise<unknown>;

type Id = string | number | null;

const MAX_CALLS = 1_000;

/** Returns undefined if the text holds only notifications, which have no id and get no answer. */
export async function answerCalls(text: string, handle: CallHandler, log: (message: string) => void): Promise<string | undefined> {
  const body = parse(text);
  if (body === undefined) return refuse(null, new RpcError(PARSE_ERROR, 'parse error'));
  if (!Array.isArray(body)) return answerCall(body, handle, log);
  if (body.length === 0) return refuse(null, new RpcError(INVALID_REQUEST, 'empty batch'));
  if (body.length > MAX_CALLS) return refuse(null, new RpcError(INVALID_REQUEST, `batch too large: at most ${MAX_CALLS} calls`));
  const answers = await Promise.all(body.map((call) => answerCall(call, handle, log)));
  const wanted = answers.filter((answer) => answer !== undefined);
  return wanted.length === 0 ? undefined : `[${wanted.join(',')}]`;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

async function answerCall(call: unknown, handle: CallHandler, log: (message: string) => void): Promise<string | undefined> {
  if (typeof call !== 'object' || call === null || !('method' in call) || typeof call.method !== 'string') {
    return refuse(null, new RpcError(INVALID_REQUEST, 'invalid request'));
  }
  const id = 'id' in call && (typeof call.id === 'string' || typeof call.id === 'number') ? call.id : null;
  const wantsAnswer = 'id' in call;
  const params = ('params' in call ? call.params : undefined) ?? [];
  try {
    if (!Array.isArray(params)) throw new RpcError(INVALID_PARAMS, 'non-array args');
    const result = await handle(call.method, params);
    return wantsAnswer ? JSON.stringify({ jsonrpc: '2.0', id, result: result ?? null }) : undefined;
  } catch (error) {
    if (!(error instanceof RpcError)) log(`${call.method} failed: ${error instanceof Error ? error.stack : error}`);
    const known = error instanceof RpcError ? error : new RpcError(INTERNAL_ERROR, 'internal error');
    return wantsAnswer ? refuse(id, known) : undefined;
  }
}

function refuse(id: Id, { code, message, data }: RpcError): string {
  return JSON.stringify({ jsonrpc: '2.0', id, error: { code, message, data } });
}
