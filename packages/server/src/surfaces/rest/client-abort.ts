/** Clients that go away in the middle: nobody's fault, and nothing an operator must look at. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Logger, redactUrl } from '../../platform/telemetry/logger.ts';

/** What Node and the router throw when the connection breaks under them. The database breaks with some of these as well. */
const BROKEN = new Set(['ECONNRESET', 'EPIPE', 'ERR_STREAM_PREMATURE_CLOSE', 'ERR_STREAM_DESTROYED', 'FST_ERR_CTP_INVALID_CONTENT_LENGTH']);

/** The client left while its request was read, and `error` is no more than that. */
export function isClientAbort(error: unknown, { raw }: FastifyRequest): boolean {
  return raw.readableAborted && error instanceof Error && 'code' in error && BROKEN.has(String(error.code));
}

/** Aborts when the connection ends before the answer does. */
export function goneSignal({ raw }: FastifyReply): AbortSignal {
  const gone = new AbortController();
  if (raw.destroyed) gone.abort();
  raw.once('close', () => {
    if (!raw.writableFinished) gone.abort();
  });
  return gone.signal;
}

/** A request that was not answered to its end leaves a line, too. */
export function recordAborts(app: FastifyInstance, log: Logger): void {
  app.addHook('onRequestAbort', async ({ id, method, url, routeOptions }) => {
    log.info({ request_id: id, method, url: redactUrl(url), route: routeOptions.url ?? 'unknown' }, 'the client went away');
  });
}
