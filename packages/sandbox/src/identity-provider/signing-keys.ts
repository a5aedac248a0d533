// The provider's signing keys on disk. Each key has its own file, written once and never changed: `keyFile`, then
// `keyFile.2`, `keyFile.3` with each rotation. So processes that share the files need no lock and always agree.

import { hkdfSync, randomBytes } from 'node:crypto';
import { link, mkdir, open, readFile, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type CryptoKey, calculateJwkThumbprint, exportJWK, generateKeyPair, importJWK, type JWK } from 'jose';

export interface SigningKey {
  readonly kid: string;
  readonly privateKey: CryptoKey;
  readonly publicJwk: JWK;
  readonly privateJwk: JWK;
}

export interface SigningKeys {
  getCurrent(): Promise<SigningKey>;
  /** All public keys, newest first, including those that other processes added. */
  listPublic(): Promise<JWK[]>;
  listPrivate(): Promise<JWK[]>;
  rotate(): Promise<void>;
  /** A secret that all processes with the same key file share; it survives restarts. */
  readonly sharedSecret: Buffer;
}

export async function openSigningKeys(keyFile: string): Promise<SigningKeys> {
  const keys: SigningKey[] = [];
  const nextFile = () => (keys.length === 0 ? keyFile : `${keyFile}.${keys.length + 1}`);

  async function loadNewKeys(): Promise<void> {
    for (;;) {
      const position = keys.length;
      const key = await findKey(nextFile());
      if (key === undefined) return;
      keys[position] = key; // by position: two overlapping loads read the same files and must not add a key twice
    }
  }

  async function addKey(): Promise<void> {
    const text = await generateKeyText();
    while (!(await writeOnce(nextFile(), text))) await loadNewKeys();
    await loadNewKeys();
  }

  await mkdir(dirname(keyFile), { recursive: true });
  await loadNewKeys();
  if (keys.length === 0) {
    await writeOnce(keyFile, await generateKeyText());
    await loadNewKeys();
  }

  return {
    sharedSecret: deriveSecret(await readFile(keyFile, 'utf8')),
    rotate: addKey,
    async getCurrent() {
      await loadNewKeys();
      const current = keys.at(-1);
      if (current === undefined) throw new Error(`The identity provider has no key in ${keyFile}.`);
      return current;
    },
    async listPublic() {
      await loadNewKeys();
      return keys.map((key) => key.publicJwk).reverse();
    },
    async listPrivate() {
      await loadNewKeys();
      return keys.map((key) => key.privateJwk).reverse();
    },
  };
}

async function generateKeyText(): Promise<string> {
  const { privateKey } = await generateKeyPair('ES256', { extractable: true });
  return `${JSON.stringify(await exportJWK(privateKey))}\n`;
}

async function findKey(file: string): Promise<SigningKey | undefined> {
  const text = await findText(file);
  if (text === undefined) return undefined;
  try {
    return await parseKey(text);
  } catch (cause) {
    throw new Error(`${file} does not hold an ES256 private key. Remove it to start with a new key; everyone signs in again.`, { cause });
  }
}

async function findText(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}

async function parseKey(text: string): Promise<SigningKey> {
  const jwk = JSON.parse(text) as JWK;
  const { kty, crv, x, y, d } = jwk;
  if (kty !== 'EC' || crv !== 'P-256' || !x || !y || !d) throw new Error('Not a private P-256 JWK.');
  const privateKey = await importJWK({ kty, crv, x, y, d }, 'ES256');
  if (privateKey instanceof Uint8Array) throw new Error('Not an asymmetric key.');
  const kid = await calculateJwkThumbprint({ kty, crv, x, y });
  const publicJwk = { kty, crv, x, y, kid, alg: 'ES256', use: 'sig' };
  return { kid, privateKey, publicJwk, privateJwk: { ...publicJwk, d } };
}

function deriveSecret(keyText: string): Buffer {
  const { d } = JSON.parse(keyText) as { d: string };
  return Buffer.from(hkdfSync('sha256', Buffer.from(d, 'base64url'), '', 'sandbox identity provider: sign-in form', 32));
}

/** Writes a complete file unless one exists. A hard link is atomic and never replaces a file. */
async function writeOnce(file: string, text: string): Promise<boolean> {
  const draft = `${file}.${process.pid}.${randomBytes(6).toString('hex')}.tmp`;
  const handle = await open(draft, 'wx', 0o600);
  try {
    await handle.writeFile(text);
    await handle.sync();
    await link(draft, file);
    return true;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    throw error;
  } finally {
    await handle.close();
    await unlink(draft);
  }
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
