// Converts bytes and numbers to their 0x form and back.

export type Hex = `0x${string}`;

export function toBytes(hex: string): Uint8Array {
  const digits = hex.startsWith('0x') ? hex.slice(2) : hex;
  return new Uint8Array(Buffer.from(digits.length % 2 === 0 ? digits : `0${digits}`, 'hex'));
}

/** A copy for the native engine that Node's pooled buffers cannot change underneath. */
export function fromBytes(bytes: Uint8Array): Hex {
  return `0x${Buffer.from(bytes).toString('hex')}`;
}

/** A quantity in the format of JSON-RPC: no leading zeros. */
export function toQuantity(value: number | bigint): Hex {
  return `0x${value.toString(16)}`;
}
