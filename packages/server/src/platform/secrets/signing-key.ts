/** An Ed25519 key that signs statements of this service, so that others can prove them later. */
import { createHash, createPrivateKey, createPublicKey, sign } from 'node:crypto';

export interface SigningKey {
  /** Short and derived from the key: distinguishes it from former ones. */
  readonly id: string;
  /** The public part as base64url, `x` of a JWK. */
  readonly publicKey: string;
  sign(bytes: Uint8Array): Buffer;
}

const SEED_BYTES = 32;
/** The PKCS #8 header before the seed of an Ed25519 key. */
const PKCS8_HEAD = Buffer.from('302e020100300506032b657004220420', 'hex');

/** `seed`: 32 bytes. */
export function createSigningKey(seed: Buffer): SigningKey {
  const secret = createPrivateKey({ key: Buffer.concat([PKCS8_HEAD, seed]), format: 'der', type: 'pkcs8' });
  const { x = '' } = createPublicKey(secret).export({ format: 'jwk' });
  const id = createHash('sha256').update(Buffer.from(x, 'base64url')).digest('hex').slice(0, 12);
  return { id, publicKey: x, sign: (bytes) => sign(null, bytes, secret) };
}

/** Hex or base64, as the other keys of the settings. Undefined unless it is 32 bytes. */
export function readSeed(text: string): Buffer | undefined {
  const seed = /^[0-9a-fA-F]{64}$/.test(text) ? Buffer.from(text, 'hex') : Buffer.from(text, 'base64');
  return seed.length === SEED_BYTES ? seed : undefined;
}
