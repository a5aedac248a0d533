/** Opens the chains of this deployment: clients, treasury signers, second opinions, proof of identity. */
import { type NetworkName, networkFacts } from '@market/contract';
import type { Chain } from './chain.ts';
import { createEvmChain } from './evm/evm-chain.ts';
import { withIdentityWatch } from './identity-watch.ts';
import { createJsonRpcClient } from './json-rpc.ts';
import type { NetworkEndpoint } from './network-endpoints.ts';
import { withSecondOpinion } from './second-opinion.ts';
import { createSolanaChain } from './solana/solana-chain.ts';
import type { SolanaSigner } from './solana/solana-signer.ts';
import type { EvmSigner } from './treasury-signer.ts';

/** With an address alone the treasury is only watched; with a signer it also pays. */
export interface TreasurySigners {
  readonly solana: SolanaSigner | { readonly address: string } | undefined;
  readonly evm: EvmSigner | { readonly address: string } | undefined;
  /** Pay the fees of USDC transfers instead of the wallet that sends. */
  readonly feePayers?: { readonly solana: SolanaSigner | undefined; readonly evm: EvmSigner | undefined };
}

/** Short, because a client waits for the check of its signature and can send it again. */
const SIGNATURE_PATIENCE = { timeoutMs: 3_000, tries: 2 };

export async function openChains(
  endpoints: readonly NetworkEndpoint[],
  signers: TreasurySigners,
  secondOpinionFromMicros: bigint,
  provenForMs?: number,
): Promise<ReadonlyMap<NetworkName, Chain>> {
  const chains = new Map<NetworkName, Chain>();
  for (const endpoint of endpoints) {
    const chain = openNetwork(endpoint, signers, secondOpinionFromMicros, provenForMs);
    await chain.requireIdentity();
    chains.set(endpoint.network, chain);
  }
  return chains;
}

/** Asks nothing yet: the node proves its network beside the first answer that counts. */
export function openNetwork(
  endpoint: NetworkEndpoint,
  signers: TreasurySigners,
  secondOpinionFromMicros: bigint,
  provenForMs?: number,
): Chain {
  const { secondUrl, urls } = endpoint;
  const open = (nodes: readonly string[]) => withIdentityWatch(openChain(endpoint, nodes, signers), provenForMs);
  const first = open(urls);
  return secondUrl === undefined ? first : withSecondOpinion(first, open([secondUrl]), secondOpinionFromMicros);
}

function openChain(endpoint: NetworkEndpoint, urls: readonly string[], signers: TreasurySigners): Chain {
  const { network, caip2, usdcAddress, isMainnet, firstBlockHash, tokenLauncher } = endpoint;
  const rpc = createJsonRpcClient({ network, urls });
  if (networkFacts[network].kind === 'solana') {
    const identity = firstBlockHash === undefined ? {} : { identity: { genesisHash: firstBlockHash } };
    const treasury = requireSigner(signers.solana, network);
    const payers = { treasury, feePayer: signers.feePayers?.solana };
    return createSolanaChain({ network, caip2, usdcMint: usdcAddress, ...payers, rpc, tokenLauncher, ...identity });
  }
  const chainId = Number(caip2.split(':')[1]);
  const identity = firstBlockHash === undefined ? {} : { identity: { blockNumber: 0n, blockHash: firstBlockHash } };
  const signatureRpc = createJsonRpcClient({ network, urls, ...SIGNATURE_PATIENCE });
  // The sandbox's history is short, so its watch begins at block 0; on mainnet it begins with the service.
  // The sandbox can take back every block above `finalized` on request.
  const start = isMainnet ? {} : { startBlock: 0n, finalTag: 'finalized' as const };
  return createEvmChain({
    network,
    chainId,
    usdcAddress,
    treasury: requireSigner(signers.evm, network),
    feePayer: signers.feePayers?.evm,
    rpc,
    signatureRpc,
    ...identity,
    ...start,
  });
}

function requireSigner<T>(signer: T | undefined, network: NetworkName): T {
  if (signer === undefined) throw new Error(`no treasury key is configured for ${network}`);
  return signer;
}
