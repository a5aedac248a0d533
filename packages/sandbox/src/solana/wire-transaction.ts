// Decodes the bytes of a transaction into a checked structure. The engine ends the process on malformed bytes, so
// this file verifies at least as strictly as the runtime: lengths, canonical numbers, indexes, signature count.

import { encodeBase58 } from './base58.ts';

const MAX_TRANSACTION_BYTES = 1232;
const VERSION_BIT = 0x80;

export interface WireInstruction {
  readonly programIndex: number;
  readonly accountIndexes: readonly number[];
  readonly data: Uint8Array;
}

export interface TableLookup {
  readonly table: string;
  readonly writableIndexes: readonly number[];
  readonly readonlyIndexes: readonly number[];
}

export interface WireMessage {
  readonly version: 'legacy' | 0;
  readonly requiredSignatures: number;
  readonly readonlySigned: number;
  readonly readonlyUnsigned: number;
  readonly accounts: readonly string[];
  readonly blockhash: string;
  readonly instructions: readonly WireInstruction[];
  readonly lookups: readonly TableLookup[];
}

export interface WireTransaction {
  readonly bytes: Uint8Array;
  readonly signatures: readonly string[];
  readonly message: WireMessage;
}

/** The bytes are not a transaction. */
export class UnreadableTransactionError extends Error {
  override readonly name = 'UnreadableTransactionError';
}

/** The bytes are a transaction whose parts contradict each other. */
export class InconsistentTransactionError extends Error {
  override readonly name = 'InconsistentTransactionError';
}

export function decodeTransaction(bytes: Uint8Array): WireTransaction {
  if (bytes.length > MAX_TRANSACTION_BYTES) {
    throw new UnreadableTransactionError(`too large: ${bytes.length} bytes (max: ${MAX_TRANSACTION_BYTES})`);
  }
  const reader = createReader(bytes);
  const signatures = reader.list(() => encodeBase58(reader.take(64)));
  const message = readMessage(reader);
  checkConsistency(signatures.length, message);
  // Cut bytes behind the transaction, which nodes tolerate; the engine must not see them.
  return { bytes: bytes.subarray(0, reader.position()), signatures, message };
}

export function decodeMessage(bytes: Uint8Array): WireMessage {
  const message = readMessage(createReader(bytes));
  checkConsistency(message.requiredSignatures, message);
  return message;
}

function readMessage(reader: Reader): WireMessage {
  const first = reader.byte();
  const version = (first & VERSION_BIT) === 0 ? 'legacy' : first - VERSION_BIT;
  if (version !== 'legacy' && version !== 0) throw new UnreadableTransactionError(`message version ${version} is not supported`);
  // Keep the properties in wire order: each one reads from where the one before it stopped.
  return {
    version,
    requiredSignatures: version === 'legacy' ? first : reader.byte(),
    readonlySigned: reader.byte(),
    readonlyUnsigned: reader.byte(),
    accounts: reader.list(() => encodeBase58(reader.take(32))),
    blockhash: encodeBase58(reader.take(32)),
    instructions: reader.list(() => ({
      programIndex: reader.byte(),
      accountIndexes: reader.list(() => reader.byte()),
      data: reader.take(reader.length()),
    })),
    lookups: version === 'legacy' ? [] : reader.list(() => readLookup(reader)),
  };
}

function readLookup(reader: Reader): TableLookup {
  return {
    table: encodeBase58(reader.take(32)),
    writableIndexes: reader.list(() => reader.byte()),
    readonlyIndexes: reader.list(() => reader.byte()),
  };
}

function checkConsistency(signatureCount: number, message: WireMessage): void {
  const looked = message.lookups.map((lookup) => lookup.writableIndexes.length + lookup.readonlyIndexes.length);
  const accountCount = looked.reduce((sum, count) => sum + count, message.accounts.length);
  const isConsistent =
    signatureCount === message.requiredSignatures &&
    message.readonlySigned < message.requiredSignatures &&
    message.requiredSignatures + message.readonlyUnsigned <= message.accounts.length &&
    accountCount <= 256 &&
    looked.every((count) => count > 0) &&
    message.instructions.every(
      ({ programIndex, accountIndexes }) =>
        programIndex > 0 && programIndex < message.accounts.length && accountIndexes.every((index) => index < accountCount),
    );
  if (!isConsistent) throw new InconsistentTransactionError('Transaction failed to sanitize accounts offsets correctly');
}

interface Reader {
  byte(): number;
  take(count: number): Uint8Array;
  length(): number;
  list<Item>(readItem: () => Item): Item[];
  position(): number;
}

function createReader(bytes: Uint8Array): Reader {
  let position = 0;

  function take(count: number): Uint8Array {
    if (position + count > bytes.length) throw new UnreadableTransactionError('io error: failed to fill whole buffer');
    position += count;
    return bytes.subarray(position - count, position);
  }

  const byte = () => take(1)[0] as number;

  /** Reads a compact length: seven bits per byte, at most 16 bits, shortest form only. */
  function length(): number {
    let value = 0;
    for (let index = 0; index < 3; index++) {
      const next = byte();
      value |= (next & 0x7f) << (7 * index);
      const isLast = (next & 0x80) === 0;
      if (isLast && index > 0 && next === 0) break;
      if (isLast && value <= 0xffff) return value;
    }
    throw new UnreadableTransactionError('a length is not in its shortest form or exceeds 65535');
  }

  function list<Item>(readItem: () => Item): Item[] {
    const count = length();
    if (count > bytes.length) throw new UnreadableTransactionError('io error: failed to fill whole buffer');
    return Array.from({ length: count }, readItem);
  }

  return { byte, take, length, list, position: () => position };
}
