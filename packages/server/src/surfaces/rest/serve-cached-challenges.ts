/** Serves cached challenges before the router. They carry the same headers and are counted, measured and logged the same. */
import type { IncomingMessage, RequestListener } from 'node:http';
import proxyAddress from '@fastify/proxy-addr';
import type { FastifyInstance } from 'fastify';
import type { CallCounter } from '../count-calls.ts';
import { type ChallengeCache, createChallengeCache } from './challenge-cache.ts';
import type { HttpServerOptions } from './http-server.ts';
import { limitHeaders } from './limit-headers.ts';
import { recordRequest } from './record-request.ts';
import { requestIdOf } from './request-id.ts';
import { cautiousHeaders, constantHeaders } from './standard-headers.ts';
import { writeCachedResponse } from './write-cached-response.ts';

export interface CachedChallengesOptions extends Pick<HttpServerOptions, 'log' | 'metrics' | 'trustedProxies' | 'production'> {
  readonly calls: CallCounter;
  readonly version: () => Promise<string>;
}

export function serveCachedChallenges(app: FastifyInstance, options: CachedChallengesOptions): ChallengeCache {
  const { log, metrics, calls } = options;
  const clientOf = readClient(options.trustedProxies);
  const cache = createChallengeCache({
    version: options.version,
    headers: { ...constantHeaders(options), ...cautiousHeaders },
    count({ operation }, request) {
      const source = { clientAddress: clientOf(request) };
      return calls.countAtOnce(operation, source) ?? calls.count(operation, source);
    },
    answer({ route, counted: { verdict }, request, response, milliseconds }, cached) {
      const requestId = requestIdOf(request);
      const { status } = cached;
      writeCachedResponse(
        response,
        cached,
        { 'X-Request-Id': requestId, ...(verdict && limitHeaders(verdict)) },
        app.server.keepAliveTimeout,
      );
      const { method = '', url = '' } = request;
      recordRequest(log, metrics, { requestId, method, url, route: route.pattern, status, milliseconds, client: clientOf(request) });
    },
  });
  const [ordinary] = app.server.listeners('request') as [RequestListener];
  app.server.removeAllListeners('request');
  app.server.on('request', (request, response) => {
    const answered = cache.has(request) && cache.trySend(request, response);
    if (answered === true) return;
    if (answered === false) return ordinary(request, response);
    answered.then(
      (wasAnswered) => wasAnswered || ordinary(request, response),
      // The router meets the same error and answers it in the envelope.
      () => ordinary(request, response),
    );
  });
  return cache;
}

/** The client address as the router reads it. */
function readClient(trustedProxies: readonly string[]): (request: IncomingMessage) => string {
  if (trustedProxies.length === 0) return ({ socket }) => socket.remoteAddress ?? '';
  const isTrusted = proxyAddress.compile([...trustedProxies]);
  return (request) => proxyAddress(request, isTrusted);
}
