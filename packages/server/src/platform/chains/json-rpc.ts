/**
 * JSON-RPC client for nodes that others run. It has a deadline per call, limited and validated answers, retries on other nodes, and a
 * circuit breaker.
 */
import type { NetworkName } from '@market/contract';
import { z } from 'zod';
import { ChainUnavailable } from './chain.ts';
import { remainingPatience, spendPatience } from './node-patience.ts';

export interface JsonRpcClient {
  /** Throws `RpcError` when the node answered with an error, `ChainUnavailable` when no node gave a usable answer. */
  call<T>(method: string, params: readonly unknown[], result: z.ZodType<T>): Promise<T>;
}

export interface JsonRpcOptions {
  readonly network: NetworkName;
  /** Tried in this order. */
  readonly urls: readonly string[];
  readonly timeoutMs?: number;
  readonly tries?: number;
}

export class RpcError extends Error {
  readonly code: number;
  readonly data: unknown;
  /** An earlier try of this call got no answer but may have been executed, so the error may be an effect of that try. */
  readonly isRepeat: boolean;

  constructor(code: number, message: string, data: unknown, isRepeat = false) {
    super(message);
    this.name = 'RpcError';
    this.code = code;
    this.data = data;
    this.isRepeat = isRepeat;
  }
}

const MAX_ANSWER_BYTES = 8 * 1024 * 1024;
const FAILURES_TO_OPEN = 5;
const OPEN_MS = 5_000;
const BACKOFF_MS = 150;

const answerSchema = z.object({
  id: z.union([z.number(), z.string(), z.null()]).optional(),
  result: z.unknown().optional(),
  error: z.object({ code: z.number(), message: z.string(), data: z.unknown().optional() }).nullish(),
});

export function createJsonRpcClient(options: JsonRpcOptions): JsonRpcClient {
  const { network, timeoutMs = 4_000, tries = 3 } = options;
  const nodes = options.urls.map(createNode);
  let nextId = 0;

  return {
    async call(method, params, result) {
      const failures: unknown[] = [];
      let isRepeat = false;
      for (let attempt = 0; attempt < tries; attempt++) {
        const node = nodes[attempt % nodes.length];
        if (node === undefined) break;
        if (node.isOpen()) {
          failures.push('resting after failures');
          continue;
        }
        const patienceMs = remainingPatience();
        if (patienceMs === undefined) {
          failures.push('this request has waited long enough for its nodes');
          break;
        }
        const askedAt = performance.now();
        let answered = false;
        try {
          const id = ++nextId;
          const answer = await node.ask({ jsonrpc: '2.0', id, method, params }, Math.min(timeoutMs, patienceMs));
          answered = true;
          return readResult(answer, { id, result, isRepeat });
        } catch (error) {
          // The node answered with an error, and a retry would get the same error.
          if (error instanceof RpcError) throw error;
          failures.push(error);
          isRepeat = true;
          await new Promise((resolve) => setTimeout(resolve, BACKOFF_MS * 2 ** attempt));
        } finally {
          spendPatience(performance.now() - askedAt, answered);
        }
      }
      throw new ChainUnavailable(network, `no node answered ${method}`, failures.at(-1));
    },
  };
}

interface Question<T> {
  readonly id: number;
  readonly result: z.ZodType<T>;
  readonly isRepeat: boolean;
}

function readResult<T>(answer: unknown, { id, result, isRepeat }: Question<T>): T {
  const { id: answeredId, error, result: value } = answerSchema.parse(answer);
  if (answeredId !== id) throw new Error('the answer belongs to another request');
  if (error) throw new RpcError(error.code, error.message, error.data, isRepeat);
  return result.parse(value ?? null);
}

interface Node {
  isOpen(): boolean;
  ask(request: object, timeoutMs: number): Promise<unknown>;
}

function createNode(url: string): Node {
  let failures = 0;
  let openUntil = 0;
  return {
    isOpen: () => performance.now() < openUntil,
    async ask(request, timeoutMs) {
      try {
        const answer = await exchange(url, request, timeoutMs);
        failures = 0;
        return answer;
      } catch (error) {
        failures += 1;
        if (failures >= FAILURES_TO_OPEN) openUntil = performance.now() + OPEN_MS;
        throw error;
      }
    },
  };
}

async function exchange(url: string, request: object, timeoutMs: number): Promise<unknown> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(request),
    redirect: 'error',
    signal: AbortSignal.timeout(Math.ceil(timeoutMs)),
  });
  const text = await readBounded(response);
  // Some nodes send JSON-RPC errors with HTTP 4xx, so read the body whatever the status.
  try {
    return JSON.parse(text);
  } catch {
    throw new Error(`the node answered ${response.status} without JSON`);
  }
}

async function readBounded(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > MAX_ANSWER_BYTES) throw new Error('the node’s answer is too large');
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}
