import { ed25519 } from '@noble/curves/ed25519';
import { encodeBase58 } from './base58.ts';
import { fromBase64, toBase64 } from './base64.ts';
import { splitTransaction } from './solana-message.ts';
import type { TestKey } from './test-key.ts';

export function openSolanaKey(secret: Uint8Array): TestKey {
  return {
    address: encodeBase58(ed25519.getPublicKey(secret)),
    signMessage: async (text) => encodeBase58(ed25519.sign(new TextEncoder().encode(text), secret)),
    async signPayment({ transaction }) {
      if (transaction.kind !== 'solana') throw new Error('This payment is for another kind of wallet.');
      const { messageBytes } = splitTransaction(fromBase64(transaction.transaction));
      const signature = ed25519.sign(messageBytes, secret);
      // One signature, after the byte with their number.
      return { reference: encodeBase58(signature), signed: toBase64(Uint8Array.from([1, ...signature, ...messageBytes])) };
    },
  };
}
