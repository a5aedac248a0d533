/** Encodings of instruction data: little-endian numbers, keys, and texts after their length. */
import { type Address, getAddressEncoder } from '@solana/addresses';

export function keyBytes(address: Address): Uint8Array {
  return Uint8Array.from(getAddressEncoder().encode(address));
}

export function textBytes(text: string): Buffer {
  const bytes = Buffer.from(text, 'utf8');
  return Buffer.concat([u32(bytes.length), bytes]);
}

function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

export function u64(value: bigint): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(value);
  return bytes;
}
