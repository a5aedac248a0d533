/** A signer for a Solana address: a key in memory, or a future remote key service. */
import { createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import { base58 } from '@scure/base';
import { z } from 'zod';

export interface SolanaSigner {
  readonly address: string;
  /** The 64-byte Ed25519 signature of the bytes. */
  signMessage(bytes: Uint8Array): Promise<Uint8Array>;
}

const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');
const SPKI_PREFIX = Buffer.from('302a300506032b6570032100', 'hex');
const keyFileSchema = z.array(z.int().min(0).max(255)).length(64);

/**
 * Forms of the secret: base58 of 64 bytes (wallet exports), a JSON list of 64 numbers (Solana command line), a 32-byte seed in hex. It
 * never appears in a message or in the returned object.
 */
export function createLocalSolanaSigner(secret: string): SolanaSigner {
  const { seed, publicHalf } = readSecret(secret.trim());
  const key = createPrivateKey({ key: Buffer.concat([PKCS8_PREFIX, seed]), format: 'der', type: 'pkcs8' });
  const publicKey = createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(-32);
  if (publicHalf !== undefined && !publicKey.equals(publicHalf)) {
    throw new Error('The Solana key is damaged: its public half does not belong to its secret half.');
  }
  return { address: base58.encode(publicKey), signMessage: async (bytes) => new Uint8Array(sign(null, bytes, key)) };
}

/** Signs, and verifies the result: a signer with a wrong key would produce transactions that no node accepts. */
export async function signChecked(signer: SolanaSigner, message: Uint8Array): Promise<Uint8Array> {
  const signature = await signer.signMessage(message);
  if (signature.length !== 64 || !verify(null, message, publicKeyOf(signer.address), signature)) {
    throw new Error(`The signer of ${signer.address} returned a signature that does not belong to that address.`);
  }
  return signature;
}

function publicKeyOf(address: string): KeyObject {
  return createPublicKey({ key: Buffer.concat([SPKI_PREFIX, base58.decode(address)]), format: 'der', type: 'spki' });
}

function readSecret(secret: string): { seed: Uint8Array; publicHalf?: Uint8Array } {
  if (/^(0x)?[0-9a-f]{64}$/i.test(secret)) return { seed: Buffer.from(secret.slice(-64), 'hex') };
  const bytes = secret.startsWith('[') ? readKeyFile(secret) : readBase58(secret);
  if (bytes?.length !== 64) {
    throw new Error('The Solana key must be base58 of 64 bytes, a JSON list of 64 numbers, or a 32-byte seed as 64 hex digits.');
  }
  return { seed: bytes.subarray(0, 32), publicHalf: bytes.subarray(32) };
}

function readKeyFile(text: string): Uint8Array | undefined {
  try {
    return Uint8Array.from(keyFileSchema.parse(JSON.parse(text)));
  } catch {
    return undefined; // the error would quote the key
  }
}

function readBase58(text: string): Uint8Array | undefined {
  if (text.length > 88) return undefined;
  try {
    return base58.decode(text);
  } catch {
    return undefined; // the error would quote the key
  }
}
