/** Opens the chains of this deployment: mainnet chains from the settings, or the sandbox's own with a funded treasury. */
import { type NetworkName, networkFacts } from '@market/contract';
import type { SandboxChains } from '@market/sandbox/chains';
import type { Config } from '../config.ts';
import { createAlarm } from '../platform/alarm.ts';
import { type Chain, ChainUnavailable } from '../platform/chains/chain.ts';
import { localEndpoints, mainnetEndpoints, type NetworkEndpoint } from '../platform/chains/network-endpoints.ts';
import { openChains, openNetwork, type TreasurySigners } from '../platform/chains/open-chains.ts';
import { createSolanaRpc } from '../platform/chains/solana/solana-rpc.ts';
import { createLocalSolanaSigner } from '../platform/chains/solana/solana-signer.ts';
import { ensureTreasuryAccounts } from '../platform/chains/treasury-accounts.ts';
import { createLocalEvmSigner, readKeySetting } from '../platform/chains/treasury-signer.ts';
import { openRpc } from '../platform/facilitator/evm-domain.ts';
import type { SponsorSigners } from '../platform/facilitator/open-facilitator.ts';
import { loadKeyFile } from '../platform/secrets/key-file.ts';
import { createLocalVenue, type LocalVenue } from '../platform/swaps/local-venue.ts';
import type { Logger } from '../platform/telemetry/logger.ts';
import { type KeptChains, keepLocalChains, wantsLocalChains } from './keep-local-chains.ts';

export interface OpenedChains {
  readonly chains: ReadonlyMap<NetworkName, Chain>;
  readonly endpoints: readonly NetworkEndpoint[];
  /** The keys that pay the fees of standard x402 payments. */
  readonly sponsors: SponsorSigners;
  /** Solana with the vault of creator fees as its treasury. */
  readonly feeVault: Chain | undefined;
  /** The sandbox's own venue for swaps. */
  readonly localVenue: LocalVenue | undefined;
  readonly localChains: SandboxChains | undefined;
  /** Why the local chains do not run; undefined while they run, or without local chains. */
  readonly missing: () => string | undefined;
  /** Networks whose node is unavailable, with the reason. They recover by themselves. */
  readonly missingNetworks: () => Readonly<Record<string, string>>;
  close(): Promise<void>;
}

/** Enough gas for thousands of payouts. */
const SANDBOX_GAS_COINS = 100n;
const GIFT_PAUSE_MS = 3_000;
/** Coins for network fees in the vault of creator fees. */
const SANDBOX_FEE_FLOAT_COINS = 1n;
/** 1001 SOL, of which one pays network fees. */
const POOL = { usdcMicros: 150_000_000_000n, lamports: 1_001_000_000_000n };

/** Replaces the sandbox's nodes by others, for fault tests. */
export interface OtherNodes {
  reroute(endpoints: readonly NetworkEndpoint[]): readonly NetworkEndpoint[] | Promise<readonly NetworkEndpoint[]>;
  /** How long a node's identity check stays valid. */
  readonly provenForMs?: number;
}

export interface ChainsOptions {
  /** The sandbox's chains, if they were started already. */
  readonly local?: Promise<KeptChains> | undefined;
  readonly others?: OtherNodes | undefined;
}

export async function openConfiguredChains(config: Config, log: Logger, { local, others }: ChainsOptions = {}): Promise<OpenedChains> {
  if (config.profile === 'production') {
    const signers = findWatched(config) ?? (await readSigners(config.chains.treasuryKeys));
    const sponsors = await readSigners(config.x402.sponsorKeys);
    const { secondOpinionFromMicros } = config.chains;
    const opened = await openChains(mainnetEndpoints(config), signers, {
      secondOpinionFromMicros,
      log,
      prepare: (endpoint) => prepareTreasury(config, endpoint, signers),
    });
    const { chains, endpoints, missing: missingNetworks } = opened;
    const feeVault = openFeeVault(endpoints, config.feeKey === undefined ? undefined : await readKeySetting(config.feeKey));
    return {
      chains,
      endpoints,
      sponsors,
      feeVault,
      localVenue: undefined,
      localChains: undefined,
      missing: () => undefined,
      missingNetworks,
      close: async () => opened.close(),
    };
  }
  if (!wantsLocalChains(config)) return withoutChains();

  const onGivenUp = (error: Error): void => log.error({ err: error }, 'the local chains are gone');
  const starting = local ?? keepLocalChains(config, { log, onGivenUp });
  starting.catch(() => undefined);
  try {
    // Loading keys and the node client takes a while, so both happen while the chains start.
    const sponsors = await loadSigners(config, 'sponsor');
    const signers = findWatched(config) ?? (await loadSigners(config, 'treasury'));
    void globalThis.Response;
    const { localChains, missing } = await starting;
    const own = localEndpoints(localChains.networks);
    const opened = await openChains((await others?.reroute(own)) ?? own, signers, {
      secondOpinionFromMicros: config.chains.secondOpinionFromMicros,
      provenForMs: others?.provenForMs,
      log,
      async prepare(endpoint) {
        await fundSigners(localChains, openNetwork(endpoint, signers, 0n), sponsors);
        await prepareTreasury(config, endpoint, signers);
      },
    });
    const { chains, endpoints, missing: missingNetworks } = opened;
    const feeVault = openFeeVault(endpoints, (await loadKeyFile(config.dataDir, 'creator-fees-solana')).toString('hex'));
    const localVenue = await openLocalVenue(endpoints, config);
    const stopFunding = fundMeanwhile(localChains, { feeVault, localVenue }, log);
    log.info({ networks: endpoints.map(({ network, urls }) => `${network} ${urls[0]}`) }, 'the local chains are up');
    const close = async (): Promise<void> => {
      opened.close();
      stopFunding();
      await localChains.close();
    };
    return { chains, endpoints, sponsors, feeVault, localVenue, localChains, missing, missingNetworks, close };
  } catch (error) {
    await starting.then(
      ({ localChains }) => localChains.close(),
      () => undefined,
    );
    throw error;
  }
}

function withoutChains(): OpenedChains {
  return {
    chains: new Map(),
    endpoints: [],
    sponsors: { solana: undefined, evm: undefined },
    feeVault: undefined,
    localVenue: undefined,
    localChains: undefined,
    missing: () => undefined,
    missingNetworks: () => ({}),
    close: async () => undefined,
  };
}

/** With a separate signer, that process creates the treasury's token account. */
async function prepareTreasury({ signer }: Config, endpoint: NetworkEndpoint, signers: TreasurySigners): Promise<void> {
  if (signer.url === undefined) await ensureTreasuryAccounts(endpoint, signers);
}

/** Undefined without a key, or if the service has no Solana. */
function openFeeVault(endpoints: readonly NetworkEndpoint[], key: string | undefined): Chain | undefined {
  const endpoint = endpoints.find(({ network }) => networkFacts[network].kind === 'solana');
  if (endpoint === undefined || key === undefined) return undefined;
  const signers = { solana: createLocalSolanaSigner(key), evm: undefined };
  return openNetwork(endpoint, signers, 0n);
}

/** With a separate signer, this process knows only the treasury's addresses. */
function findWatched({ signer }: Config): TreasurySigners | undefined {
  if (signer.url === undefined) return undefined;
  const { solana, evm } = signer.addresses;
  return {
    solana: solana === undefined ? undefined : { address: solana },
    evm: evm === undefined ? undefined : { address: evm },
  };
}

async function readSigners(keys: Config['chains']['treasuryKeys']): Promise<SponsorSigners> {
  return {
    solana: keys.solana === undefined ? undefined : createLocalSolanaSigner(await readKeySetting(keys.solana)),
    evm: keys.evm === undefined ? undefined : createLocalEvmSigner(await readKeySetting(keys.evm)),
  };
}

/** Loads the sandbox's own keys, or creates them. */
async function loadSigners({ dataDir }: Config, name: 'treasury' | 'sponsor') {
  return {
    solana: createLocalSolanaSigner((await loadKeyFile(dataDir, `${name}-solana`)).toString('hex')),
    evm: createLocalEvmSigner((await loadKeyFile(dataDir, `${name}-evm`)).toString('hex')),
  };
}

/** Payouts and settlements cost gas. In the sandbox, treasury and sponsor get it from the faucet, concurrently. */
async function fundSigners(
  localChains: SandboxChains,
  chain: Chain,
  sponsors: { readonly solana: { readonly address: string }; readonly evm: { readonly address: string } },
): Promise<void> {
  await Promise.all([chain.treasury, sponsors[chain.kind].address].map((address) => fundGas(localChains, chain, address)));
}

async function fundGas(localChains: SandboxChains, chain: Chain, address: string, coins = SANDBOX_GAS_COINS): Promise<void> {
  const wanted = coins * 10n ** BigInt(networkFacts[chain.network].coin.decimals);
  const { native } = await chain.readBalances(address);
  if (native >= wanted / 2n) return;
  const { network } = chain;
  await localChains.fund({ network, address, usdcMicros: 0n, native: wanted }).catch((error: unknown) => {
    throw new ChainUnavailable(network, 'the faucet does not answer', error);
  });
  await untilFunded(chain, address);
}

/** Undefined if the sandbox has no Solana. */
async function openLocalVenue(endpoints: readonly NetworkEndpoint[], { dataDir }: Config): Promise<LocalVenue | undefined> {
  const endpoint = endpoints.find(({ network }) => networkFacts[network].kind === 'solana');
  if (endpoint === undefined) return undefined;
  const signer = createLocalSolanaSigner((await loadKeyFile(dataDir, 'swap-venue-solana')).toString('hex'));
  return createLocalVenue({ rpc: createSolanaRpc(openRpc(endpoint)), signer, usdcMint: endpoint.usdcAddress });
}

/** Fills an empty pool once, at 150 USDC per SOL. Later, trades decide the price. */
async function fillPool(localChains: SandboxChains, { address, readPool }: LocalVenue): Promise<void> {
  const { usdcMicros } = await readPool();
  if (usdcMicros > 0n) return;
  await localChains.fund({ network: 'solana-mainnet', address, usdcMicros: POOL.usdcMicros, native: POOL.lamports });
}

/** Funds the ready wallets, vault and pool in the background, and retries while a chain is unavailable. Returns a function that ends it. */
function fundMeanwhile(
  localChains: SandboxChains,
  { feeVault, localVenue }: Pick<OpenedChains, 'feeVault' | 'localVenue'>,
  log: Logger,
): () => void {
  const alarm = createAlarm();
  let closing = false;
  const gifts = [
    () => localChains.fundWallets(),
    ...(feeVault === undefined ? [] : [() => fundGas(localChains, feeVault, feeVault.treasury, SANDBOX_FEE_FLOAT_COINS)]),
    ...(localVenue === undefined ? [] : [() => fillPool(localChains, localVenue)]),
  ];
  async function give(): Promise<void> {
    for (let failures = 0; !closing; failures++) {
      // Concurrently, because one by one is slow. Each is safe to repeat.
      const given = await Promise.allSettled(gifts.map((gift) => gift()));
      const failed = given.find((one) => one.status === 'rejected');
      if (failed === undefined || closing) return;
      if (failures === 0) log.warn({ err: failed.reason }, 'the ready wallets could not be funded yet; the next try follows');
      await alarm.wait(GIFT_PAUSE_MS);
    }
  }
  void give();
  return () => {
    closing = true;
    alarm.wake();
  };
}

/** Waits until a transfer of the faucet shows in the balance. */
async function untilFunded(chain: Chain, address: string): Promise<void> {
  for (let attempt = 0; attempt < 150; attempt++) {
    const { native } = await chain.readBalances(address);
    if (native > 0n) return;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  throw new ChainUnavailable(chain.network, `the faucet did not fund ${address}`);
}
