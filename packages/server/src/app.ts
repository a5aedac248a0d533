/** Composition root: adapters and features become one application that does not listen yet. */

import path from 'node:path';
import { type NetworkName, operationsOf } from '@market/contract';
import { createDevelopmentIdentityProvider, type SandboxChains } from '@market/sandbox';
import { openSite, type SiteFacts } from '@market/web';
import type { FastifyInstance } from 'fastify';
import type { Handlers, HandlersOf } from './access/call.ts';
import { notePresence } from './access/note-presence.ts';
import { createCallerResolver } from './access/resolve-caller.ts';
import { createSignInWithX } from './access/sign-in-with-x.ts';
import type { SmartWalletVerifier } from './access/verify-wallet-signature.ts';
import { openSigningKeys } from './boot/open-signing-keys.ts';
import type { Config } from './config.ts';
import { agentHandlers, agentsForWebhooks, agentsOfAccount } from './features/agents/index.ts';
import { auditJob } from './features/audit/index.ts';
import { createDemo } from './features/demo/index.ts';
import { disputeHandlers } from './features/disputes/index.ts';
import { adoptRestoredEvents, createEventHub, createStreamPlaces, eventHandlers } from './features/events/index.ts';
import { orderFigures } from './features/figures/index.ts';
import { identityHandlers } from './features/identity/index.ts';
import { sealingJob } from './features/ledger/index.ts';
import { messageHandlers } from './features/messages/index.ts';
import { moderationHandlers } from './features/moderation/index.ts';
import { moneyHandlers } from './features/money/index.ts';
import { clearNotificationsJob, notificationHandlers, notificationSubscriber } from './features/notifications/index.ts';
import {
  machinePayouts,
  type OrdersContext,
  orderFileGuard,
  orderHandlers,
  orderMoneyReaders,
  orderTimers,
} from './features/orders/index.ts';
import { paymentHandlers, watchChainsJobs } from './features/payments/index.ts';
import { payoutJobs } from './features/payouts/index.ts';
import { portfolioHandlers, trackRecord } from './features/portfolio/index.ts';
import { profileHandlers } from './features/profiles/index.ts';
import { latestReviews, reviewHandlers } from './features/reviews/index.ts';
import { type SandboxContext, sandboxHandlers } from './features/sandbox/index.ts';
import {
  LATEST_SERVICE_CHANGES,
  latestServiceChanges,
  offeredServices,
  serviceFigures,
  serviceHandlers,
} from './features/services/index.ts';
import { statsHandlers, statsJobs } from './features/stats/index.ts';
import { createFileLinks, createFileOpener, type FileGuard, uploadedFiles, uploadHandlers, uploadJobs } from './features/uploads/index.ts';
import {
  clearDeliveriesJob,
  countOpenDeliveries,
  createWebhookDispatcher,
  webhookHandlers,
  webhookRecorder,
} from './features/webhooks/index.ts';
import { workspaceHandlers, workspaceJobs } from './features/workspaces/index.ts';
import {
  createOfferIssuer,
  didDocumentOf,
  placeOrHire,
  registerOrPay,
  storedSettlements,
  type X402Context,
  x402Handlers,
  x402Jobs,
} from './features/x402/index.ts';
import type { Chain } from './platform/chains/chain.ts';
import { explorerUrl } from './platform/chains/explorer-url.ts';
import type { NetworkPlace } from './platform/chains/network-places.ts';
import { CLOCK_CHANNEL, createDatabaseClock, type DatabaseClock } from './platform/clock/database-clock.ts';
import type { Database } from './platform/db/database.ts';
import type { Notifications } from './platform/db/notifications.ts';
import { createEventLog, type EventLog } from './platform/events/event-log.ts';
import { openFacilitator, type SponsorSigners } from './platform/facilitator/open-facilitator.ts';
import { housekeepingJob } from './platform/housekeeping.ts';
import { createIdempotentAnswers } from './platform/idempotency/idempotent-answers.ts';
import { createIdpVerifier, type IdpVerifier } from './platform/idp/idp-token.ts';
import { countJobs } from './platform/jobs/job-repository.ts';
import { createJobRunner } from './platform/jobs/job-runner.ts';
import { createRateLimiter } from './platform/limits/rate-limiter.ts';
import { createOutboundClient } from './platform/outbound/outbound-client.ts';
import { newSandboxPass } from './platform/random.ts';
import { createSecretBox } from './platform/secrets/secret-box.ts';
import { openStorage } from './platform/storage/open-storage.ts';
import type { Logger } from './platform/telemetry/logger.ts';
import { createMetrics, type Metrics } from './platform/telemetry/metrics.ts';
import { addStreamRoutes } from './surfaces/events/stream-routes.ts';
import { createExecutor } from './surfaces/execute-operation.ts';
import { addFileRoutes } from './surfaces/files/file-routes.ts';
import { addHealthRoutes } from './surfaces/health/health-routes.ts';
import { IDENTITY_PROVIDER_PATH, mountIdentityProvider } from './surfaces/identity-provider/mount-identity-provider.ts';
import { addDocuments } from './surfaces/pages/document-routes.ts';
import { addPages } from './surfaces/pages/page-routes.ts';
import type { SendPage } from './surfaces/pages/send-page.ts';
import { requireHandlers } from './surfaces/require-handlers.ts';
import { allowedMethodsOf } from './surfaces/rest/allowed-methods.ts';
import { answerPrepared } from './surfaces/rest/answer-prepared.ts';
import { createHttpServer } from './surfaces/rest/http-server.ts';
import { addOperationRoutes } from './surfaces/rest/operation-routes.ts';
import { carriesPass } from './surfaces/rest/sandbox-pass.ts';

export interface AppOptions {
  readonly config: Config;
  /** Where this process can be reached: public addresses, and itself over loopback. */
  readonly addresses: { readonly baseUrl: string; readonly appUrl: string; readonly selfUrl: string };
  readonly masterKey: Buffer;
  readonly database: Database;
  readonly notifications: Notifications;
  /** The networks this deployment serves; empty where none is configured. */
  readonly chains: ReadonlyMap<NetworkName, Chain>;
  /** The sandbox's own chains, to be funded, delayed and broken. */
  readonly localChains: SandboxChains | undefined;
  /** Where those networks are reached, and who pays the fees of standard x402 payments there. */
  readonly places: readonly NetworkPlace[];
  readonly sponsors: SponsorSigners;
  readonly log: Logger;
}

export interface App {
  readonly http: FastifyInstance;
  startJobs(): Promise<void>;
  /** Demo content and sample agents, where the settings want them; once this process listens. */
  startDemo(): void;
  /** Answers what is under way, hands back unfinished jobs. The database stays open for the caller to close. */
  stop(): Promise<void>;
}

const JOBS_GRACE_MS = 4_000;
const CALLS_GRACE_MS = 3_000;
const REQUESTS_GRACE_MS = 5_000;
/** Event streams of one caller, and of all, on this process. */
const STREAM_BOUNDS = { perCaller: 20, total: 2_000 };

export async function createApp(options: AppOptions): Promise<App> {
  const { config, addresses, database, notifications, chains, log } = options;
  const { db, pool } = database;
  const clock = await createDatabaseClock(pool);
  notifications.on(CLOCK_CHANNEL, () => void clock.synchronise().catch((error) => log.warn({ err: error }, 'the clock could not be read')));
  const secrets = createSecretBox({ current: options.masterKey, previous: config.masterKey.previous });
  const metrics = createMetrics();
  const events: EventLog = createEventLog(
    db,
    [serviceFigures(database), orderFigures(database), notificationSubscriber(database), machinePayouts(database, () => events)],
    [webhookRecorder()],
    [orderMoneyReaders()],
  );
  const identity = await createIdentity(options, clock);
  const smartWallets = contractWallets(chains);
  const signIn = createSignInWithX({
    db,
    clock,
    secrets,
    smartWallets,
    origins: [addresses.baseUrl, addresses.appUrl],
    chains: [...chains.values()].map(({ caip2, kind }) => ({ chainId: caip2, type: kind === 'evm' ? 'eip191' : 'ed25519' })),
  });
  const resolver = notePresence(createCallerResolver({ db, clock, secrets, idp: identity.verifier, smartWallets, signIn }), {
    db,
    clock,
    log,
  });
  const trustedOrigins = new Set(
    [addresses.baseUrl, addresses.appUrl].map((url) => new URL(url).origin).concat(config.network.corsOrigins),
  );

  const shared = { database, clock, secrets, events, chains, log, serviceName: config.serviceName };
  const links = createFileLinks({ baseUrl: addresses.baseUrl, secrets, clock });
  const uploads = { database, clock, log, links, ...openStorage(config.dataDir, config.s3) };
  const payments = { ...shared, finalFromMicros: config.chains.finalFromMicros, relayers: sponsorAddresses(options.sponsors) };
  const reach = {
    allowHosts: config.network.outboundAllow,
    ownHosts: [addresses.baseUrl, addresses.appUrl].map((url) => new URL(url).host),
  };
  const outbound = createOutboundClient(reach);
  const orders: OrdersContext = {
    ...payments,
    files: uploadedFiles(uploads),
    explorerUrl: config.profile === 'production' ? explorerUrl : () => null,
  };
  const workspaces = { ...orders, secrets, outbound, knownHosts: [...reach.allowHosts, ...reach.ownHosts] };
  const signingKeys = await openSigningKeys(config);
  const x402 = {
    ...orders,
    secrets,
    baseUrl: addresses.baseUrl,
    issuer: createOfferIssuer(addresses.baseUrl, signingKeys),
    outbound: reach,
    registrationMicros: config.x402.registrationMicros,
    facilitator: await openFacilitator({
      remote: config.x402.facilitator,
      places: options.places,
      sponsors: options.sponsors,
      chains,
      pool,
      pendings: storedSettlements(database),
      log,
      metrics,
    }),
  };
  const webhookAgents = agentsForWebhooks(shared);
  await adoptRestoredEvents(db);
  const feeds = { database, hub: createEventHub({ db, notifications, log }), places: createStreamPlaces(STREAM_BOUNDS) };
  // Who may read a file that is part of something is said by the owner of that thing; the first that knows it decides.
  const fileGuards: readonly FileGuard[] = [orderFileGuard(db)];
  const handlers: Handlers = {
    agents: withPayment(
      agentHandlers({
        ...shared,
        outbound: reach,
        agentByKey: resolver.agentByKey,
        shownOf: async (agentId) => ({
          services: await offeredServices(db, agentId),
          reviews: await latestReviews.ofAgent(db, agentId),
          ...(await trackRecord(orders, agentId)),
        }),
      }),
      x402,
    ),
    services: serviceHandlers({ ...shared, reviewsOf: (serviceId) => latestReviews.ofService(db, serviceId) }),
    auth: identityHandlers({ ...shared, agents: agentsOfAccount }),
    profiles: profileHandlers(shared),
    payments: paymentHandlers(orders),
    money: moneyHandlers({ ...shared, explorerUrl: orders.explorerUrl }),
    uploads: uploadHandlers(uploads),
    orders: withMachines(orderHandlers(orders), x402),
    messages: messageHandlers(orders),
    reviews: reviewHandlers(orders),
    notifications: notificationHandlers(shared),
    events: eventHandlers(feeds),
    portfolio: portfolioHandlers(orders),
    workspaces: workspaceHandlers(workspaces),
    disputes: disputeHandlers(orders),
    moderation: moderationHandlers(shared),
    webhooks: webhookHandlers({ ...shared, agents: webhookAgents }),
    x402: x402Handlers(x402),
    stats: statsHandlers(orders),
    // Production has no sandbox routes, so these handlers are never reached there.
    sandbox: identity.sandbox === undefined ? ({} as HandlersOf<'sandbox'>) : sandboxHandlers(identity.sandbox),
  };
  const served = operationsOf(config.profile);
  requireHandlers(served, handlers);

  const httpOptions = {
    log,
    metrics,
    trustedProxies: config.network.trustedProxies,
    trustedOrigins,
    production: config.profile === 'production',
    notFoundPage: ((request, reply) => sendPage(request, reply)) satisfies SendPage,
    allowedMethods: allowedMethodsOf(served),
  };
  const http = createHttpServer(httpOptions);
  const limiter = createRateLimiter(pool, config.network.rateLimitScale, { alongside: LATEST_SERVICE_CHANGES });
  let stopping = false;
  addHealthRoutes(http, { metrics, metricsToken: config.metricsToken, unreadyParts: async () => await unreadyParts(database, stopping) });
  const sendPage = addPages(http, {
    site: openSite(),
    facts: {
      serviceName: config.serviceName,
      appUrl: addresses.appUrl,
      apiUrl: addresses.baseUrl,
      profile: config.profile,
      networks: [...chains.keys()],
      identityProvider: identity.forSite,
    },
    clock,
    log,
    // The test wallet of the sandbox talks to the local chains itself.
    connectOrigins: [
      ...(config.profile === 'sandbox' ? options.places.flatMap(({ urls }) => urls) : []),
      // Pages exchange a sign-in code for a token there.
      ...(config.idp.clientId === undefined || config.idp.issuer === undefined ? [] : [config.idp.issuer]),
    ].map((url) => new URL(url).origin),
  });
  addDocuments(http, {
    serviceName: config.serviceName,
    baseUrl: addresses.baseUrl,
    appUrl: addresses.appUrl,
    profile: config.profile,
    operations: served,
    keys: didDocumentOf(addresses.baseUrl, signingKeys),
  });
  if (identity.sandbox !== undefined) await mountIdentityProvider(http, identity.sandbox.idp.provider);
  const pass = config.demo ? newSandboxPass() : undefined;
  addOperationRoutes(http, {
    operations: served,
    execute: createExecutor({
      handlers,
      resolver,
      idempotentAnswers: createIdempotentAnswers(db, secrets),
      database,
      clock,
      checkAnswers: config.profile === 'sandbox',
    }),
    signIn,
    limiter,
    isUnlimited: carriesPass(pass),
    prepared: answerPrepared(http, { ...httpOptions, limiter, version: () => latestServiceChanges(pool) }),
    clock,
    metrics,
    log,
    trustedOrigins,
    secureCookies: config.profile === 'production',
    spool: uploads.spool,
  });
  addFileRoutes(http, { db, resolver, signIn, openFile: createFileOpener(uploads, fileGuards) });
  addStreamRoutes(http, { resolver, signIn, limiter, metrics, clock, events: feeds });

  const definitions = [
    auditJob({ database, chains, log, metrics }),
    housekeepingJob(db),
    sealingJob(db),
    clearNotificationsJob(database),
    clearDeliveriesJob(database),
    ...watchChainsJobs(payments),
    ...payoutJobs(shared),
    ...orderTimers(orders),
    ...workspaceJobs(workspaces),
    ...x402Jobs(x402),
    ...uploadJobs(uploads),
    ...statsJobs(orders),
    ...events.jobs,
  ];
  const jobs = createJobRunner({ database, notifications, log, metrics, clock, definitions });
  const { openSecret } = webhookAgents;
  const webhooks = createWebhookDispatcher({ database, notifications, events, outbound, clock, log, metrics, openSecret });
  addGauges(metrics, database);
  const demo = pass === undefined ? undefined : createDemo({ ...shared, selfUrl: addresses.selfUrl, pass });
  metrics.gauge('market_webhooks_open', 'Webhook deliveries that wait or are being retried', () => countOpenDeliveries(db));
  metrics.gauge('market_event_streams', 'Readers that wait for events', () => feeds.places.taken);

  return {
    http,
    async startJobs() {
      await jobs.start();
      webhooks.start();
    },
    startDemo: () => demo?.start(),
    async stop() {
      stopping = true;
      // Requests that wait for a stranger's server end well only if we hang up while there is time to write down that nothing came.
      const hangUp = setTimeout(outbound.close, CALLS_GRACE_MS);
      // A client that never finishes its request must not keep everybody else from a clean end.
      const impatience = setTimeout(() => http.server.closeAllConnections(), REQUESTS_GRACE_MS);
      // Streams would never end by themselves; each says goodbye and its reader resumes elsewhere.
      feeds.hub.stop();
      // The demo calls us, so it goes first.
      await demo?.stop();
      await Promise.all([http.close(), jobs.stop(JOBS_GRACE_MS), webhooks.stop(JOBS_GRACE_MS)]);
      outbound.close();
      clearTimeout(hangUp);
      clearTimeout(impatience);
      clock.stop();
    },
  };
}

interface Identity {
  readonly verifier: IdpVerifier | undefined;
  readonly sandbox: SandboxContext | undefined;
  /** Where the site sends people to sign in. */
  readonly forSite: SiteFacts['identityProvider'];
}

/** A configured provider is used as it is; the sandbox otherwise brings its own; production without one has no sign-in. */
async function createIdentity({ config, addresses, chains, localChains }: AppOptions, clock: DatabaseClock): Promise<Identity> {
  const { algorithms, adminEmails } = config.idp;
  const now = clock.realNow;
  const issuer = `${addresses.baseUrl}${IDENTITY_PROVIDER_PATH}`;
  const sandbox: SandboxContext | undefined =
    config.profile === 'sandbox'
      ? {
          clock,
          chains,
          localChains,
          idp: {
            issuer,
            jwksUri: `${issuer}/jwks`,
            provider: await createDevelopmentIdentityProvider({
              issuer,
              audience: DEVELOPMENT_AUDIENCE,
              keyFile: path.join(config.dataDir, 'keys', 'identity-provider.json'),
              allowedRedirectOrigins: [new URL(addresses.baseUrl).origin, new URL(addresses.appUrl).origin],
              now,
              serviceName: config.serviceName,
            }),
          },
        }
      : undefined;

  if (config.idp.issuer !== undefined && config.idp.audience !== undefined) {
    const verifier = createIdpVerifier({
      issuer: config.idp.issuer,
      audience: config.idp.audience,
      jwksUri: config.idp.jwksUri,
      algorithms,
      adminEmails,
      now,
    });
    const { clientId } = config.idp;
    return { verifier, sandbox, forSite: clientId === undefined ? null : { issuer: config.idp.issuer, clientId } };
  }
  if (sandbox === undefined) return { verifier: undefined, sandbox, forSite: null };
  const verifier = createIdpVerifier({
    issuer,
    audience: DEVELOPMENT_AUDIENCE,
    // Over loopback, so that it works whatever public address stands in front.
    jwksUri: `${addresses.selfUrl}${IDENTITY_PROVIDER_PATH}/jwks`,
    algorithms: ['ES256'],
    adminEmails,
    trustAdminClaim: true,
    now,
  });
  return { verifier, sandbox, forSite: { issuer, clientId: 'site' } };
}

/** The ordinary door takes payments as well as accounts. */
function withMachines(handlers: HandlersOf<'orders'>, x402: X402Context): HandlersOf<'orders'> {
  return { ...handlers, place: placeOrHire(x402, handlers.place) };
}

/** An agent is registered with a payment as well as without. */
function withPayment(handlers: HandlersOf<'agents'>, x402: X402Context): HandlersOf<'agents'> {
  return { ...handlers, register: registerOrPay(x402, handlers.register) };
}

function sponsorAddresses({ solana, evm }: SponsorSigners): readonly string[] {
  return [solana?.address, evm?.address].filter((address) => address !== undefined);
}

const DEVELOPMENT_AUDIENCE = 'market';

/** Contract wallets live on EVM networks; a signature counts when it is good on any of them. */
function contractWallets(chains: ReadonlyMap<NetworkName, Chain>): SmartWalletVerifier {
  const evm = [...chains.values()].filter(({ kind }) => kind === 'evm');
  return {
    async verify(address, text, signature) {
      for (const chain of evm) if (await chain.verifyContractSignature(address, text, signature)) return true;
      return false;
    },
  };
}

async function unreadyParts({ pool }: Database, stopping: boolean): Promise<Record<string, string>> {
  if (stopping) return { service: 'shutting down' };
  try {
    await pool.query('select 1');
    return {};
  } catch {
    return { database: 'not reachable' };
  }
}

function addGauges(metrics: Metrics, { pool }: Database): void {
  metrics.gauge('market_db_connections', 'Open database connections', () => pool.totalCount);
  metrics.gauge('market_db_waiting', 'Requests waiting for a database connection', () => pool.waitingCount);
  metrics.gauge('market_jobs_ready', 'Jobs waiting or running', async () => (await countJobs(pool)).ready);
  metrics.gauge('market_jobs_dead', 'Jobs that failed for good', async () => (await countJobs(pool)).dead);
  metrics.gauge(
    'market_jobs_oldest_due_seconds',
    'How long the oldest due job has waited',
    async () => (await countJobs(pool)).oldestDueSeconds,
  );
}
