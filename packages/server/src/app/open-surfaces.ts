/** The HTTP surfaces of this process: operations, pages, documents, files, streams, health. */
import type { NamedOperation } from '@market/contract';
import { openSite } from '@market/web';
import type { FastifyInstance } from 'fastify';
import { createSeenSignatures } from '../access/authority/seen-signatures.ts';
import { avatarGuard } from '../features/accounts/profiles/index.ts';
import { countPublic, listPublicPages } from '../features/agents/cards/index.ts';
import { orderFileGuard } from '../features/orders/index.ts';
import { tokenPictureGuard } from '../features/tokens/launches/index.ts';
import { createFileOpener } from '../features/uploads/index.ts';
import { didDocumentOf } from '../features/x402/index.ts';
import { createVersionReader, type VersionReader } from '../platform/versions/data-versions.ts';
import { addStreamRoutes } from '../surfaces/events/stream-routes.ts';
import type { Executor } from '../surfaces/execute-operation.ts';
import { addFileRoutes } from '../surfaces/files/file-routes.ts';
import { addHealthRoutes } from '../surfaces/health/health-routes.ts';
import { mountIdentityProvider } from '../surfaces/identity-provider/mount-identity-provider.ts';
import { addAnonymousMcp, anonymousMcpRoutes } from '../surfaces/mcp/anonymous-routes.ts';
import { addMcpRoutes } from '../surfaces/mcp/mcp-routes.ts';
import { addOauthRoutes } from '../surfaces/oauth/oauth-routes.ts';
import { addDocuments } from '../surfaces/pages/document-routes.ts';
import { createPageLimit } from '../surfaces/pages/page-limit.ts';
import { addPages } from '../surfaces/pages/page-routes.ts';
import type { SendPage } from '../surfaces/pages/send-page.ts';
import { serveReadyAnswers } from '../surfaces/ready/serve-ready-answers.ts';
import { allowedMethodsOf } from '../surfaces/rest/allowed-methods.ts';
import { createHttpServer } from '../surfaces/rest/http-server.ts';
import { addOperationRoutes } from '../surfaces/rest/operation-routes.ts';
import type { AppOptions } from './app-options.ts';
import type { Parts } from './open-parts.ts';
import type { Readiness } from './readiness.ts';

/** Limit for agents, and for services. A sitemap may hold at most 50,000 URLs. */
const MOST_IN_SITEMAP = 10_000;
/** Counts stop here: counting to the end of a million rows is not worth a line of text. */
const MOST_COUNTED = 10_001;

/** Share of the memory for finished answers that MCP gets. */
const MCP_SHARE = 0.25;

export interface SurfacesOptions {
  readonly served: readonly NamedOperation[];
  readonly executor: Executor;
  readonly unreadyParts: Readiness;
}

export async function openSurfaces(
  { config, addresses, chains, endpoints, missingNetworks }: AppOptions,
  {
    shared,
    metrics,
    identity,
    signIn,
    signingKeys,
    resolver,
    trustedOrigins,
    uploads,
    feeds,
    connections,
    limiter,
    outbound,
    addressedSignatures,
    gate,
  }: Parts,
  { served, executor, unreadyParts }: SurfacesOptions,
): Promise<FastifyInstance> {
  const { database, clock, log } = shared;
  const { db } = database;
  const httpOptions = {
    log,
    metrics,
    trustedProxies: config.network.trustedProxies,
    trustedOrigins,
    production: config.profile === 'production',
    isHttps: addresses.baseUrl.startsWith('https://'),
    notFoundPage: ((request, reply) => sendPage(request, reply)) satisfies SendPage,
    allowedMethods: allowedMethodsOf(served, anonymousMcpRoutes),
    load: config.network.load,
    addressedSignatures,
  };
  const http = createHttpServer(httpOptions);
  addHealthRoutes(http, {
    metrics,
    metricsToken: config.metricsToken,
    unreadyParts,
    missingNetworks,
    outflowAwaits: gate.listAwaited,
  });
  const versions = createVersionReader(database.pool);
  const { ipv6SiteTimes: siteTimes, pagesPerMinute, rateLimitScale, readyAnswerBytes: mostBytes } = config.network;
  const limit = createPageLimit({ perMinute: pagesPerMinute * rateLimitScale, siteTimes, clock, metrics });
  const readyOptions = { ...httpOptions, calls: executor.calls, versions, pageLimit: limit, mostBytes };
  const ready = mostBytes === 0 ? undefined : serveReadyAnswers(http, readyOptions);
  const sendPage = addPages(http, {
    ready,
    limit,
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
    connectOrigins: connectOriginsOf(config, endpoints),
  });
  addDocuments(http, {
    serviceName: config.serviceName,
    baseUrl: addresses.baseUrl,
    appUrl: addresses.appUrl,
    securityContact: config.securityContact ?? `mailto:security@${new URL(addresses.appUrl).hostname}`,
    clock,
    profile: config.profile,
    operations: served,
    keys: didDocumentOf(addresses.baseUrl, signingKeys),
    ready,
    shown: {
      counts: async () => ({ ...(await countPublic(db, MOST_COUNTED)), most: MOST_COUNTED }),
      pages: () => listPublicPages(db, MOST_IN_SITEMAP),
    },
  });
  if (identity.sandbox !== undefined) await mountIdentityProvider(http, identity.sandbox.idp.provider);
  await addOauthRoutes(http, { context: connections, appUrl: addresses.appUrl, outbound, limiter, clock, resolver, trustedOrigins, log });
  addOperationRoutes(http, {
    operations: served,
    executor,
    signIn,
    ready,
    log,
    trustedOrigins,
    spool: uploads.spool,
  });
  // The feature that owns the record decides who may read its files; the first guard that knows the file decides.
  const openFile = createFileOpener(uploads, [avatarGuard(db), tokenPictureGuard(db), orderFileGuard(db)]);
  addFileRoutes(http, { db, resolver, signIn, openFile, seenSignatures: createSeenSignatures({ db, clock }) });
  addProgramSurfaces(http, { addresses, config, versions }, { shared, metrics, signIn, resolver, trustedOrigins, feeds }, executor);
  return http;
}

/** Origins, beside our own, where scripts of a page may connect. */
function connectOriginsOf({ profile, idp }: AppOptions['config'], endpoints: AppOptions['endpoints']): readonly string[] {
  return [
    // The test wallet of the sandbox calls the local chains directly.
    ...(profile === 'sandbox' ? endpoints.flatMap(({ urls }) => urls) : []),
    // Pages exchange a sign-in code for a token at the provider.
    ...(idp.clientId === undefined || idp.issuer === undefined ? [] : [idp.issuer]),
  ].map((url) => new URL(url).origin);
}

/** Adds the surfaces for programs beside REST: the stream of events, and MCP. */
function addProgramSurfaces(
  http: FastifyInstance,
  { config, addresses, versions }: Pick<AppOptions, 'config' | 'addresses'> & { readonly versions: VersionReader },
  {
    shared: { log },
    metrics,
    signIn,
    resolver,
    trustedOrigins,
    feeds,
  }: Pick<Parts, 'shared' | 'metrics' | 'signIn' | 'resolver' | 'trustedOrigins' | 'feeds'>,
  executor: Executor,
): void {
  addStreamRoutes(http, { executor, signIn, log, events: feeds });
  const { serviceName, mcpFixtures: fixtures } = config;
  const readyBytes = config.network.readyAnswerBytes * MCP_SHARE;
  const parts = { executor, resolver, events: feeds, log, metrics, versions };
  addMcpRoutes(http, { ...parts, serviceName, fixtures, readyBytes, ...addresses, trustedOrigins });
  addAnonymousMcp(http, { executor, log, serviceName, ...addresses });
}
