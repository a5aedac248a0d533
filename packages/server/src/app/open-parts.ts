/** Adapters and feature contexts that the features, surfaces and jobs of one process share. */
import { type NetworkName, networkFacts, operationsOf, usualNetwork } from '@market/contract';
import { createActionMessages } from '../access/authority/action-messages.ts';
import { createAddressedSignatures } from '../access/authority/addressed-signatures.ts';
import { createContractWallets } from '../access/contract-wallets.ts';
import { createCredentialChanges } from '../access/credential-changes.ts';
import { createFailedKeys } from '../access/failed-keys.ts';
import { createPresenceNotes, withPresence } from '../access/note-presence.ts';
import { createCallerResolver } from '../access/resolve-caller.ts';
import { createSignInWithX } from '../access/sign-in-with-x.ts';
import { openSigningKeys } from '../boot/open-signing-keys.ts';
import type { Config } from '../config.ts';
import { adoptAgent, type ConnectionsContext, createConnectionResolver, listConnections } from '../features/accounts/connections/index.ts';
import { ensureUser } from '../features/accounts/identity/index.ts';
import { type AgentWalletsContext, mintsByPurpose } from '../features/agent-wallets/index.ts';
import { agentsForWebhooks } from '../features/agents/index.ts';
import { orderBounties } from '../features/bounties/index.ts';
import { type EarnContext, openVaults, readVaultSettings } from '../features/earn/index.ts';
import { adoptRestoredEvents, createEventHub, createStreamSlots } from '../features/events/index.ts';
import { registrationMovements } from '../features/onchain/identity/index.ts';
import { orderDisputes } from '../features/orders/disputes/index.ts';
import { type OrdersContext, thawOrder } from '../features/orders/index.ts';
import { orderRequests } from '../features/orders/workspaces/index.ts';
import { createOutflowGate } from '../features/outgoing/gate/index.ts';
import { createWaitingRoom } from '../features/payments/index.ts';
import { createLocalPayoutSigner, type PayoutSigner } from '../features/payouts/index.ts';
import { dailyLimitsOf, isAgentFrozen, releaseSpentTransfer, type SpendingContext, setDailyLimit } from '../features/spending/index.ts';
import { noteReadPrices } from '../features/tokens/index.ts';
import { mintMovements } from '../features/tokens/launches/index.ts';
import { createFileLinks, uploadedFiles } from '../features/uploads/index.ts';
import { createOfferIssuer, storedSettlements, type X402Context, x402ClaimHolders } from '../features/x402/index.ts';
import type { Chain } from '../platform/chains/chain.ts';
import { explorerUrl } from '../platform/chains/explorer-url.ts';
import { createSolanaRpc } from '../platform/chains/solana/solana-rpc.ts';
import { CLOCK_CHANNEL, createDatabaseClock } from '../platform/clock/database-clock.ts';
import { openRpc } from '../platform/facilitator/evm-domain.ts';
import { openFacilitator, type SponsorSigners } from '../platform/facilitator/open-facilitator.ts';
import { createRateLimiter } from '../platform/limits/rate-limiter.ts';
import { createOutboundClient, type OutboundClient } from '../platform/outbound/outbound-client.ts';
import { pointsAtPrivateHost } from '../platform/outbound/public-url.ts';
import { dexPrices } from '../platform/prices/dex-prices.ts';
import { keepPrices } from '../platform/prices/kept-prices.ts';
import { type PriceSource, sandboxPrices } from '../platform/prices/price-source.ts';
import { venuePrices } from '../platform/prices/venue-prices.ts';
import { createSecretBox } from '../platform/secrets/secret-box.ts';
import { createRemoteSigner } from '../platform/signer/remote-signer.ts';
import { openVenueSigner } from '../platform/signer/venue-signer.ts';
import { openStorage } from '../platform/storage/open-storage.ts';
import { aggregatorVenue } from '../platform/swaps/aggregator-venue.ts';
import type { LocalVenue } from '../platform/swaps/local-venue.ts';
import { createLandingReader } from '../platform/swaps/read-landing.ts';
import type { ReadLanding, SwapVenue } from '../platform/swaps/swap-venue.ts';
import { createMetrics } from '../platform/telemetry/metrics.ts';
import { openWalletChains } from '../platform/wallets/wallet-chains.ts';
import type { AppOptions } from './app-options.ts';
import { createMarketEvents } from './create-events.ts';
import { createIdentity } from './create-identity.ts';
import { standingHolders } from './standing-holders.ts';

/** Limits of event streams per caller and in total, on this process. */
const STREAM_BOUNDS = { perCaller: 20, total: 2_000 };

export type Parts = Awaited<ReturnType<typeof openParts>>;

export async function openParts(options: AppOptions) {
  const { config, addresses, database, notifications, chains, log } = options;
  const { db, pool } = database;
  const clock = await createDatabaseClock(pool);
  notifications.on(CLOCK_CHANNEL, () => void clock.synchronise().catch((error) => log.warn({ err: error }, 'the clock could not be read')));
  const secrets = createSecretBox({ current: options.masterKey, previous: options.formerKeys ?? config.masterKey.previous });
  const metrics = createMetrics();
  const events = createMarketEvents(database);
  const identity = await createIdentity(options, clock, log);
  const limiter = createRateLimiter(pool, config.network.rateLimitScale, { siteTimes: config.network.ipv6SiteTimes });
  const perMinute = (requests: number) => ({ requests, windowSeconds: 60 });
  const smartWallets = createContractWallets({ chains, limiter, limit: perMinute(config.network.signatureChecksPerMinute), clock });
  const failedKeys = createFailedKeys({ limiter, limit: perMinute(config.network.failedKeysPerMinute), clock });
  const actionMessages = createActionMessages({
    clock,
    secrets,
    smartWallets,
    // People sign on the site's pages, and wallets compare the origin of the page.
    origin: addresses.appUrl,
    serviceName: config.serviceName,
    caip2Of: (chain) => chains.get(usualNetwork[chain === 'solana' ? 'solana' : 'evm'])?.caip2,
  });
  const signIn = createSignInWithX({
    db,
    actionMessages,
    clock,
    secrets,
    smartWallets,
    origins: [addresses.baseUrl, addresses.appUrl],
    chains: [...chains.values()].map(({ network, caip2, kind, usdcAddress, treasury }) => ({
      network,
      chainId: caip2,
      type: kind === 'evm' ? 'eip191' : 'ed25519',
      usdcAddress,
      treasury,
    })),
  });
  const notePresence = createPresenceNotes({ db, clock, log });
  const resolver = withPresence(
    createCallerResolver({
      db,
      connections: createConnectionResolver({
        database,
        secrets,
        clock,
        log,
        issuer: addresses.appUrl,
        audience: `${addresses.appUrl}/mcp`,
      }),
      clock,
      secrets,
      idp: identity.verifier,
      smartWallets,
      signIn,
      actionMessages,
      failedKeys,
      adminKey: config.idp.adminKey,
      hosts: hostsOf(addresses),
    }),
    notePresence,
  );
  const trustedOrigins = new Set(
    [addresses.baseUrl, addresses.appUrl].map((url) => new URL(url).origin).concat(config.network.corsOrigins),
  );

  const shared = {
    database,
    clock,
    secrets,
    events,
    chains,
    log,
    serviceName: config.serviceName,
    payoutChangeDelaySeconds: config.payoutChangeDelaySeconds,
  };
  const links = createFileLinks({ baseUrl: addresses.baseUrl, secrets, clock });
  const uploads = { database, clock, log, links, quotas: config.uploadQuotas, ...openStorage(config.dataDir, config.s3) };
  const payments = {
    ...shared,
    finalFromMicros: config.chains.finalFromMicros,
    relayers: sponsorAddresses(options.sponsors),
    contest: config.chains.contest,
    baseUrl: addresses.baseUrl,
    waitingRoom: createWaitingRoom(config.chains.waiting),
    claimHolders: x402ClaimHolders(() => x402),
    onRestored: thawOrder,
  };
  metrics.gauge('market_payments_waiting', 'Requests that wait for a payment to become final enough', payments.waitingRoom.waiting);
  metrics.gauge('market_networks_missing', 'Networks whose node is away', () => Object.keys(options.missingNetworks()).length);
  const reach = {
    allowHosts: config.network.outboundAllow,
    ownHosts: [addresses.baseUrl, addresses.appUrl].map((url) => new URL(url).host),
  };
  const outbound = createOutboundClient(reach);
  // In a sandbox, uploads have loopback URLs; links to them stay allowed.
  const isPrivateLink = (url: string) => pointsAtPrivateHost(url, { allowHosts: [...reach.allowHosts, ...reach.ownHosts] });
  const files = uploadedFiles(uploads);
  const base = options.endpoints.find(({ network }) => network === 'base-mainnet');
  const publicExplorer = config.profile === 'production' ? explorerUrl : () => null;
  const orders: OrdersContext = {
    ...payments,
    files,
    disputes: orderDisputes,
    bounties: orderBounties,
    requests: orderRequests,
    isPrivateLink,
    explorerUrl: publicExplorer,
    publishesReviews: base?.reputationRegistry !== undefined,
  };
  const vaults = readVaultSettings(config.earn.venues, chains);
  const holders = standingHolders({ ...shared, vaults, feeVault: options.feeVault });
  const gate = createOutflowGate({ database, log, standing: () => holders, onRestored: options.onGivenUp });
  const agentWallets: AgentWalletsContext = {
    ...shared,
    gate,
    limiter,
    settings: config.agentWallets,
    accountLimits: config.outflow,
    waitSeconds: config.chains.waiting.seconds,
    explorerUrl: orders.explorerUrl,
    baseUrl: addresses.baseUrl,
    mints: mintsByPurpose(mintMovements(shared), registrationMovements(shared)),
    walletChains: openWalletChains({
      endpoints: options.endpoints,
      sponsors: options.sponsors,
      secondOpinionFromMicros: config.chains.secondOpinionFromMicros,
      tokenLauncher: config.chains.tokenLauncher,
    }),
  };
  const earn = {
    ...payments,
    vaults,
    venueSigner: openVenueSigner(config.signer, chains),
    gate,
    limiter,
    agentWallets,
    waitSeconds: config.chains.waiting.seconds,
    isAgentFrozen,
    explorerUrl: publicExplorer,
  } satisfies EarnContext;
  await openVaults(db, earn.vaults);
  const connections: ConnectionsContext = { ...shared, spendLimits: { setDailyLimit, dailyLimitsOf } };
  const workspaces = { ...orders, secrets, outbound };
  const signingKeys = await openSigningKeys(config);
  const x402: X402Context = {
    ...orders,
    files,
    secrets,
    issuer: createOfferIssuer(addresses.baseUrl, signingKeys),
    outbound: reach,
    adoptAgent,
    ensureUser,
    releaseSpent: releaseSpentTransfer,
    registrationMicros: config.x402.registrationMicros,
    facilitator: await openFacilitator({
      remote: config.x402.facilitator,
      endpoints: options.endpoints,
      sponsors: options.sponsors,
      chains,
      pool,
      pendings: storedSettlements(database),
      log,
      metrics,
    }),
  };
  const spending: SpendingContext = {
    ...x402,
    earn,
    appUrl: addresses.appUrl,
    connections: {
      listOf: async (on, people) =>
        (await listConnections(on, people)).map(({ id, clientName: name, programId, person }) => ({ id, name, programId, person })),
    },
  };
  const payoutSigner = openPayoutSigner(config, chains);
  const webhookAgents = agentsForWebhooks(shared);
  await adoptRestoredEvents(db);
  const feeds = {
    database,
    hub: createEventHub({ db, notifications, log }),
    slots: createStreamSlots({
      ...STREAM_BOUNDS,
      perAddress: config.network.eventStreamsPerAddress,
      siteTimes: config.network.ipv6SiteTimes,
    }),
    credentials: createCredentialChanges({ db, notifications, log }),
  };
  return {
    shared,
    metrics,
    identity,
    signIn,
    actionMessages,
    addressedSignatures: createAddressedSignatures({ db, clock, log }),
    signingKeys,
    resolver,
    notePresence,
    trustedOrigins,
    limiter,
    uploads,
    files,
    payments,
    reach,
    outbound,
    orders,
    workspaces,
    agentWallets,
    earn,
    launches: { agentWallets, outbound, files, appUrl: addresses.appUrl },
    onchainIdentity: { agentWallets, registry: base?.identityRegistry },
    onchainFeedback: { ...orders, baseUrl: addresses.baseUrl, reputationRegistry: base?.reputationRegistry },
    connections,
    x402,
    spending,
    payoutSigner,
    webhookAgents,
    feeds,
    addresses,
    tokens: { ...shared, prices: openPrices(config, options.localVenue, shared), explorerUrl: publicExplorer },
    swapVenue: openSwapVenue(config, outbound, options.localVenue),
    readLanding: openLandingReader(options.endpoints),
    gate,
    fees: { ...shared, gate, feeVault: options.feeVault },
    cards: {
      ...shared,
      baseUrl: addresses.baseUrl,
      appUrl: addresses.appUrl,
      operations: operationsOf(config.profile),
    },
  };
}

/** On a developer's machine people also write localhost. */
function hostsOf({ baseUrl, appUrl }: AppOptions['addresses']): readonly string[] {
  const hosts = [baseUrl, appUrl].map((url) => new URL(url).host);
  return [...new Set(hosts.flatMap((host) => [host, host.replace(/^127\.0\.0\.1(?=:|$)/, 'localhost')]))];
}

/** Signs payouts in this process, or asks the process that holds the treasury's keys. */
function openPayoutSigner({ signer }: AppOptions['config'], chains: ReadonlyMap<NetworkName, Chain>): PayoutSigner {
  if (signer.url === undefined || signer.secret === undefined) return createLocalPayoutSigner(chains);
  return createRemoteSigner({ url: signer.url, secret: signer.secret });
}

function sponsorAddresses({ solana, evm }: SponsorSigners): readonly string[] {
  return [solana?.address, evm?.address].filter((address) => address !== undefined);
}

/** Undefined if no price source is configured. */
function openPrices(
  { priceSourceUrl, profile }: Config,
  venue: LocalVenue | undefined,
  noting: Parameters<typeof noteReadPrices>[1],
): PriceSource | undefined {
  if (priceSourceUrl !== undefined) return noteReadPrices(keepPrices(dexPrices(priceSourceUrl)), noting);
  if (venue !== undefined) return noteReadPrices(venuePrices(venue), noting);
  return profile === 'sandbox' ? sandboxPrices : undefined;
}

function openLandingReader(endpoints: AppOptions['endpoints']): ReadLanding | undefined {
  const solana = endpoints.find(({ network }) => networkFacts[network].kind === 'solana');
  return solana && createLandingReader(createSolanaRpc(openRpc(solana)));
}

/** Undefined if swaps are not configured. */
function openSwapVenue({ swap }: Config, outbound: OutboundClient, venue: LocalVenue | undefined): SwapVenue | undefined {
  if (swap.url === undefined) return venue;
  return aggregatorVenue({ url: swap.url, key: swap.key, maxSlippageBps: swap.maxSlippageBps, outbound });
}
