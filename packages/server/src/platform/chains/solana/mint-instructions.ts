/** The instructions that make a Token-2022 mint with its metadata on the mint itself, written out byte by byte. */
import { createHash } from 'node:crypto';
import type { Address } from '@solana/addresses';
import { AccountRole, type Instruction } from '@solana/instructions';
import { keyBytes, textBytes, u32, u64 } from './instruction-bytes.ts';
import { SYSTEM_PROGRAM, TOKEN_2022_PROGRAM } from './programs.ts';

const METADATA_POINTER = 39;
const NON_TRANSFERABLE = 32;
const INITIALIZE_MINT = 20;
const MINT_TO = 7;
const SET_AUTHORITY = 6;
const MINT_TOKENS_AUTHORITY = 0;
/** Marks the absence of an optional key. */
const NONE = 0;

export function createMintAccount(from: { payer: Address; mint: Address; lamports: bigint; bytes: number }): Instruction {
  return {
    programAddress: SYSTEM_PROGRAM,
    accounts: [
      { address: from.payer, role: AccountRole.WRITABLE_SIGNER },
      { address: from.mint, role: AccountRole.WRITABLE_SIGNER },
    ],
    data: Buffer.concat([u32(0), u64(from.lamports), u64(BigInt(from.bytes)), keyBytes(TOKEN_2022_PROGRAM)]),
  };
}

/** The metadata is on the mint itself. */
export function pointToMetadata(mint: Address, authority: Address): Instruction {
  return ofMint(mint, [Buffer.of(METADATA_POINTER, 0), keyBytes(authority), keyBytes(mint)]);
}

export function forbidTransfers(mint: Address): Instruction {
  return ofMint(mint, [Buffer.of(NON_TRANSFERABLE)]);
}

/** Nobody can freeze accounts of this token. */
export function initializeMint(mint: Address, decimals: number, authority: Address): Instruction {
  return ofMint(mint, [Buffer.of(INITIALIZE_MINT, decimals), keyBytes(authority), Buffer.of(NONE)]);
}

const INITIALIZE_METADATA = createHash('sha256').update('spl_token_metadata_interface:initialize_account').digest().subarray(0, 8);

export function writeMetadata(on: { mint: Address; authority: Address; name: string; symbol: string; uri: string }): Instruction {
  return {
    programAddress: TOKEN_2022_PROGRAM,
    accounts: [
      { address: on.mint, role: AccountRole.WRITABLE },
      { address: on.authority, role: AccountRole.READONLY },
      { address: on.mint, role: AccountRole.READONLY },
      { address: on.authority, role: AccountRole.READONLY_SIGNER },
    ],
    data: Buffer.concat([INITIALIZE_METADATA, textBytes(on.name), textBytes(on.symbol), textBytes(on.uri)]),
  };
}

export function mintTo(to: { mint: Address; tokenAccount: Address; authority: Address; amount: bigint }): Instruction {
  return {
    programAddress: TOKEN_2022_PROGRAM,
    accounts: [
      { address: to.mint, role: AccountRole.WRITABLE },
      { address: to.tokenAccount, role: AccountRole.WRITABLE },
      { address: to.authority, role: AccountRole.READONLY_SIGNER },
    ],
    data: Buffer.concat([Buffer.of(MINT_TO), u64(to.amount)]),
  };
}

/** From then on nobody can mint more. */
export function giveUpMinting(mint: Address, authority: Address): Instruction {
  return {
    programAddress: TOKEN_2022_PROGRAM,
    accounts: [
      { address: mint, role: AccountRole.WRITABLE },
      { address: authority, role: AccountRole.READONLY_SIGNER },
    ],
    data: Buffer.of(SET_AUTHORITY, MINT_TOKENS_AUTHORITY, NONE),
  };
}

function ofMint(mint: Address, data: readonly Uint8Array[]): Instruction {
  return { programAddress: TOKEN_2022_PROGRAM, accounts: [{ address: mint, role: AccountRole.WRITABLE }], data: Buffer.concat(data) };
}
