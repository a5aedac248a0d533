/** Opens the chains of this deployment: clients, treasury signers, second opinions, identity checks. */
import { type NetworkName, networkFacts } from '@market/contract';
import type { Logger } from '../telemetry/logger.ts';
import type { Chain } from './chain.ts';
import { createEvmChain } from './evm/evm-chain.ts';
import { withIdentityWatch } from './identity-watch.ts';
import { createJsonRpcClient } from './json-rpc.ts';
import type { NetworkEndpoint } from './network-endpoints.ts';
import { createNodeWatch, guardedBy, type NodeWatch } from './node-watch.ts';
import { withSecondOpinion } from './second-opinion.ts';
import { createSolanaChain } from './solana/solana-chain.ts';
import type { SolanaSigner } from './solana/solana-signer.ts';
import type { EvmSigner } from './treasury-signer.ts';

/** With only an address, this process watches the treasury; with a signer it also pays. */
export interface TreasurySigners {
  readonly solana: SolanaSigner | { readonly address: string } | undefined;
  readonly evm: EvmSigner | { readonly address: string } | undefined;
  /** Signers that pay the fees of USDC transfers instead of the sending wallet. */
  readonly feePayers?: { readonly solana: SolanaSigner | undefined; readonly evm: EvmSigner | undefined };
}

/** Short, because a client waits for the check of its signature and can send it again. */
const SIGNATURE_PATIENCE = { timeoutMs: 3_000, tries: 2 };

export interface OpenChainsOptions {
  readonly secondOpinionFromMicros: bigint;
  readonly log: Pick<Logger, 'warn' | 'error'>;
  /** Runs once a node has proven its network, before any other call to it. Repeated until it succeeds. */
  readonly prepare?: (endpoint: NetworkEndpoint) => Promise<void>;
  readonly provenForMs?: number | undefined;
}

export interface OpenedNetworks {
  readonly chains: ReadonlyMap<NetworkName, Chain>;
  /** The endpoints, each with its watch. */
  readonly endpoints: readonly NetworkEndpoint[];
  /** Networks that cannot be used now, with the reason. */
  readonly missing: () => Readonly<Record<string, string>>;
  close(): void;
}

/**
 * Does not wait for a node that is unavailable: its network recovers by itself. Throws for a node of another network, which is a wrong
 * setting.
 */
export async function openChains(
  endpoints: readonly NetworkEndpoint[],
  signers: TreasurySigners,
  { secondOpinionFromMicros, log, prepare, provenForMs }: OpenChainsOptions,
): Promise<OpenedNetworks> {
  const opened = endpoints.map((endpoint) => {
    const watch = createNodeWatch({
      network: endpoint.network,
      log,
      prove: () => chain.requireIdentity(),
      prepare: prepare && (() => prepare(endpoint)),
    });
    const guarded = { ...endpoint, watch };
    const chain = openNetwork(guarded, signers, secondOpinionFromMicros, provenForMs);
    return { guarded, chain, watch };
  });
  const close = (): void => {
    for (const { watch } of opened) watch.close();
  };
  const begun = await Promise.allSettled(opened.map(({ watch }) => watch.begin()));
  const refused = begun.find((one) => one.status === 'rejected');
  if (refused !== undefined) {
    close();
    throw refused.reason;
  }
  return {
    chains: new Map(opened.map(({ guarded, chain }) => [guarded.network, chain])),
    endpoints: opened.map(({ guarded }) => guarded),
    missing: () =>
      Object.fromEntries(
        opened.flatMap(({ guarded, watch }) => {
          const reason = watch.missing();
          return reason === undefined ? [] : [[guarded.network, reason]];
        }),
      ),
    close,
  };
}

/** Calls no node yet: the node proves its network together with its first answer that counts. */
export function openNetwork(
  endpoint: NetworkEndpoint,
  signers: TreasurySigners,
  secondOpinionFromMicros: bigint,
  provenForMs?: number,
): Chain {
  const { secondUrl } = endpoint;
  const open = (from: NetworkEndpoint) => withIdentityWatch(openChain(from, signers), provenForMs);
  const first = open(endpoint);
  if (secondUrl === undefined) return first;
  // The second node has no watch: it proves its network itself, and its outages do not make the network unavailable.
  const second = open({ ...endpoint, urls: [secondUrl], watch: undefined });
  return withSecondOpinion(first, second, secondOpinionFromMicros);
}

function openChain(endpoint: NetworkEndpoint, signers: TreasurySigners): Chain {
  const { network, caip2, urls, usdcAddress, isMainnet, firstBlockHash, tokenLauncher, watch } = endpoint;
  const identityRpc = createJsonRpcClient({ network, urls });
  const rpc = guardedBy(watch, identityRpc);
  if (networkFacts[network].kind === 'solana') {
    const identity = firstBlockHash === undefined ? {} : { identity: { genesisHash: firstBlockHash } };
    const treasury = requireSigner(signers.solana, network);
    const payers = { treasury, feePayer: signers.feePayers?.solana };
    return createSolanaChain({ network, caip2, usdcMint: usdcAddress, ...payers, rpc, identityRpc, tokenLauncher, ...identity });
  }
  const chainId = Number(caip2.split(':')[1]);
  const identity = firstBlockHash === undefined ? {} : { identity: { blockNumber: 0n, blockHash: firstBlockHash } };
  const signatureRpc = guardedBy(watch && onlyGuarded(watch), createJsonRpcClient({ network, urls, ...SIGNATURE_PATIENCE }));
  // The sandbox's history is short, so its search begins at block 0; on mainnet it begins with the service.
  // The sandbox can revert every block above `finalized` on request.
  const start = isMainnet ? {} : { startBlock: 0n, finalTag: 'finalized' as const };
  return createEvmChain({
    network,
    chainId,
    usdcAddress,
    treasury: requireSigner(signers.evm, network),
    feePayer: signers.feePayers?.evm,
    rpc,
    identityRpc,
    signatureRpc,
    ...identity,
    ...start,
  });
}

/** Checks of strangers' signatures do not report outages: their failures say nothing about the node. */
function onlyGuarded({ requireProven }: NodeWatch): NodeWatch {
  return { requireProven, noteAnswer: () => undefined, noteSilence: () => undefined };
}

function requireSigner<T>(signer: T | undefined, network: NetworkName): T {
  if (signer === undefined) throw new Error(`no treasury key is configured for ${network}`);
  return signer;
}
