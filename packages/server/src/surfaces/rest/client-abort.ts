/** Clients that hang up during a request: no error of ours, and no concern of the operator. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Logger, redactUrl } from '../../platform/telemetry/logger.ts';

/** Codes that Node and the router throw when a connection breaks. The database throws some of them, too. */
const BROKEN = new Set(['ECONNRESET', 'EPIPE', 'ERR_STREAM_PREMATURE_CLOSE', 'ERR_STREAM_DESTROYED', 'FST_ERR_CTP_INVALID_CONTENT_LENGTH']);

/** True when `error` only means that the client hung up while we read its request. */
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

/** Logs requests whose client hung up. */
export function recordAborts(app: FastifyInstance, log: Logger): void {
  app.addHook('onRequestAbort', async ({ id, method, url, routeOptions }) => {
    log.info({ request_id: id, method, url: redactUrl(url), route: routeOptions.url ?? 'unknown' }, 'the client went away');
  });
}
