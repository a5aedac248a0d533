/**
 * The conformance suite cannot send credentials. This proxy adds an API key to messages; all else, Host and Origin included,
 * stays as sent.
 */
import { createServer, request as forward, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Target {
  readonly url: string;
  readonly key: string;
}

export interface AuthorizingProxy {
  readonly url: string;
  /** Sets where requests go, and the key they carry. */
  forwardTo(target: Target): void;
  close(): void;
}

export async function openAuthorizingProxy(): Promise<AuthorizingProxy> {
  let target: Target | undefined;
  const server = createServer((incoming, outgoing) => {
    if (target === undefined) return void outgoing.writeHead(503).end();
    const isMessage = incoming.url === '/mcp';
    const headers = { ...incoming.headers, ...(isMessage && { authorization: `Bearer ${target.key}` }) };
    const sent = forward(new URL(incoming.url ?? '/', target.url), { method: incoming.method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
      answer.pipe(outgoing);
    });
    sent.on('error', () => outgoing.destroy());
    outgoing.on('close', () => sent.destroy());
    incoming.pipe(sent);
  });
  return {
    url: await listen(server),
    forwardTo(next) {
      target = next;
    },
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
