/** JSON-RPC 2.0: error codes, and for the anonymous MCP endpoint reading a message and the two kinds of answer. */
import { MarketError } from '@market/contract';
import { parseJsonBody } from '../rest/json-body.ts';

export const rpcCodes = { parse: -32700, request: -32600, method: -32601, params: -32602, internal: -32603 } as const;

/** The error code for an HTTP status: the call was wrong, or we cannot answer it now. */
export function rpcCodeOf(status: number): number {
  return status === 429 || status >= 500 ? rpcCodes.internal : rpcCodes.params;
}

export type RpcId = string | number | null;

export interface RpcCall {
  readonly id: RpcId;
  /** True for a message without an id, which gets no answer. */
  readonly isNotification: boolean;
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
}

export class RpcError extends Error {
  readonly code: number;
  readonly id: RpcId;

  constructor(code: number, message: string, id: RpcId = null) {
    super(message);
    this.code = code;
    this.id = id;
  }
}

export function readRpcCall(bytes: Buffer | undefined): RpcCall {
  const message = parse(bytes);
  if (Array.isArray(message)) throw new RpcError(rpcCodes.request, 'This endpoint takes no batches. Send one message per request.');
  if (!isRecord(message)) throw new RpcError(rpcCodes.request, 'The body must be one JSON-RPC 2.0 message.');
  const id = readId(message);
  const { jsonrpc, method, params } = message;
  if (jsonrpc !== '2.0') throw new RpcError(rpcCodes.request, 'jsonrpc must be "2.0".', id);
  if (typeof method !== 'string') throw new RpcError(rpcCodes.request, 'method must be a text.', id);
  if (params !== undefined && !isRecord(params)) throw new RpcError(rpcCodes.params, 'params must be an object.', id);
  return { id, isNotification: message['id'] === undefined, method, params: params ?? {} };
}

export function rpcResult(id: RpcId, result: object): object {
  return { jsonrpc: '2.0', id, result };
}

export function rpcError({ id, code, message }: RpcError): object {
  return { jsonrpc: '2.0', id, error: { code, message } };
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

function parse(bytes: Buffer | undefined): unknown {
  if (bytes === undefined || bytes.length === 0) throw new RpcError(rpcCodes.parse, 'The body is empty.');
  try {
    return parseJsonBody(bytes);
  } catch (error) {
    if (!(error instanceof MarketError)) throw error;
    // Hostile JSON (too deep, too many fields, `__proto__`) is a bad request; anything else here is not JSON.
    const isJson = error.code === 'invalid_input' || error.code === 'json_too_deep';
    throw new RpcError(isJson ? rpcCodes.request : rpcCodes.parse, error.message);
  }
}

function readId({ id }: Readonly<Record<string, unknown>>): RpcId {
  if (id === undefined || id === null || typeof id === 'string' || typeof id === 'number') return id ?? null;
  throw new RpcError(rpcCodes.request, 'id must be a text or a number.');
}
