// Reads token accounts and mints from their bytes (both token programs share the layout).

import type { AccountImage, MaybeAccount } from './account-image.ts';
import { encodeBase58 } from './base58.ts';
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from './programs.ts';

const MINT_BYTES = 82;
const ACCOUNT_BYTES = 165;
const KIND_AT = 165;
const MINT_KIND = 1;
const ACCOUNT_KIND = 2;

export interface TokenAccount {
  readonly mint: string;
  readonly owner: string;
  readonly amount: bigint;
  readonly state: 'initialized' | 'frozen';
  readonly delegate: string | undefined;
  readonly delegatedAmount: bigint;
  readonly rentReserve: bigint | undefined;
  readonly closeAuthority: string | undefined;
}

export interface Mint {
  readonly mintAuthority: string | null;
  readonly supply: bigint;
  readonly decimals: number;
  readonly freezeAuthority: string | null;
}

export interface TokenAmount {
  readonly amount: string;
  readonly decimals: number;
  readonly uiAmount: number | null;
  readonly uiAmountString: string;
}

export function isTokenProgram(program: string): boolean {
  return program === TOKEN_PROGRAM || program === TOKEN_2022_PROGRAM;
}

export function findTokenAccount(account: MaybeAccount): TokenAccount | undefined {
  const data = tokenData(account);
  if (data === undefined || data.length < ACCOUNT_BYTES) return undefined;
  if (data.length > ACCOUNT_BYTES && data[KIND_AT] !== ACCOUNT_KIND) return undefined;
  const state = data.readUInt8(108);
  if (state === 0) return undefined;
  return {
    mint: encodeBase58(data.subarray(0, 32)),
    owner: encodeBase58(data.subarray(32, 64)),
    amount: data.readBigUInt64LE(64),
    state: state === 2 ? 'frozen' : 'initialized',
    delegate: optionalAddress(data, 72),
    delegatedAmount: data.readBigUInt64LE(121),
    rentReserve: data.readUInt32LE(109) === 0 ? undefined : data.readBigUInt64LE(113),
    closeAuthority: optionalAddress(data, 129),
  };
}

export function findMint(account: MaybeAccount): Mint | undefined {
  const data = tokenData(account);
  if (data === undefined) return undefined;
  const isMint = data.length === MINT_BYTES || (data.length > KIND_AT && data[KIND_AT] === MINT_KIND);
  if (!isMint || data[45] === 0) return undefined;
  return {
    mintAuthority: optionalAddress(data, 0) ?? null,
    supply: data.readBigUInt64LE(36),
    decimals: data.readUInt8(44),
    freezeAuthority: optionalAddress(data, 46) ?? null,
  };
}

export function createMintData(authority: Uint8Array, decimals: number): Uint8Array {
  const data = Buffer.alloc(MINT_BYTES);
  for (const at of [0, 46]) {
    data.writeUInt32LE(1, at);
    data.set(authority, at + 4);
  }
  data.writeUInt8(decimals, 44);
  data.writeUInt8(1, 45);
  return data;
}

export function toTokenAmount(amount: bigint, decimals: number): TokenAmount {
  const digits = amount.toString().padStart(decimals + 1, '0');
  const whole = digits.slice(0, digits.length - decimals);
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, '');
  const text = fraction === '' ? whole : `${whole}.${fraction}`;
  return { amount: amount.toString(), decimals, uiAmount: Number(text), uiAmountString: text };
}

function tokenData(account: AccountImage | undefined): Buffer | undefined {
  if (account === undefined || !isTokenProgram(account.owner)) return undefined;
  return Buffer.from(account.data.buffer, account.data.byteOffset, account.data.length);
}

function optionalAddress(data: Buffer, at: number): string | undefined {
  return data.readUInt32LE(at) === 0 ? undefined : encodeBase58(data.subarray(at + 4, at + 36));
}
