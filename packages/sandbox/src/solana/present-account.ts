// Presents an account in the encodings of a node, and token accounts and mints in parsed form.

import { zstdCompressSync } from 'node:zlib';
import type { AccountImage, MaybeAccount } from './account-image.ts';
import { encodeBase58 } from './base58.ts';
import { TOKEN_PROGRAM } from './programs.ts';
import { invalidParams, RpcError } from './rpc-error.ts';
import { type Config, readChoice, readConfig, readInteger } from './rpc-params.ts';
import { findMint, findTokenAccount, toTokenAmount } from './token-account.ts';

const ENCODINGS = ['binary', 'base58', 'base64', 'base64+zstd', 'jsonParsed'] as const;
const MAX_BASE58_BYTES = 128;
/** The rent epoch of nodes. It exceeds exact JavaScript numbers, so it is raw JSON. */
const NEVER_COLLECTED = rawJson('18446744073709551615');

export type AccountEncoding = (typeof ENCODINGS)[number];

export interface AccountView {
  readonly encoding: AccountEncoding;
  readonly slice: { readonly offset: number; readonly length: number } | undefined;
}

export function readAccountView(config: Config): AccountView {
  const encoding = readChoice(config['encoding'], ENCODINGS, 'binary');
  const slice = config['dataSlice'] === undefined || config['dataSlice'] === null ? undefined : readConfig(config['dataSlice']);
  if (slice === undefined) return { encoding, slice };
  return { encoding, slice: { offset: readInteger(slice['offset'], 'offset'), length: readInteger(slice['length'], 'length') } };
}

export function presentAccount(account: MaybeAccount, view: AccountView, find: (address: string) => MaybeAccount): unknown {
  if (account === undefined) return null;
  const { lamports, owner, executable, data } = account;
  return { lamports, owner, executable, rentEpoch: NEVER_COLLECTED, space: data.length, data: presentData(account, view, find) };
}

function presentData(account: AccountImage, view: AccountView, find: (address: string) => MaybeAccount): unknown {
  const parsed = view.encoding === 'jsonParsed' ? parseAccount(account, find) : undefined;
  if (parsed !== undefined) return parsed;
  const { slice } = view;
  const data = slice ? account.data.subarray(slice.offset, slice.offset + slice.length) : account.data;
  if (view.encoding === 'binary') return toShortBase58(data);
  if (view.encoding === 'base58') return [toShortBase58(data), 'base58'];
  if (view.encoding === 'base64+zstd') return [zstdCompressSync(data).toString('base64'), 'base64+zstd'];
  return [Buffer.from(data).toString('base64'), 'base64'];
}

function toShortBase58(data: Uint8Array): string {
  if (data.length > MAX_BASE58_BYTES) {
    throw new RpcError(-32600, 'Encoded binary (base 58) data should be less than 128 bytes, please use Base64 encoding.');
  }
  return encodeBase58(data);
}

/** Parses token accounts and mints, without Token-2022 extensions: clients read those from the bytes. */
function parseAccount(account: AccountImage, find: (address: string) => MaybeAccount): unknown {
  const program = account.owner === TOKEN_PROGRAM ? 'spl-token' : 'spl-token-2022';
  const space = account.data.length;
  const mint = findMint(account);
  if (mint !== undefined) {
    return { program, space, parsed: { type: 'mint', info: { ...mint, supply: mint.supply.toString(), isInitialized: true } } };
  }
  const token = findTokenAccount(account);
  if (token === undefined) return undefined;
  const decimals = findMint(find(token.mint))?.decimals;
  if (decimals === undefined) throw invalidParams('Invalid param: could not find mint');
  const amount = (value: bigint) => toTokenAmount(value, decimals);
  const info = {
    isNative: token.rentReserve !== undefined,
    mint: token.mint,
    owner: token.owner,
    state: token.state,
    tokenAmount: amount(token.amount),
    ...(token.delegate !== undefined && { delegate: token.delegate, delegatedAmount: amount(token.delegatedAmount) }),
    ...(token.rentReserve !== undefined && { rentExemptReserve: amount(token.rentReserve) }),
    ...(token.closeAuthority !== undefined && { closeAuthority: token.closeAuthority }),
  };
  return { program, space, parsed: { type: 'account', info } };
}

function rawJson(text: string): unknown {
  return (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON(text); // TypeScript does not know it yet
}
