/** Context shared by the parts of the adapter: the node, the treasury's addresses and its signer, if any. */
import type { NetworkName } from '@market/contract';
import type { Address } from '@solana/addresses';
import type { JsonRpcClient } from '../json-rpc.ts';
import type { LauncherName } from '../token-launcher.ts';
import { requireAddress } from './base58-text.ts';
import type { TreasuryAddresses } from './judge-transaction.ts';
import { createSolanaRpc, type SolanaRpc } from './solana-rpc.ts';
import type { SolanaSigner } from './solana-signer.ts';
import { deriveTokenAccount } from './token-account.ts';

export interface SolanaChainOptions {
  readonly network: NetworkName;
  readonly caip2?: string;
  readonly usdcMint: string;
  /** An address alone can receive; paying out needs the signer. */
  readonly treasury: SolanaSigner | { readonly address: string };
  /** Pays fees and rent of USDC transfers instead of the treasury. */
  readonly feePayer?: SolanaSigner | undefined;
  readonly rpc: JsonRpcClient;
  /** For the identity check, while `rpc` waits for it. */
  readonly identityRpc?: JsonRpcClient;
  /** Default: `token2022`. */
  readonly tokenLauncher?: LauncherName | undefined;
  /** The genesis that the node must have. Absent in the sandbox, whose genesis is random. */
  readonly identity?: { readonly genesisHash: string };
}

export interface SolanaContext extends TreasuryAddresses {
  readonly rpc: SolanaRpc;
  readonly signer: SolanaSigner | undefined;
  readonly feePayer?: SolanaSigner | undefined;
  readonly tokenLauncher: LauncherName;
}

/** The account that pays the fee and rent of a USDC transfer. */
export function feeAccountOf({ feePayer, treasury }: SolanaContext): Address {
  return (feePayer?.address ?? treasury) as Address;
}

export async function openSolanaContext(options: SolanaChainOptions): Promise<SolanaContext> {
  const { usdcMint, treasury, rpc, feePayer, tokenLauncher = 'token2022' } = options;
  const mint = requireAddress(usdcMint, 'USDC mint');
  const owner = requireAddress(treasury.address, 'treasury');
  return {
    rpc: createSolanaRpc(rpc),
    usdcMint: mint,
    treasury: owner,
    treasuryAccount: await deriveTokenAccount(owner, mint),
    signer: 'signMessage' in treasury ? treasury : undefined,
    feePayer,
    tokenLauncher,
  };
}
