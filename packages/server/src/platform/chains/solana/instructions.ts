/** The instructions of a payout, by addresses. The transaction adds the signing keys. */
import type { Address } from '@solana/addresses';
import type { Instruction } from '@solana/instructions';
import { createNoopSigner } from '@solana/kit';
import { getSetComputeUnitLimitInstruction, getSetComputeUnitPriceInstruction } from '@solana-program/compute-budget';
import { getAddMemoInstruction } from '@solana-program/memo';
import { getTransferSolInstruction } from '@solana-program/system';
import { getCreateAssociatedTokenIdempotentInstruction, getTransferCheckedInstruction } from '@solana-program/token';
import { TOKEN_PROGRAM } from './programs.ts';

export const USDC_DECIMALS = 6;

export function setComputeLimit(units: number): Instruction {
  return getSetComputeUnitLimitInstruction({ units });
}

export function setComputePrice(microLamports: bigint): Instruction {
  return getSetComputeUnitPriceInstruction({ microLamports });
}

/** Does nothing when the account exists, so it can always be part of a payout. */
export function createTokenAccount(from: {
  payer: Address;
  tokenAccount: Address;
  owner: Address;
  mint: Address;
  program?: Address;
}): Instruction {
  const { payer, tokenAccount: ata, owner, mint, program: tokenProgram = TOKEN_PROGRAM } = from;
  return getCreateAssociatedTokenIdempotentInstruction({ payer: createNoopSigner(payer), ata, owner, mint, tokenProgram });
}

/** States mint and decimals, so that a wrong account fails the transfer instead of moving another token. */
export function transferUsdc(move: { source: Address; mint: Address; destination: Address; owner: Address; micros: bigint }): Instruction {
  const { source, mint, destination, owner, micros: amount } = move;
  return getTransferCheckedInstruction({ source, mint, destination, authority: createNoopSigner(owner), amount, decimals: USDC_DECIMALS });
}

export function transferSol(from: Address, to: Address, lamports: bigint): Instruction {
  return getTransferSolInstruction({ source: createNoopSigner(from), destination: to, amount: lamports });
}

export function writeMemo(text: string): Instruction {
  return getAddMemoInstruction({ memo: text });
}
