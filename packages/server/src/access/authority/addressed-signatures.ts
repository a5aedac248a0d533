/**
 * Logs and histories keep URLs, also of calls that are refused, unknown or unreadable. So a signature that was in a URL never again spends,
 * moves, grants or recovers, also in a header or a body. Its mark is a hash of its bytes; a message is also marked by its nonce. Strangers
 * know neither and cannot mark them. Only contract wallets are marked by wallet and time.
 */
import { createHash } from 'node:crypto';
import { MarketError } from '@market/contract';
import { base58 } from '@scure/base';
import type { Clock } from '../../platform/clock/clock.ts';
import type { Db } from '../../platform/db/database.ts';
import type { Logger } from '../../platform/telemetry/logger.ts';
import { canonicalWallet } from '../../platform/wallets/wallet-address.ts';
import { hasMark, insertMarks, type Mark } from './seen-signatures-repository.ts';
import { signatureBytesIn } from './signature-bytes.ts';

/** A little longer than a signature is valid. */
const KEPT_MS = 17 * 60_000;
/** Marks cover signers whose clock is ahead by up to this much. */
const MOST_AHEAD_MS = 30 * 86_400_000;
/** Marks are collected this long and written together. */
const WRITE_AFTER_MS = 20;
const WRITE_AGAIN_MS = 1_000;
const MOST_WAITING = 100_000;

export interface AddressedSignatures {
  /** Marks every signature in a URL, given as the request line has it. */
  mark(address: string): void;
  /** Throws when the signature was in a URL. */
  refuse(marks: readonly Buffer[]): Promise<void>;
}

export function createAddressedSignatures({
  db,
  clock,
  log,
}: {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Logger;
}): AddressedSignatures {
  const waiting = new Map<string, Mark>();
  let isWriting = false;

  async function write(): Promise<void> {
    const written = [...waiting];
    try {
      await insertMarks(
        db,
        written.map(([, mark]) => mark),
      );
      for (const [name] of written) waiting.delete(name);
    } catch (error) {
      log.warn({ err: error, marks: written.length }, 'signatures in addresses could not be marked; tried again');
    }
    isWriting = false;
    if (waiting.size > 0) writeSoon(waiting.size === written.length ? WRITE_AGAIN_MS : WRITE_AFTER_MS);
  }

  function writeSoon(ms: number): void {
    if (isWriting) return;
    isWriting = true;
    setTimeout(() => void write(), ms).unref();
  }

  return {
    mark(address) {
      const now = clock.realNow().getTime();
      for (const { digest, aheadMs } of signaturesIn(address, now)) {
        if (waiting.size >= MOST_WAITING) return;
        waiting.set(digest.toString('base64'), { digest, expiresAt: new Date(now + aheadMs + KEPT_MS) });
        writeSoon(WRITE_AFTER_MS);
      }
    },
    async refuse(marks) {
      const isMarked = marks.some((mark) => waiting.has(mark.toString('base64'))) || (await hasMark(db, marks));
      if (isMarked) throw new MarketError('signature_already_used', { message: STOOD_IN_ADDRESS });
    },
  };
}

const STOOD_IN_ADDRESS =
  'This wallet signature was sent in an address, where logs keep it, so it moves no money and gives no rights. Sign again, and send the signature in headers or body.';

/** The same mark for every spelling of a signature. Undefined for text that cannot be a signature. */
function markOfSignature(text: string): Buffer | undefined {
  const hex = /^(?:0x)?([0-9a-f]{128,})$/i.exec(text.trim())?.[1];
  if (hex !== undefined) return markOfBytes(Buffer.from(hex, 'hex'));
  if (!/^[1-9A-HJ-NP-Za-km-z]{80,90}$/.test(text.trim())) return undefined;
  try {
    return markOfBytes(Buffer.from(base58.decode(text.trim())));
  } catch {
    return undefined;
  }
}

/** Ignores the parity of an EVM signature: its last byte, or the highest bit of `s` (EIP-2098), which is otherwise 0. */
function markOfBytes(bytes: Buffer): Buffer {
  if (bytes.length > PARITY_AT + 1) return digestOf(bytes);
  const name = Buffer.from(bytes.subarray(0, PARITY_AT));
  name[S_AT] = (name[S_AT] ?? 0) & 0x7f;
  return digestOf(name);
}

const S_AT = 32;
const PARITY_AT = 64;

/**
 * The marks of a text that names its wallet and the time of signing. A contract may accept other bytes, so it is also marked by wallet and
 * time.
 */
export function marksOfText(
  signature: string,
  signer: { readonly address: string; readonly isContract: boolean },
  timestampMs: number,
): Buffer[] {
  return [markOfSignature(signature) ?? [], signer.isContract ? markOfContract(signer.address, timestampMs) : []].flat();
}

function markOfContract(address: string, timestampMs: number): Buffer {
  return digestOf(`contract ${address} ${timestampMs}`);
}

/** The marks of a signed message with a nonce of ours. */
export function marksOfMessage(signature: string, nonce: string): Buffer[] {
  return [markOfSignature(signature) ?? [], markOfNonce(nonce)].flat();
}

function markOfNonce(nonce: string): Buffer {
  return digestOf(`nonce ${nonce}`);
}

function digestOf(named: string | Buffer): Buffer {
  return createHash('sha256').update(named).digest();
}

interface Addressed {
  readonly digest: Buffer;
  /** How far the signer's clock is ahead of ours. */
  readonly aheadMs: number;
}

/** Finds signatures by their shape alone: in path or query, under any name, in quotes, JSON or base64. */
function signaturesIn(address: string, now: number): Addressed[] {
  if (address.length < SHORTEST) return [];
  const texts = textsOf(address);
  const found = signatureBytesIn(texts).map(markOfBytes);
  const times = texts.flatMap((text) => text.match(TIME_SHAPES) ?? []).map(Number);
  const wallets = texts.flatMap((text) => text.match(EVM_ADDRESS_SHAPES) ?? []).flatMap((text) => canonicalWallet(text)?.address ?? []);
  const aheadMs = Math.min(Math.max(0, ...times.map((at) => at - now)), MOST_AHEAD_MS);
  const ofContracts = firstOf(wallets).flatMap((wallet) => firstOf(times).map((at) => markOfContract(wallet, at)));
  const nonces = firstOf(
    texts.flatMap((text) => text.match(NONCE_SHAPES) ?? []),
    MOST_MARKS,
  ).map(markOfNonce);
  return [...found, ...nonces, ...ofContracts].map((digest) => ({ digest, aheadMs }));
}

const SHORTEST = 80;
/** Only EVM wallets can be contracts. */
const EVM_ADDRESS_SHAPES = /0x[0-9a-f]{40}(?![0-9a-f])/gi;
/** Unix milliseconds. */
const TIME_SHAPES = /(?<!\w)\d{12,16}(?!\w)/g;
const NONCE_SHAPES = /(?<![0-9a-fA-F])[0-9a-f]{32}(?![0-9a-fA-F])/g;
/** With and without `/`, which also separates the segments of a path. */
const BASE64_SHAPES = [/(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{100,}/g, /(?<![A-Za-z0-9+_-])[A-Za-z0-9+_-]{100,}/g];
const MOST_MARKS = 64;
const MOST_OF_A_KIND = 8;
const MOST_ESCAPES = 3;

function firstOf<T>(values: readonly T[], most = MOST_OF_A_KIND): T[] {
  return [...new Set(values)].slice(0, most);
}

/** All readings of a URL: as sent, unescaped (repeatedly, for URLs inside URLs), and its base64 parts decoded. */
function textsOf(address: string): string[] {
  const texts = [address];
  for (let next = unescaped(address); next !== texts.at(-1) && texts.length <= MOST_ESCAPES; next = unescaped(next)) texts.push(next);
  const encoded = texts.flatMap((text) => BASE64_SHAPES.flatMap((shape) => text.match(shape) ?? []));
  return [...texts, ...firstOf(encoded, MOST_MARKS).map((text) => Buffer.from(text, 'base64').toString('utf8'))];
}

function unescaped(text: string): string {
  return text.replace(/(?:%[0-9a-f]{2})+/gi, (escaped) => Buffer.from(escaped.replaceAll('%', ''), 'hex').toString('utf8'));
}
