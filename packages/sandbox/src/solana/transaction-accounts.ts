// The full account list of a transaction: those of the message, then those of its lookup tables, each with whether it is writable.

import type { MaybeAccount } from './account-image.ts';
import { encodeBase58 } from './base58.ts';
import { LOOKUP_TABLE_PROGRAM } from './programs.ts';
import type { TableLookup, WireMessage } from './wire-transaction.ts';

const TABLE_HEADER_BYTES = 56;
const LAST_EXTENDED_SLOT_AT = 12;
const ACTIVE_BEFORE_EXTENSION_AT = 20;

export interface LoadedAddresses {
  readonly writable: readonly string[];
  readonly readonly: readonly string[];
}

/** Addresses from the lookup tables, or the name of the runtime's error. A table's newest entries count only from the next slot on. */
export function loadAddresses(
  lookups: readonly TableLookup[],
  slot: number,
  find: (address: string) => MaybeAccount,
): LoadedAddresses | { readonly error: string } {
  const writable: string[] = [];
  const readonly: string[] = [];
  for (const { table, writableIndexes, readonlyIndexes } of lookups) {
    const account = find(table);
    if (account === undefined) return { error: 'AddressLookupTableNotFound' };
    if (account.owner !== LOOKUP_TABLE_PROGRAM) return { error: 'InvalidAddressLookupTableOwner' };
    if (account.data.length < TABLE_HEADER_BYTES) return { error: 'InvalidAddressLookupTableData' };
    const data = Buffer.from(account.data.buffer, account.data.byteOffset, account.data.length);
    const stored = Math.floor((data.length - TABLE_HEADER_BYTES) / 32);
    const isWarm = BigInt(slot) > data.readBigUInt64LE(LAST_EXTENDED_SLOT_AT);
    const active = isWarm ? stored : Math.min(stored, data.readUInt8(ACTIVE_BEFORE_EXTENSION_AT));
    if ([...writableIndexes, ...readonlyIndexes].some((index) => index >= active)) return { error: 'InvalidAddressLookupTableIndex' };
    const at = (index: number) => encodeBase58(data.subarray(TABLE_HEADER_BYTES + 32 * index, TABLE_HEADER_BYTES + 32 * (index + 1)));
    writable.push(...writableIndexes.map(at));
    readonly.push(...readonlyIndexes.map(at));
  }
  return { writable, readonly };
}

export function listAccounts(message: WireMessage, loaded: LoadedAddresses): string[] {
  return [...message.accounts, ...loaded.writable, ...loaded.readonly];
}

export function isWritable(message: WireMessage, loaded: LoadedAddresses, index: number): boolean {
  const { requiredSignatures, readonlySigned, readonlyUnsigned, accounts } = message;
  if (index < requiredSignatures) return index < requiredSignatures - readonlySigned;
  if (index < accounts.length) return index < accounts.length - readonlyUnsigned;
  return index < accounts.length + loaded.writable.length;
}
