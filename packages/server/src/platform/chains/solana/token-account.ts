/** Address and contents of a wallet's USDC account. */
import { type Address, getAddressDecoder } from '@solana/addresses';
import { findAssociatedTokenPda } from '@solana-program/token';
import { TOKEN_PROGRAM } from './programs.ts';
import type { SolanaAccount } from './solana-rpc.ts';

export interface TokenAccount {
  readonly mint: Address;
  readonly owner: Address;
  readonly micros: bigint;
  readonly frozen: boolean;
}

export const TOKEN_ACCOUNT_BYTES = 165;
const FROZEN = 2;
const MINT_BYTES = 82;

/** The associated token account: the standard address of a wallet's tokens of this mint. */
export async function deriveTokenAccount(owner: Address, mint: Address, program: Address = TOKEN_PROGRAM): Promise<Address> {
  const [found] = await findAssociatedTokenPda({ owner, mint, tokenProgram: program });
  return found;
}

/** Undefined unless it is a token account of the token program. */
export function readTokenAccount(account: SolanaAccount | null | undefined): TokenAccount | undefined {
  if (account?.owner !== TOKEN_PROGRAM || account.data.length !== TOKEN_ACCOUNT_BYTES) return undefined;
  const { data } = account;
  const state = data.readUInt8(108);
  if (state === 0) return undefined;
  const decoder = getAddressDecoder();
  return { mint: decoder.decode(data, 0), owner: decoder.decode(data, 32), micros: data.readBigUInt64LE(64), frozen: state === FROZEN };
}

/** Undefined unless it is a mint of the token program. */
export function readMintDecimals(account: SolanaAccount | null | undefined): number | undefined {
  if (account?.owner !== TOKEN_PROGRAM || account.data.length !== MINT_BYTES || account.data.readUInt8(45) !== 1) return undefined;
  return account.data.readUInt8(44);
}
