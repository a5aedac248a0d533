/** The key that signs x402 offers and receipts, and former keys that still verify older signatures. */
import type { Config } from '../config.ts';
import { readKeySetting } from '../platform/chains/treasury-signer.ts';
import { loadKeyFile } from '../platform/secrets/key-file.ts';
import { createSigningKey, readSeed, type SigningKey } from '../platform/secrets/signing-key.ts';

/** The first key signs; all are published. Empty if production sets none: then nothing is signed. */
export async function openSigningKeys({ profile, dataDir, x402 }: Config): Promise<readonly SigningKey[]> {
  const { current, previous } = x402.signingKeys;
  const seeds = await Promise.all([...(current === undefined ? [] : [current]), ...previous].map(readSeedSetting));
  if (current === undefined && profile === 'sandbox') seeds.unshift(await loadKeyFile(dataDir, 'x402-signing'));
  return seeds.map(createSigningKey);
}

async function readSeedSetting(setting: string): Promise<Buffer> {
  const seed = readSeed(await readKeySetting(setting));
  if (seed !== undefined) return seed;
  throw new Error('X402_SIGNING_KEY and X402_SIGNING_KEYS_OLD take 32 bytes as 64 hex characters or base64 (openssl rand -hex 32).');
}
