/** Brings up the chains of this deployment: mainnet's from the settings, or the sandbox's own with a funded treasury. */
import path from 'node:path';
import type { NetworkName } from '@market/contract';
import { openSandboxChains, type SandboxChains } from '@market/sandbox';
import type { Config } from '../config.ts';
import type { Chain } from '../platform/chains/chain.ts';
import { mainnetPlaces, sandboxPlaces } from '../platform/chains/network-places.ts';
import { openChains, type TreasurySigners } from '../platform/chains/open-chains.ts';
import { createLocalSolanaSigner } from '../platform/chains/solana/solana-signer.ts';
import { ensureTreasuryAccounts } from '../platform/chains/treasury-accounts.ts';
import { createLocalEvmSigner, readKeySetting } from '../platform/chains/treasury-signer.ts';
import { loadKeyFile } from '../platform/secrets/key-file.ts';
import type { Logger } from '../platform/telemetry/logger.ts';

export interface OpenedChains {
  readonly chains: ReadonlyMap<NetworkName, Chain>;
  readonly localChains: SandboxChains | undefined;
  close(): Promise<void>;
}

/** Enough gas for thousands of payouts, in each chain's smallest unit. */
const SANDBOX_GAS = { solana: 100n * 10n ** 9n, evm: 100n * 10n ** 18n };

export async function openConfiguredChains(config: Config, log: Logger): Promise<OpenedChains> {
  if (config.profile === 'production') {
    const signers = await configuredSigners(config);
    const places = mainnetPlaces(config);
    const chains = await openChains(places, signers, config.chains.secondOpinionFromMicros);
    await ensureTreasuryAccounts(places, signers);
    return { chains, localChains: undefined, close: async () => undefined };
  }
  if (config.sandboxChains.mode === 'off') return { chains: new Map(), localChains: undefined, close: async () => undefined };

  const localChains = await openSandboxChains({
    folder: path.join(config.dataDir, 'chains'),
    ports: config.sandboxChains.ports,
    fast: config.sandboxChains.mode === 'fast',
    log: (message) => log.info(message),
  });
  try {
    const signers: TreasurySigners = {
      solana: createLocalSolanaSigner((await loadKeyFile(config.dataDir, 'treasury-solana')).toString('hex')),
      evm: createLocalEvmSigner((await loadKeyFile(config.dataDir, 'treasury-evm')).toString('hex')),
    };
    const places = sandboxPlaces(localChains.networks);
    const chains = await openChains(places, signers, config.chains.secondOpinionFromMicros);
    await fundTreasuries(localChains, chains);
    await ensureTreasuryAccounts(places, signers);
    const close = fundWalletsMeanwhile(localChains, log);
    log.info({ networks: places.map(({ network, urls }) => `${network} ${urls[0]}`) }, 'the local chains are up');
    return { chains, localChains, close };
  } catch (error) {
    await localChains.close();
    throw error;
  }
}

async function configuredSigners({ chains: { treasuryKeys } }: Config): Promise<TreasurySigners> {
  return {
    solana: treasuryKeys.solana === undefined ? undefined : createLocalSolanaSigner(await readKeySetting(treasuryKeys.solana)),
    evm: treasuryKeys.evm === undefined ? undefined : createLocalEvmSigner(await readKeySetting(treasuryKeys.evm)),
  };
}

/** Payouts cost gas; the sandbox's treasury gets it from the faucet. */
async function fundTreasuries(localChains: SandboxChains, chains: ReadonlyMap<NetworkName, Chain>): Promise<void> {
  for (const chain of chains.values()) {
    const wanted = SANDBOX_GAS[chain.kind];
    const { native } = await chain.readBalances(chain.treasury);
    if (native >= wanted / 2n) continue;
    await localChains.fund({ network: chain.network, address: chain.treasury, usdcMicros: 0n, native: wanted });
    await untilFunded(chain);
  }
}

/** Nobody waits for it: the wallets are there already, their coins a moment later. Returns how to close the chains, funded or not. */
function fundWalletsMeanwhile(localChains: SandboxChains, log: Logger): () => Promise<void> {
  let closing = false;
  localChains.fundWallets().catch((error: unknown) => {
    if (!closing) log.warn({ err: error }, 'the ready wallets could not be funded; the next start tries again');
  });
  return async () => {
    closing = true;
    await localChains.close();
  };
}

/** A transfer counts a moment after it was made. */
async function untilFunded(chain: Chain): Promise<void> {
  for (let attempt = 0; attempt < 150; attempt++) {
    const { native } = await chain.readBalances(chain.treasury);
    if (native > 0n) return;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  throw new Error(`the faucet of ${chain.network} did not fund the treasury`);
}
