/**
 * Envelope encryption for secrets that must be read again. Each record has its own data key, wrapped by a master key that never enters the
 * database. The context (which row and column) is authenticated, so a ciphertext copied to another row is useless. Sealed text: `v1.<master
 * key id>.<wrapped data key>.<encrypted data>`, both parts as base64url of nonce, ciphertext and tag.
 */
import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';

const VERSION = 'v1';
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

export interface SecretBox {
  seal(plaintext: string, context: string): string;
  open(sealed: string, context: string): string;
  /** Re-wraps under the current master key; the encrypted data keeps its bytes. */
  rewrap(sealed: string, context: string): string;
  /** Prefix of every text sealed under the current master key. */
  readonly currentPrefix: string;
  /** 32 bytes derived from the current master key and the label. Nobody without the key can compute them. */
  derive(label: string): Buffer;
  /** Keyed hashes that find a record by its secret: the current master key's first, then those of rows not yet rotated. */
  lookupHashes(value: string): Buffer[];
}

/** The stored text was altered, moved to another row, or sealed under a master key this process does not have. */
export class SecretUnreadableError extends Error {
  override readonly name = 'SecretUnreadableError';
}

interface MasterKey {
  readonly id: string;
  readonly wrapKey: Buffer;
  readonly indexKey: Buffer;
  readonly deriveKey: Buffer;
}

interface SealedParts {
  readonly keyId: string;
  readonly wrapped: Buffer;
  readonly data: Buffer;
}

export function createSecretBox(masters: { readonly current: Buffer; readonly previous: readonly Buffer[] }): SecretBox {
  const current = deriveMasterKey(masters.current);
  const keys = new Map([current, ...masters.previous.map(deriveMasterKey)].map((key) => [key.id, key]));

  function unwrapDataKey(parts: SealedParts, context: string): Buffer {
    const master = keys.get(parts.keyId);
    if (master === undefined) {
      throw new SecretUnreadableError('The stored secret names a master key that is not configured. Add that key to the previous keys.');
    }
    return decrypt(master.wrapKey, parts.wrapped, wrapLabel(master.id, context));
  }

  function wrapDataKey(dataKey: Buffer, context: string): Buffer {
    return encrypt(current.wrapKey, dataKey, wrapLabel(current.id, context));
  }

  return {
    currentPrefix: `${VERSION}.${current.id}.`,

    seal(plaintext, context) {
      if (!plaintext.isWellFormed()) throw new TypeError('A secret must be well-formed text: a lone surrogate would not survive UTF-8.');
      const dataKey = randomBytes(KEY_BYTES);
      const data = encrypt(dataKey, Buffer.from(plaintext, 'utf8'), dataLabel(context));
      return formatSealed({ keyId: current.id, wrapped: wrapDataKey(dataKey, context), data });
    },

    open(sealed, context) {
      const parts = parseSealed(sealed);
      return decrypt(unwrapDataKey(parts, context), parts.data, dataLabel(context)).toString('utf8');
    },

    rewrap(sealed, context) {
      const parts = parseSealed(sealed);
      const dataKey = unwrapDataKey(parts, context);
      if (parts.keyId === current.id) return sealed;
      return formatSealed({ keyId: current.id, wrapped: wrapDataKey(dataKey, context), data: parts.data });
    },

    derive: (label) => createHmac('sha256', current.deriveKey).update(label, 'utf8').digest(),

    lookupHashes(value) {
      return Array.from(keys.values(), (key) => createHmac('sha256', key.indexKey).update(value, 'utf8').digest());
    },
  };
}

/** One master key serves four purposes under four derived keys, so that a lookup hash reveals nothing about the wrapping key. */
function deriveMasterKey(master: Buffer): MasterKey {
  if (master.length !== KEY_BYTES) throw new TypeError(`A master key must be ${KEY_BYTES} bytes, not ${master.length}.`);
  const derive = (purpose: string, length: number) => Buffer.from(hkdfSync('sha256', master, '', `market secret-box ${purpose}`, length));
  return {
    id: derive('key id', 6).toString('base64url'),
    wrapKey: derive('wrap', KEY_BYTES),
    indexKey: derive('index', KEY_BYTES),
    deriveKey: derive('derive', KEY_BYTES),
  };
}

function wrapLabel(keyId: string, context: string): string {
  return `${VERSION} wrap ${keyId} ${context}`;
}

/** The label names no master key, because the data must stay valid when only the wrapping changes. */
function dataLabel(context: string): string {
  return `${VERSION} data ${context}`;
}

function formatSealed({ keyId, wrapped, data }: SealedParts): string {
  return [VERSION, keyId, wrapped.toString('base64url'), data.toString('base64url')].join('.');
}

function parseSealed(sealed: string): SealedParts {
  const [version, keyId, wrapped, data, ...rest] = sealed.split('.');
  if (version !== VERSION || keyId === undefined || wrapped === undefined || data === undefined || rest.length > 0) {
    throw new SecretUnreadableError('The stored secret is not in a format this version writes.');
  }
  return { keyId, wrapped: decodePart(wrapped), data: decodePart(data) };
}

/** Node's decoder skips unknown characters and ignores spare bits; requiring the canonical spelling leaves one text per secret. */
function decodePart(part: string): Buffer {
  const bytes = Buffer.from(part, 'base64url');
  if (bytes.toString('base64url') !== part) throw new SecretUnreadableError('The stored secret was altered.');
  return bytes;
}

function encrypt(key: Buffer, plaintext: Buffer, label: string): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES });
  cipher.setAAD(Buffer.from(label, 'utf8'));
  return Buffer.concat([nonce, cipher.update(plaintext), cipher.final(), cipher.getAuthTag()]);
}

function decrypt(key: Buffer, box: Buffer, label: string): Buffer {
  if (box.length < NONCE_BYTES + TAG_BYTES) throw new SecretUnreadableError('The stored secret is cut short.');
  const decipher = createDecipheriv('aes-256-gcm', key, box.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES });
  decipher.setAAD(Buffer.from(label, 'utf8'));
  decipher.setAuthTag(box.subarray(box.length - TAG_BYTES));
  try {
    return Buffer.concat([decipher.update(box.subarray(NONCE_BYTES, box.length - TAG_BYTES)), decipher.final()]);
  } catch (cause) {
    throw new SecretUnreadableError('The stored secret was altered or belongs to another record.', { cause });
  }
}
