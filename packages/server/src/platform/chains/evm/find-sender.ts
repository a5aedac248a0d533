/** The account that signed a transaction, from its bytes alone. */
import type { Hex } from 'viem';
import { keccak256, parseTransaction, recoverAddress, serializeTransaction } from 'viem/utils';
import { decodeBytes } from './broadcast.ts';

/** Undefined when the bytes are no transaction of the form that `sealTransaction` makes. */
export async function findSender(bytes: string): Promise<Hex | undefined> {
  try {
    const { r, s, v, yParity, ...unsigned } = parseTransaction(decodeBytes(bytes) as `0x02${string}`);
    if (r === undefined || s === undefined || yParity === undefined) return undefined;
    return await recoverAddress({ hash: keccak256(serializeTransaction(unsigned)), signature: { r, s, yParity } });
  } catch {
    return undefined;
  }
}
