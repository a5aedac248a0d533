/**
 * Logs and histories keep addresses, also those of calls that are refused, unknown or cannot be read. So a signature that stood in an address
 * neither spends, moves, grants nor recovers from then on, also in a header or a body. It is marked by itself: nobody else can mark it.
 */
import { createHash } from 'node:crypto';
import { MarketError } from '@market/contract';
import { base58 } from '@scure/base';
import type { Clock } from '../../platform/clock/clock.ts';
import type { Db } from '../../platform/db/database.ts';
import type { Logger } from '../../platform/telemetry/logger.ts';
import { canonicalWallet } from '../../platform/wallets/wallet-address.ts';
import { hasMark, insertMarks, type Mark } from './seen-signatures-repository.ts';

/** A little longer than a signature is good for. */
const KEPT_MS = 17 * 60_000;
/** A signer whose clock is further ahead signs anew. */
const MOST_AHEAD_MS = 30 * 86_400_000;
/** Marks are written together. */
const WRITE_AFTER_MS = 20;
const WRITE_AGAIN_MS = 1_000;
const MOST_WAITING = 100_000;

export interface AddressedSignatures {
  /** Marks every signature in an address, as the request line has it. */
  mark(address: string): void;
  /** Throws when the signature stood in an address. */
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

/** One name for each signature, whatever its spelling. Undefined for text that can be none. */
export function markOfSignature(text: string): Buffer | undefined {
  const hex = /^(?:0x)?([0-9a-f]{128,})$/i.exec(text.trim())?.[1]?.toLowerCase();
  if (hex !== undefined) return digestOf(hex.length > 130 ? hex : `${hex.slice(0, 64)}${withoutParity(hex.slice(64, 128))}`);
  if (!/^[1-9A-HJ-NP-Za-km-z]{80,90}$/.test(text.trim())) return undefined;
  try {
    return digestOf(Buffer.from(base58.decode(text.trim())).toString('hex'));
  } catch {
    return undefined;
  }
}

/** EIP-2098 keeps the parity in the highest bit of `s`, which is otherwise empty. */
function withoutParity(s: string): string {
  return `${(Number.parseInt(s.slice(0, 1), 16) & 7).toString(16)}${s.slice(1)}`;
}

/** A contract may take other bytes for the same signature, so its wallet and time count as well. */
export function markOfContract(address: string, timestampMs: number): Buffer {
  return digestOf(`contract ${address} ${timestampMs}`);
}

function digestOf(text: string): Buffer {
  return createHash('sha256').update(text, 'utf8').digest();
}

interface Addressed {
  readonly digest: Buffer;
  /** How far ahead of ours the signer's clock is. */
  readonly aheadMs: number;
}

/** Under any name, in the query or the path: only its shape makes a text a signature. */
function signaturesIn(address: string, now: number): Addressed[] {
  if (address.length < 80) return [];
  const [path = '', ...queries] = address.split('?');
  const query = new URLSearchParams(queries.join('?'));
  const values = [...query.values()];
  const found = [...path.split('/'), ...values].flatMap((text) => markOfSignature(text) ?? []);
  if (found.length === 0) return [];
  const times = query.getAll('wallet_sig_ts').map((text) => Number(text.trim()));
  const ahead = Math.max(0, ...times.filter(Number.isSafeInteger).map((at) => at - now));
  const aheadMs = Math.min(ahead, MOST_AHEAD_MS);
  const wallets = values.flatMap((text) => canonicalWallet(text.trim())?.address ?? []);
  const ofContracts = wallets.flatMap((wallet) => times.filter(Number.isSafeInteger).map((at) => markOfContract(wallet, at)));
  return [...found, ...ofContracts].slice(0, MOST_IN_ONE).map((digest) => ({ digest, aheadMs }));
}

const MOST_IN_ONE = 16;
