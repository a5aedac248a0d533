/** The HTTP server of the signer: one path, a small body, and 401 for every request without the secret. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Logger } from '../telemetry/logger.ts';
import { FRESH_MS, isSameMac, MAC_HEADER, macOfAnswer, macOfRequest, SIGN_PATH, type SignAnswer, signRequest } from './signer-channel.ts';
import type { SignerService } from './signer-service.ts';

const MAX_BODY_BYTES = 4_096;

export interface SignerServerOptions {
  readonly service: SignerService;
  readonly secret: string;
  readonly log: Logger;
}

export function createSignerServer(options: SignerServerOptions): Server {
  /** Proofs of the requests of the last minute, so that none is accepted twice. */
  const taken = new Map<string, number>();
  const server = createServer((request, response) => {
    answer(options, taken, request, response).catch((error: unknown) => {
      options.log.error({ err: error }, 'the signer failed');
      if (!response.headersSent) response.writeHead(500).end();
    });
  });
  server.requestTimeout = 10_000;
  return server;
}

async function answer(
  { service, secret, log }: SignerServerOptions,
  taken: Map<string, number>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const body = await readBody(request);
  const mac = String(request.headers[MAC_HEADER] ?? '');
  const refuse = (why: string): void => {
    log.warn({ why, from: request.socket.remoteAddress }, 'the signer refused a request');
    response.writeHead(401, { 'content-type': 'application/json' }).end(JSON.stringify({ error: 'The request is not authentic.' }));
  };
  if (request.method !== 'POST' || request.url !== SIGN_PATH || body === undefined) return refuse('not a request to sign');
  if (!isSameMac(macOfRequest(secret, body), mac)) return refuse('wrong proof');
  const parsed = signRequest.safeParse(parseJson(body));
  if (!parsed.success) return refuse('wrong shape');
  const now = Date.now();
  if (Math.abs(now - parsed.data.sent_at) > FRESH_MS) return refuse('too old');
  for (const [known, at] of taken) if (now - at > 2 * FRESH_MS) taken.delete(known);
  if (taken.has(mac)) return refuse('sent before');
  taken.set(mac, now);
  const text = JSON.stringify((await service.answer(parsed.data)) satisfies SignAnswer);
  response.writeHead(200, { 'content-type': 'application/json', [MAC_HEADER]: macOfAnswer(secret, mac, text) }).end(text);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_BODY_BYTES) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
