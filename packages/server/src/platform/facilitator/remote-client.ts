/** HTTP to a configured facilitator: a deadline, a limited answer, no redirects, and an exact result of how far a call got. */
import { z } from 'zod';
import type { StandardPayment } from './facilitator.ts';

export type Asked =
  /** Well-formed JSON, whatever the status. */
  | { readonly state: 'answered'; readonly body: unknown }
  /** No connection: the request was not sent. */
  | { readonly state: 'unreached'; readonly why: string }
  /** The facilitator refused the call: wrong credentials, too many calls, unknown path. */
  | { readonly state: 'turned_away'; readonly why: string }
  /** The request was sent, but no usable answer came. */
  | { readonly state: 'lost'; readonly why: string };

export interface RemoteClient {
  /** Throws unless the answer is JSON with a success status. */
  get(path: string): Promise<unknown>;
  post(path: 'verify' | 'settle', payment: StandardPayment): Promise<Asked>;
}

const MOST_ANSWER_BYTES = 256 * 1024;

export function createRemoteClient(url: string, authorization: string | undefined, timeoutMs: number): RemoteClient {
  const headers = { 'content-type': 'application/json', ...(authorization === undefined ? {} : { authorization }) };
  const ask = async (path: string, request: RequestInit): Promise<Asked> => {
    try {
      const signal = AbortSignal.timeout(timeoutMs);
      const response = await fetch(`${url}/${path}`, { ...request, headers, redirect: 'error', signal });
      return judge(response.status, await readJson(response));
    } catch (error) {
      return wasUnreached(error) ? { state: 'unreached', why: 'no connection' } : { state: 'lost', why: 'no usable answer' };
    }
  };
  return {
    async get(path) {
      const asked = await ask(path, { method: 'GET' });
      if (asked.state === 'answered') return asked.body;
      throw new Error(`${url}/${path}: ${asked.why}`);
    },
    post: (path, { requirement, payload }) => {
      const paymentPayload = { x402Version: 2, accepted: requirement, payload };
      return ask(path, { method: 'POST', body: JSON.stringify({ x402Version: 2, paymentPayload, paymentRequirements: requirement }) });
    },
  };
}

const verdict = z.union([z.looseObject({ isValid: z.boolean() }), z.looseObject({ success: z.boolean() })]);

function judge(status: number, body: unknown): Asked {
  if (status < 300 || verdict.safeParse(body).success) return { state: 'answered', body };
  const why = `it answered ${status}`;
  return status >= 400 && status < 500 ? { state: 'turned_away', why } : { state: 'lost', why };
}

async function readJson(response: Response): Promise<unknown> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    if (size > MOST_ANSWER_BYTES) throw new Error('the answer is too large');
    chunks.push(chunk);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8'));
  } catch {
    return undefined;
  }
}

const BEFORE_CONNECTED = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'UND_ERR_CONNECT_TIMEOUT']);

function wasUnreached(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof Error && 'code' in cause && typeof cause.code === 'string' && BEFORE_CONNECTED.has(cause.code);
}
