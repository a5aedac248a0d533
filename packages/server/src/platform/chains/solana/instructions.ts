/** The few instructions a payout consists of, written out: each is a handful of bytes that never change. */
import type { Address } from '@solana/addresses';
import { AccountRole, type Instruction } from '@solana/instructions';
import { ASSOCIATED_TOKEN_PROGRAM, COMPUTE_BUDGET_PROGRAM, MEMO_PROGRAM, SYSTEM_PROGRAM, TOKEN_PROGRAM } from './programs.ts';

export const USDC_DECIMALS = 6;

export function setComputeLimit(units: number): Instruction {
  const data = Buffer.alloc(5);
  data.writeUInt8(2, 0);
  data.writeUInt32LE(units, 1);
  return { programAddress: COMPUTE_BUDGET_PROGRAM, data };
}

export function setComputePrice(microLamports: bigint): Instruction {
  const data = Buffer.alloc(9);
  data.writeUInt8(3, 0);
  data.writeBigUInt64LE(microLamports, 1);
  return { programAddress: COMPUTE_BUDGET_PROGRAM, data };
}

/** Does nothing when the account exists, so it can always be part of a payout. */
export function createTokenAccount(from: {
  payer: Address;
  tokenAccount: Address;
  owner: Address;
  mint: Address;
  program?: Address;
}): Instruction {
  return {
    programAddress: ASSOCIATED_TOKEN_PROGRAM,
    accounts: [
      { address: from.payer, role: AccountRole.WRITABLE_SIGNER },
      { address: from.tokenAccount, role: AccountRole.WRITABLE },
      { address: from.owner, role: AccountRole.READONLY },
      { address: from.mint, role: AccountRole.READONLY },
      { address: SYSTEM_PROGRAM, role: AccountRole.READONLY },
      { address: from.program ?? TOKEN_PROGRAM, role: AccountRole.READONLY },
    ],
    data: Uint8Array.of(1),
  };
}

/** States mint and decimals, so that a mistaken account makes it fail instead of moving something else. */
export function transferUsdc(move: { source: Address; mint: Address; destination: Address; owner: Address; micros: bigint }): Instruction {
  const data = Buffer.alloc(10);
  data.writeUInt8(12, 0);
  data.writeBigUInt64LE(move.micros, 1);
  data.writeUInt8(USDC_DECIMALS, 9);
  return {
    programAddress: TOKEN_PROGRAM,
    accounts: [
      { address: move.source, role: AccountRole.WRITABLE },
      { address: move.mint, role: AccountRole.READONLY },
      { address: move.destination, role: AccountRole.WRITABLE },
      { address: move.owner, role: AccountRole.READONLY_SIGNER },
    ],
    data,
  };
}

export function transferSol(from: Address, to: Address, lamports: bigint): Instruction {
  const data = Buffer.alloc(12);
  data.writeUInt32LE(2, 0);
  data.writeBigUInt64LE(lamports, 4);
  return {
    programAddress: SYSTEM_PROGRAM,
    accounts: [
      { address: from, role: AccountRole.WRITABLE_SIGNER },
      { address: to, role: AccountRole.WRITABLE },
    ],
    data,
  };
}

export function writeMemo(text: string): Instruction {
  return { programAddress: MEMO_PROGRAM, data: Buffer.from(text, 'utf8') };
}
