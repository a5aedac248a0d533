/** POST {app_url}/mcp: the unified MCP endpoint, over Streamable HTTP without sessions. */
import { Readable } from 'node:stream';
import { MarketError } from '@market/contract';
import type { McpHttpHandler, ServerEventBus } from '@modelcontextprotocol/server';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { cutOffStalled } from '../events/cut-off-stalled.ts';
import { goneSignal } from '../rest/client-abort.ts';
import { authenticate, type McpCaller } from './authenticate.ts';
import type { ToolCaller } from './call-tool.ts';
import type { FinishedMessage } from './finished-message.ts';
import { listenFor } from './listen.ts';
import { endpointUrl, LISTEN_PACE, MCP_PATH, type McpOptions } from './mcp-options.ts';
import { createReadyMessages } from './ready-messages.ts';
import { answerFailure, bearerChallenge, hostGuard, refuseBadBatch } from './refuse-http.ts';

const callers = new WeakMap<FastifyRequest, McpCaller>();

export function addMcpRoutes(app: FastifyInstance, options: McpOptions): void {
  const guardHost = hostGuard(options);
  const { stalledMs } = options.listenPace ?? LISTEN_PACE;
  const handler = openHandler(options);
  const ready =
    options.readyBytes === 0
      ? undefined
      : createReadyMessages({ ...options, calls: options.executor.calls, mostBytes: options.readyBytes });
  const errorHandler = (error: unknown, request: FastifyRequest, reply: FastifyReply) => answerFailure(options, error, request, reply);

  app.route({
    method: 'POST',
    url: MCP_PATH,
    errorHandler,
    onRequest: async (request, reply) => {
      if ((await guardHost(request, reply)) !== undefined) return reply;
      callers.set(request, await authenticate(request, options));
      return;
    },
    handler: async (request, reply) => {
      refuseBadBatch(request.body);
      const by = callers.get(request);
      if (by === undefined) throw new Error('the caller was resolved before');
      const question = ready?.read(request, by);
      const finished = question && (await ready?.find(question, by));
      if (question !== undefined && finished !== undefined) return await sendFinished(reply, finished, question.id);
      const response = await answer(await handler(), by, request, reply, options);
      if (ready === undefined || question === undefined) return await sendResponse(reply, response, stalledMs);
      const text = await response.text();
      ready.keep(question, { status: response.status, headers: headersOf(response) }, text);
      return await reply.code(response.status).headers(headersOf(response)).send(Buffer.from(text));
    },
  });

  // Without sessions, there is none to follow or to end.
  app.route({
    method: ['GET', 'DELETE'],
    url: MCP_PATH,
    exposeHeadRoute: false,
    errorHandler,
    handler: async (request, reply) => {
      if ((await guardHost(request, reply)) !== undefined) return reply;
      reply.header('Allow', 'POST, OPTIONS');
      throw new MarketError('method_not_allowed', { message: 'Send JSON-RPC messages by POST: this endpoint has no sessions.' });
    },
  });
}

interface OpenHandler {
  serve(exchange: Exchange, body: unknown, by: ToolCaller): Promise<Response>;
}

/** One HTTP request, with callbacks for its duration. */
interface Exchange {
  readonly request: Request;
  /** Registers work to run when the answer was sent or cut off. */
  readonly onClose: (work: () => void) => void;
  /** Called when the answer is a stream that may last for hours and no longer counts as a running request. */
  readonly startStream: () => void;
}

/** Only a single message opens a stream; a batch does not. */
function isListen(body: unknown): boolean {
  return (body as { method?: unknown } | null)?.method === 'subscriptions/listen';
}

/** Loads the library with the first message, because most processes start long before one arrives. */
function openHandler(options: McpOptions): () => Promise<OpenHandler> {
  let opened: Promise<OpenHandler> | undefined;
  return () => {
    opened ??= open(options);
    return opened;
  };
}

async function open(options: McpOptions): Promise<OpenHandler> {
  const { serviceName, fixtures, log } = options;
  const [{ createMcpHandler, Server }, { createMcpServer }] = await Promise.all([
    import('@modelcontextprotocol/server'),
    import('./mcp-server.ts'),
  ]);
  const makes = fixtures ? (await import('./fixtures/fixture-server.ts')).FixtureServer : Server;
  const handlerWith = (bus?: ServerEventBus): McpHttpHandler =>
    createMcpHandler(({ era, authInfo }) => createMcpServer({ serviceName, era, makes }, authInfo?.extra?.['by'] as ToolCaller), {
      onerror: (error) => log.debug({ err: error }, 'an MCP message was refused'),
      ...(bus && { bus }),
    });
  const shared = handlerWith();
  const fetchFrom = (handler: McpHttpHandler, request: Request, body: unknown, by: ToolCaller) =>
    handler.fetch(request, { parsedBody: body, authInfo: { token: '', clientId: '', scopes: [], extra: { by } } });
  return {
    async serve({ request, onClose, startStream }, body, by) {
      if (!isListen(body)) return await fetchFrom(shared, request, body, by);
      const listening = await listenFor(by, options);
      // The library also ends streams by itself: after a refusal, or without a subscription.
      onClose(listening.stop);
      const handler = handlerWith(listening.bus);
      const response = await fetchFrom(handler, request, body, by).catch((error: unknown) => {
        listening.stop();
        throw error;
      });
      if (request.signal.aborted || !isStream(response)) listening.stop();
      else {
        startStream();
        void listening.run(() => void handler.close());
      }
      return response;
    },
  };
}

function isStream({ headers }: Response): boolean {
  return headers.get('content-type')?.startsWith('text/event-stream') === true;
}

async function answer(
  handler: OpenHandler,
  by: McpCaller,
  request: FastifyRequest,
  reply: FastifyReply,
  options: McpOptions,
): Promise<Response> {
  const log = options.log.child({ request_id: request.id });
  const exchange: Exchange = {
    request: webRequest(request, reply, endpointUrl(options)),
    onClose: (work) => void reply.raw.once('close', work),
    startStream: () => request.releaseLoad?.(),
  };
  return await handler.serve(exchange, request.body, {
    ...by,
    executor: options.executor,
    metrics: options.metrics,
    log,
    stepUp: (scope, words) => bearerChallenge(options, scope, { error: 'insufficient_scope', words }),
    afterAnswer: (works) => {
      for (const work of works) {
        reply.raw.once('finish', () => void work().catch((error) => log.warn({ err: error }, 'work after an answer failed')));
      }
    },
  });
}

async function sendResponse(reply: FastifyReply, response: Response, stalledMs: number): Promise<FastifyReply> {
  reply.code(response.status).headers(headersOf(response));
  if (response.body === null) return await reply.send(null);
  const chunks = cutOffStalled(response.body, stalledMs, () => reply.raw.destroy());
  return await reply.send(Readable.from(chunks, { objectMode: false }));
}

async function sendFinished(reply: FastifyReply, finished: FinishedMessage, id: string | number): Promise<FastifyReply> {
  const { body, isGzip } = finished.bodyFor(id, takesGzip(reply.request.headers['accept-encoding']));
  reply.code(finished.status).headers(finished.headers);
  if (isGzip) reply.header('Content-Encoding', 'gzip').header('Vary', 'Accept-Encoding');
  return await reply.send(body);
}

function takesGzip(accepted: string | string[] | undefined): boolean {
  const offers = String(accepted ?? '').split(',');
  return offers.some((offer) => /^\s*gzip\s*(;|$)/i.test(offer) && !/;\s*q=0(\.0*)?\s*$/.test(offer));
}

function headersOf({ headers }: Response): Record<string, string> {
  return Object.fromEntries([...headers].filter(([name]) => name !== 'connection'));
}

/** A request with the method and headers that the library reads; the body has been read and checked already. */
function webRequest({ headers }: FastifyRequest, reply: FastifyReply, url: string): Request {
  const sent = new Headers();
  for (const [name, value] of Object.entries(headers)) {
    if (typeof value === 'string' && !NOT_FORWARDED.has(name)) sent.set(name, value);
  }
  // A client that accepts `*/*` accepts JSON and event streams.
  if (sent.get('accept')?.includes('*/*') === true) sent.set('accept', 'application/json, text/event-stream');
  return new Request(url, { method: 'POST', headers: sent, signal: goneSignal(reply) });
}

const NOT_FORWARDED = new Set(['authorization', 'cookie', 'content-length', 'transfer-encoding', 'connection', 'host']);
