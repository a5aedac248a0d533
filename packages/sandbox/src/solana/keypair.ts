// Ed25519 key pairs in files of the Solana command line's format: seed and public key as one list of 64 numbers.

import { createPrivateKey, createPublicKey, type KeyObject, randomBytes, sign } from 'node:crypto';
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { encodeBase58 } from './base58.ts';

const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');

export interface Keypair {
  readonly address: string;
  readonly publicKey: Uint8Array;
  sign(message: Uint8Array): Uint8Array;
}

/** Reads the key, or creates one that only this user can read. */
export function openKeypair(file: string): Keypair {
  const stored = findText(file);
  if (stored !== undefined) return parseKeypair(stored, file);
  const seed = randomBytes(32);
  const keypair = createKeypair(seed);
  const draft = `${file}.${process.pid}.tmp`;
  const descriptor = openSync(draft, 'w', 0o600);
  try {
    writeFileSync(descriptor, `${JSON.stringify([...seed, ...keypair.publicKey])}\n`);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
  renameSync(draft, file);
  return keypair;
}

function findText(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

function parseKeypair(text: string, file: string): Keypair {
  const problem = `${file} does not hold a Solana key pair (64 numbers). Remove the folder around it to begin a new chain.`;
  let numbers: unknown;
  try {
    numbers = JSON.parse(text);
  } catch (cause) {
    throw new Error(problem, { cause });
  }
  if (!Array.isArray(numbers) || numbers.length !== 64) throw new Error(problem);
  const keypair = createKeypair(Uint8Array.from(numbers.slice(0, 32)));
  if (Buffer.compare(keypair.publicKey, Uint8Array.from(numbers.slice(32))) !== 0) throw new Error(problem);
  return keypair;
}

/** Makes a key pair from a 32-byte seed. */
export function createKeypair(seed: Uint8Array): Keypair {
  const privateKey: KeyObject = createPrivateKey({ key: Buffer.concat([PKCS8_PREFIX, seed]), format: 'der', type: 'pkcs8' });
  const publicKey = createPublicKey(privateKey).export({ format: 'der', type: 'spki' }).subarray(-32);
  return { address: encodeBase58(publicKey), publicKey, sign: (message) => sign(null, message, privateKey) };
}
