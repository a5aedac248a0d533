/** For tests of the client: a service with prepared replies, and a wallet that records the texts it signed. */
import assert from 'node:assert/strict';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import { MarketApiError } from './index.ts';

interface Seen {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: unknown;
}

interface Reply {
  readonly status?: number;
  readonly headers?: Record<string, string>;
  readonly body?: unknown;
  /** Instead of answering, drop the connection (`drop`) or never answer (`hang`). */
  readonly instead?: 'drop' | 'hang';
}

/** Starts a server that gives the prepared replies in turn, the last one repeatedly, and records requests. */
export async function serve(t: TestContext, ...replies: Reply[]): Promise<{ baseUrl: string; seen: Seen[] }> {
  const seen: Seen[] = [];
  const server = createServer(async (request, response) => {
    const text = Buffer.concat(await request.toArray()).toString();
    const reply = replies[Math.min(seen.length, replies.length - 1)] ?? {};
    seen.push({
      method: request.method ?? '',
      url: request.url ?? '',
      headers: request.headers,
      body: text === '' ? undefined : request.headers['content-type'] === 'application/json' ? JSON.parse(text) : text,
    });
    if (reply.instead === 'drop') request.socket.destroy();
    if (reply.instead !== undefined) return;
    response.writeHead(reply.status ?? 200, { 'content-type': 'application/json', ...reply.headers });
    response.end(typeof reply.body === 'string' ? reply.body : JSON.stringify(reply.body ?? { success: true, data: {} }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen };
}

export async function failureOf(call: Promise<unknown>): Promise<MarketApiError> {
  const error = await call.then(
    () => assert.fail('The call should have failed.'),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof MarketApiError, String(error));
  return error;
}

export const refused = (status: number, code: string, more: object = {}) => ({
  status,
  body: { success: false, error: 'No.', code, request_id: 'req_1', ...more },
});

const wallet = {
  address: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
  asked: [] as string[],
  async signMessage(text: string) {
    this.asked.push(text);
    return `signed ${this.asked.length}`;
  },
};

export function freshWallet(): typeof wallet {
  return { ...wallet, asked: [] };
}
