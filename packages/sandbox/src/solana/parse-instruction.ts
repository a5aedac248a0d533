// Parses instructions for the "jsonParsed" encoding: System, tokens, associated accounts and memos. It returns other instructions unparsed,
// like a node with unknown programs.

import { encodeBase58 } from './base58.ts';
import { ASSOCIATED_TOKEN_PROGRAM, MEMO_PROGRAMS, SYSTEM_PROGRAM, TOKEN_PROGRAM } from './programs.ts';
import { isTokenProgram, toTokenAmount } from './token-account.ts';

interface RawInstruction {
  readonly program: string;
  readonly accounts: readonly string[];
  readonly data: Uint8Array;
  readonly stackHeight: number;
}

interface Meaning {
  readonly type: string;
  readonly info: object;
}

type Accounts = readonly string[];

export function parseInstruction({ program, accounts, data, stackHeight }: RawInstruction): object {
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.length);
  if (MEMO_PROGRAMS.includes(program)) return { program: 'spl-memo', programId: program, parsed: bytes.toString('utf8'), stackHeight };
  const meaning = findMeaning(program, accounts, bytes);
  if (meaning === undefined) return { programId: program, accounts, data: encodeBase58(data), stackHeight };
  return { program: nameProgram(program), programId: program, parsed: meaning, stackHeight };
}

function nameProgram(program: string): string {
  if (program === SYSTEM_PROGRAM) return 'system';
  if (program === ASSOCIATED_TOKEN_PROGRAM) return 'spl-associated-token-account';
  return program === TOKEN_PROGRAM ? 'spl-token' : 'spl-token-2022';
}

function findMeaning(program: string, accounts: Accounts, data: Buffer): Meaning | undefined {
  try {
    if (program === SYSTEM_PROGRAM) return SYSTEM_MEANINGS[data.readUInt32LE(0)]?.(accounts, data);
    if (program === ASSOCIATED_TOKEN_PROGRAM) return parseAssociated(accounts, data);
    return isTokenProgram(program) ? TOKEN_MEANINGS[data.readUInt8(0)]?.(accounts, data) : undefined;
  } catch (error) {
    if (error instanceof RangeError) return undefined; // the instruction is shorter than its kind requires
    throw error;
  }
}

const address = (data: Buffer, at: number) => encodeBase58(data.subarray(at, at + 32));
const u64 = (data: Buffer, at: number) => data.readBigUInt64LE(at);
const small = (data: Buffer, at: number) => Number(u64(data, at));

const SYSTEM_MEANINGS: Readonly<Record<number, (accounts: Accounts, data: Buffer) => Meaning>> = {
  0: ([source, newAccount], data) => ({
    type: 'createAccount',
    info: { source, newAccount, lamports: small(data, 4), space: small(data, 12), owner: address(data, 20) },
  }),
  1: ([account], data) => ({ type: 'assign', info: { account, owner: address(data, 4) } }),
  2: ([source, destination], data) => ({ type: 'transfer', info: { source, destination, lamports: small(data, 4) } }),
  8: ([account], data) => ({ type: 'allocate', info: { account, space: small(data, 4) } }),
};

function parseAssociated(accounts: Accounts, data: Buffer): Meaning | undefined {
  const type = data.length === 0 || data[0] === 0 ? 'create' : data[0] === 1 ? 'createIdempotent' : undefined;
  const [source, account, wallet, mint, systemProgram, tokenProgram] = accounts;
  return type && { type, info: { source, account, wallet, mint, systemProgram, tokenProgram } };
}

/** The signers: one account, or a multisig account followed by its signers. */
function signer(accounts: Accounts, index: number, role = 'authority'): object {
  if (accounts.length <= index + 1) return { [role]: accounts[index] };
  return { [`multisig${role.charAt(0).toUpperCase()}${role.slice(1)}`]: accounts[index], signers: accounts.slice(index + 1) };
}

const TOKEN_MEANINGS: Readonly<Record<number, (accounts: Accounts, data: Buffer) => Meaning>> = {
  3: (accounts, data) => ({
    type: 'transfer',
    info: { source: accounts[0], destination: accounts[1], amount: u64(data, 1).toString(), ...signer(accounts, 2) },
  }),
  4: (accounts, data) => ({
    type: 'approve',
    info: { source: accounts[0], delegate: accounts[1], amount: u64(data, 1).toString(), ...signer(accounts, 2, 'owner') },
  }),
  5: (accounts) => ({ type: 'revoke', info: { source: accounts[0], ...signer(accounts, 1, 'owner') } }),
  6: (accounts, data) => ({
    type: 'setAuthority',
    info: {
      [data.readUInt8(1) < 2 ? 'mint' : 'account']: accounts[0],
      authorityType: ['mintTokens', 'freezeAccount', 'accountOwner', 'closeAccount'][data.readUInt8(1)] ?? 'other',
      newAuthority: data.readUInt8(2) === 0 ? null : address(data, 3),
      ...signer(accounts, 1),
    },
  }),
  7: (accounts, data) => ({
    type: 'mintTo',
    info: { mint: accounts[0], account: accounts[1], amount: u64(data, 1).toString(), ...signer(accounts, 2, 'mintAuthority') },
  }),
  8: (accounts, data) => ({
    type: 'burn',
    info: { account: accounts[0], mint: accounts[1], amount: u64(data, 1).toString(), ...signer(accounts, 2) },
  }),
  9: (accounts) => ({ type: 'closeAccount', info: { account: accounts[0], destination: accounts[1], ...signer(accounts, 2, 'owner') } }),
  12: (accounts, data) => ({
    type: 'transferChecked',
    info: {
      source: accounts[0],
      mint: accounts[1],
      destination: accounts[2],
      tokenAmount: toTokenAmount(u64(data, 1), data.readUInt8(9)),
      ...signer(accounts, 3),
    },
  }),
  14: (accounts, data) => ({
    type: 'mintToChecked',
    info: {
      mint: accounts[0],
      account: accounts[1],
      tokenAmount: toTokenAmount(u64(data, 1), data.readUInt8(9)),
      ...signer(accounts, 2, 'mintAuthority'),
    },
  }),
  17: ([account]) => ({ type: 'syncNative', info: { account } }),
  18: ([account, mint], data) => ({ type: 'initializeAccount3', info: { account, mint, owner: address(data, 1) } }),
  20: ([mint], data) => ({ type: 'initializeMint2', info: { mint, decimals: data.readUInt8(1), mintAuthority: address(data, 2) } }),
  21: ([mint]) => ({ type: 'getAccountDataSize', info: { mint, extensionTypes: ['immutableOwner'] } }),
  22: ([account]) => ({ type: 'initializeImmutableOwner', info: { account } }),
};
