/** Reads a Solana message of version 0 as far as a payment needs it. Throws on anything unknown. */
import { encodeBase58 } from './base58.ts';

export interface SolanaInstruction {
  readonly program: string;
  readonly accounts: readonly string[];
  readonly data: Uint8Array;
}

export interface SolanaMessage {
  /** The first signer pays the fee. */
  readonly signers: readonly string[];
  readonly instructions: readonly SolanaInstruction[];
}

export interface SolanaTransaction {
  /** One per required signer; 64 zero bytes where the signature is missing. */
  readonly signatures: readonly Uint8Array[];
  readonly messageBytes: Uint8Array<ArrayBuffer>;
}

const SIGNATURE_BYTES = 64;
const ADDRESS_BYTES = 32;
const VERSION_0 = 0x80;

export function splitTransaction(bytes: Uint8Array<ArrayBuffer>): SolanaTransaction {
  const reader = readerOf(bytes);
  const count = reader.compact();
  const signatures = Array.from({ length: count }, () => reader.take(SIGNATURE_BYTES));
  return { signatures, messageBytes: reader.rest() };
}

export function readMessage(bytes: Uint8Array<ArrayBuffer>): SolanaMessage {
  const reader = readerOf(bytes);
  if (reader.byte() !== VERSION_0) throw new Error('This is no message of version 0.');
  const signerCount = reader.byte();
  reader.take(2);
  const addresses = Array.from({ length: reader.compact() }, () => encodeBase58(reader.take(ADDRESS_BYTES)));
  reader.take(ADDRESS_BYTES);
  const addressAt = (index: number): string => {
    const address = addresses[index];
    if (address === undefined) throw new Error('The message names an account it does not hold.');
    return address;
  };
  const instructions = Array.from({ length: reader.compact() }, () => {
    const program = addressAt(reader.byte());
    const accounts = Array.from({ length: reader.compact() }, () => addressAt(reader.byte()));
    return { program, accounts, data: reader.take(reader.compact()) };
  });
  if (reader.compact() !== 0 || reader.rest().length > 0) throw new Error('The message takes accounts from elsewhere.');
  return { signers: addresses.slice(0, signerCount), instructions };
}

function readerOf(bytes: Uint8Array<ArrayBuffer>) {
  let at = 0;
  const take = (count: number): Uint8Array<ArrayBuffer> => {
    if (at + count > bytes.length) throw new Error('The transaction ends too early.');
    at += count;
    return bytes.slice(at - count, at);
  };
  const byte = (): number => take(1)[0] ?? 0;
  return {
    take,
    byte,
    /** A number in groups of seven bits, at most three bytes. */
    compact(): number {
      let value = 0;
      for (let shift = 0; shift < 21; shift += 7) {
        const part = byte();
        value |= (part & 0x7f) << shift;
        if (part < 0x80) return value;
      }
      throw new Error('The transaction holds a length that cannot be.');
    },
    rest: () => take(bytes.length - at),
  };
}
