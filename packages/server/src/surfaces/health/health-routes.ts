/** Routes for operators and load balancers: liveness, readiness, metrics. */
import { timingSafeEqual } from 'node:crypto';
import { MarketError } from '@market/contract';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Metrics } from '../../platform/telemetry/metrics.ts';

export interface HealthOptions {
  readonly metrics: Metrics;
  readonly metricsToken: string | undefined;
  /** Names of the parts that are not ready, with the reason; empty means ready. */
  readonly unreadyParts: () => Promise<Record<string, string>>;
  /**
   * Networks whose node is unavailable. The service stays ready: without it in the balancer, the other networks would not be served either.
   */
  readonly missingNetworks: () => Readonly<Record<string, string>>;
  /** Networks that must be compared after a restore before any money leaves. The service stays ready: it sells and takes payments. */
  readonly outflowAwaits: () => Promise<Readonly<Record<string, string>>>;
}

export function addHealthRoutes(app: FastifyInstance, options: HealthOptions): void {
  const config = { load: 'health' } as const;
  app.get('/healthz', { config }, async () => ({ success: true, data: { status: 'alive' } }));

  app.get('/readyz', { config }, async (request, reply) => {
    let unready = await options.unreadyParts();
    if (isEmpty(unready)) {
      try {
        const awaited = { missing_networks: options.missingNetworks(), outflow_awaits: await options.outflowAwaits() };
        return { success: true, data: { status: 'ready', ...awaited } };
      } catch (error) {
        // The readiness result is briefly cached, and the database failed within that time.
        request.log.warn({ err: error }, 'readiness could not read the database');
        unready = { database: 'not reachable' };
      }
    }
    reply.header('Retry-After', '2');
    throw new MarketError('unavailable', { message: `Not ready: ${Object.keys(unready).join(', ')}.`, data: unready });
  });

  app.get('/metrics', { config }, async (request, reply) => {
    requireOperator(request, options.metricsToken);
    return await reply.type('text/plain; version=0.0.4; charset=utf-8').send(await options.metrics.text());
  });
}

const isEmpty = (parts: Readonly<Record<string, string>>): boolean => Object.keys(parts).length === 0;

function requireOperator(request: FastifyRequest, token: string | undefined): void {
  if (token === undefined) {
    // The address of the socket itself: with trusted proxies, the configuration requires a token.
    const address = request.socket.remoteAddress ?? '';
    if (!/^(127\.|::1$|::ffff:127\.)/.test(address))
      throw new MarketError('forbidden', { message: 'Figures are for this machine. Set METRICS_TOKEN to read them from elsewhere.' });
    return;
  }
  const given = Buffer.from(/^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1] ?? '');
  const wanted = Buffer.from(token);
  if (given.length !== wanted.length || !timingSafeEqual(given, wanted))
    throw new MarketError('unauthenticated', { message: 'Send METRICS_TOKEN as bearer token.' });
}
