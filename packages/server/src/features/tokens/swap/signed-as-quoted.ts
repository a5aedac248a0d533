/** Whether bytes are the quoted transaction with the taker's signature: a swap is no way to send anything else. */
import { createHash, createPublicKey, verify } from 'node:crypto';
import { base58 } from '@scure/base';
import { getTransactionDecoder } from '@solana/transactions';

const SPKI_PREFIX = Buffer.from('302a300506032b6570032100', 'hex');

/** Undefined when the bytes are no transaction. */
export function messageHashOf(transaction: string): Buffer | undefined {
  try {
    const { messageBytes } = getTransactionDecoder().decode(Buffer.from(transaction, 'base64'));
    return createHash('sha256').update(Uint8Array.from(messageBytes)).digest();
  } catch {
    return undefined;
  }
}

export function isSignedAsQuoted(transaction: string, quoted: { readonly messageHash: Buffer; readonly taker: string }): boolean {
  try {
    const { messageBytes, signatures } = getTransactionDecoder().decode(Buffer.from(transaction, 'base64'));
    const message = Uint8Array.from(messageBytes);
    const signature = (signatures as Record<string, Uint8Array | null>)[quoted.taker];
    if (signature == null || !createHash('sha256').update(message).digest().equals(quoted.messageHash)) return false;
    const key = createPublicKey({ key: Buffer.concat([SPKI_PREFIX, base58.decode(quoted.taker)]), format: 'der', type: 'spki' });
    return verify(null, message, key, signature);
  } catch {
    return false;
  }
}
