/** What the features, the surfaces and the jobs of one process share: adapters, and the context each feature works in. */
import type { NetworkName } from '@market/contract';
import { notePresence } from '../access/note-presence.ts';
import { createCallerResolver } from '../access/resolve-caller.ts';
import { createSignInWithX } from '../access/sign-in-with-x.ts';
import type { SmartWalletVerifier } from '../access/verify-wallet-signature.ts';
import { openSigningKeys } from '../boot/open-signing-keys.ts';
import { agentsForWebhooks } from '../features/agents/index.ts';
import { adoptRestoredEvents, createEventHub, createStreamPlaces } from '../features/events/index.ts';
import { orderFigures } from '../features/figures/index.ts';
import { notificationSubscriber } from '../features/notifications/index.ts';
import { machinePayouts, type OrdersContext, orderMoneyReaders } from '../features/orders/index.ts';
import { serviceFigures } from '../features/services/index.ts';
import { createFileLinks, uploadedFiles } from '../features/uploads/index.ts';
import { webhookRecorder } from '../features/webhooks/index.ts';
import { createOfferIssuer, storedSettlements, type X402Context, x402ClaimHolders } from '../features/x402/index.ts';
import type { Chain } from '../platform/chains/chain.ts';
import { explorerUrl } from '../platform/chains/explorer-url.ts';
import { CLOCK_CHANNEL, createDatabaseClock } from '../platform/clock/database-clock.ts';
import { createEventLog, type EventLog } from '../platform/events/event-log.ts';
import { openFacilitator, type SponsorSigners } from '../platform/facilitator/open-facilitator.ts';
import { createOutboundClient } from '../platform/outbound/outbound-client.ts';
import { createSecretBox } from '../platform/secrets/secret-box.ts';
import { openStorage } from '../platform/storage/open-storage.ts';
import { createMetrics } from '../platform/telemetry/metrics.ts';
import type { AppOptions } from './app-options.ts';
import { createIdentity } from './create-identity.ts';

/** Event streams of one caller, and of all, on this process. */
const STREAM_BOUNDS = { perCaller: 20, total: 2_000 };

export type Parts = Awaited<ReturnType<typeof openParts>>;

export async function openParts(options: AppOptions) {
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
  const payments = {
    ...shared,
    finalFromMicros: config.chains.finalFromMicros,
    relayers: sponsorAddresses(options.sponsors),
    contest: config.chains.contest,
    claimHolders: x402ClaimHolders(() => x402),
  };
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
  const x402: X402Context = {
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
  return {
    shared,
    metrics,
    identity,
    signIn,
    signingKeys,
    resolver,
    trustedOrigins,
    uploads,
    payments,
    reach,
    outbound,
    orders,
    workspaces,
    x402,
    webhookAgents,
    feeds,
  };
}

function sponsorAddresses({ solana, evm }: SponsorSigners): readonly string[] {
  return [solana?.address, evm?.address].filter((address) => address !== undefined);
}

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
