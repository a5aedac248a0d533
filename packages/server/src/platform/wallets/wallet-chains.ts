/**
 * Chains for wallets other than the treasury: the same adapters with the wallet as their treasury. The sponsor pays the fees of USDC, so a
 * wallet needs no coins to send it; a transfer of the network's own coin pays its own fee.
 */
import { type NetworkName, networkFacts } from '@market/contract';
import type { Address } from '@solana/addresses';
import { AccountRole } from '@solana/instructions';
import { z } from 'zod';
import { type Chain, ChainUnavailable, type OutgoingTransfer } from '../chains/chain.ts';
import { quantity } from '../chains/evm/node-answers.ts';
import type { JsonRpcClient } from '../chains/json-rpc.ts';
import type { NetworkEndpoint } from '../chains/network-endpoints.ts';
import { openNetwork } from '../chains/open-chains.ts';
import { composeTransaction } from '../chains/solana/compose-transaction.ts';
import { setComputeLimit, setComputePrice } from '../chains/solana/instructions.ts';
import { SYSTEM_PROGRAM } from '../chains/solana/programs.ts';
import { createSolanaRpc } from '../chains/solana/solana-rpc.ts';
import type { SolanaSigner } from '../chains/solana/solana-signer.ts';
import { priceAmong } from '../chains/solana/transaction-fee.ts';
import type { LauncherName } from '../chains/token-launcher.ts';
import type { EvmSigner } from '../chains/treasury-signer.ts';
import { signingKey } from '../facilitator/evm-broadcast.ts';
import { openRpc } from '../facilitator/evm-domain.ts';
import type { SponsorSigners } from '../facilitator/open-facilitator.ts';

/** The key, or only the address if nothing is to be signed. */
export type WalletSigner = SolanaSigner | EvmSigner | { readonly address: string };
type Asset = OutgoingTransfer['asset'];

export interface WalletChains {
  readonly networks: readonly NetworkName[];
  open(network: NetworkName, wallet: WalletSigner, asset: Asset): Chain;
  /** Names the account whose transactions must be signed one by one. */
  turnOf(network: NetworkName, wallet: string, asset: Asset): string;
  /** Whether the marketplace pays the fees of this asset on this network. */
  isSponsored(network: NetworkName, asset: Asset): boolean;
  /** The fee that a landed transaction cost its fee payer, in lamports or wei, without rent. Undefined when the node does not show it. */
  readFee(network: NetworkName, reference: string): Promise<bigint | undefined>;
  /** Live costs of Solana; undefined if the deployment does not serve it. */
  readonly solanaCosts: SolanaCosts | undefined;
  readonly tokenLauncher: LauncherName;
}

export interface SolanaCosts {
  /** Rent minimum of an account with this many bytes, in lamports. */
  readRent(bytes: number): Promise<bigint>;
  /** The fee of a transaction with these signers at today's priority price, in lamports. */
  readFee(signers: readonly [string, ...string[]], computeUnits: number): Promise<bigint>;
}

export interface WalletChainsOptions {
  readonly endpoints: readonly NetworkEndpoint[];
  readonly sponsors: SponsorSigners;
  readonly secondOpinionFromMicros: bigint;
  readonly tokenLauncher: LauncherName;
}

export function openWalletChains({ endpoints, sponsors, secondOpinionFromMicros, tokenLauncher }: WalletChainsOptions): WalletChains {
  const clients = new Map<NetworkName, JsonRpcClient>(endpoints.map((endpoint) => [endpoint.network, openRpc(endpoint)]));
  const endpointOf = (network: NetworkName): NetworkEndpoint => {
    const found = endpoints.find((endpoint) => endpoint.network === network);
    if (found === undefined) throw new ChainUnavailable(network, 'no node is configured for this network');
    return found;
  };
  const sponsorOf = (network: NetworkName, asset: Asset) => (asset === 'usdc' ? sponsors[networkFacts[network].kind] : undefined);
  const solana = [...clients].find(([network]) => networkFacts[network].kind === 'solana')?.[1];
  return {
    networks: endpoints.map(({ network }) => network),
    open(network, wallet, asset) {
      const feePayers = asset === 'usdc' ? sponsors : { solana: undefined, evm: undefined };
      const signers = { solana: wallet as SolanaSigner, evm: wallet as EvmSigner, feePayers };
      return openNetwork({ ...endpointOf(network), tokenLauncher }, signers, secondOpinionFromMicros);
    },
    turnOf(network, wallet, asset) {
      const sponsor = sponsorOf(network, asset);
      // Settlements of x402 payments use the sponsor's account nonces, too, so they share one turn.
      if (sponsor !== undefined && 'signTransaction' in sponsor) return signingKey({ network }, sponsor);
      return `${endpointOf(network).caip2}/${wallet}`;
    },
    isSponsored: (network, asset) => sponsorOf(network, asset) !== undefined,
    async readFee(network, reference) {
      const rpc = clients.get(network);
      if (rpc === undefined) return undefined;
      return networkFacts[network].kind === 'evm' ? await readEvmFee(rpc, reference) : await readSolanaFee(rpc, reference);
    },
    solanaCosts: solana && createSolanaCosts(solana),
    tokenLauncher,
  };
}

const paidFee = z.object({ gasUsed: quantity, effectiveGasPrice: quantity, l1Fee: quantity.optional() });

async function readEvmFee(rpc: JsonRpcClient, reference: string): Promise<bigint | undefined> {
  const receipt = await rpc.call('eth_getTransactionReceipt', [reference], paidFee.nullable());
  return receipt === null ? undefined : receipt.gasUsed * receipt.effectiveGasPrice + (receipt.l1Fee ?? 0n);
}

async function readSolanaFee(rpc: JsonRpcClient, reference: string): Promise<bigint | undefined> {
  const transaction = await createSolanaRpc(rpc).findTransaction(reference);
  return transaction === null ? undefined : BigInt(transaction.meta.fee);
}

function createSolanaCosts(client: JsonRpcClient): SolanaCosts {
  const rpc = createSolanaRpc(client);
  return {
    readRent: (bytes) => rpc.readRentMinimum(bytes),
    async readFee(signers, computeUnits) {
      const [payer] = signers;
      const price = priceAmong(await rpc.listPriorityFees([payer as Address]));
      const touch = {
        programAddress: SYSTEM_PROGRAM,
        accounts: signers.map((address) => ({ address: address as Address, role: AccountRole.WRITABLE_SIGNER })),
        data: new Uint8Array(),
      };
      const steps = [setComputeLimit(computeUnits), setComputePrice(price), touch];
      const { messageBytes } = composeTransaction(payer as Address, await rpc.readLatestBlockhash(), steps);
      return await rpc.readFee(Buffer.from(messageBytes).toString('base64'));
    },
  };
}
