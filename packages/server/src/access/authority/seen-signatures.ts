/**
 * A signature belongs to the first call that showed it. Each ordinary signature of the last minutes is noted with the hash of that call. So
 * nobody can use a copy for a single-use call, or for a second transfer.
 */
import { MarketError, type WalletProof } from '@market/contract';
import type { Clock } from '../../platform/clock/clock.ts';
import type { Db } from '../../platform/db/database.ts';
import type { WalletCaller } from '../caller.ts';
import { noteCustodyTransfer, noteSignature, noteTransfer } from './seen-signatures-repository.ts';

/** Single-use and custody signatures, and signatures that spend a transfer. */
export const SHORT_MAX_AGE_MS = 5 * 60_000;
const KEPT_MS = 6 * 60_000;
const MOST_REMEMBERED = 10_000;

export interface SeenSignatures {
  /** Notes a signature of this call. Returns the hash of the call that showed it first. */
  note(wallet: WalletCaller, callHash: Buffer): Promise<Buffer>;
}

const notedProofs: readonly WalletProof[] = ['signature_in_query', 'signature', 'single_use', 'action'];

/** Whether the signature needs a note. Signatures too old for a single use need none. */
export function isNoted({ proof, signatureAgeMs = Number.POSITIVE_INFINITY }: WalletCaller): boolean {
  return notedProofs.includes(proof) && signatureAgeMs <= SHORT_MAX_AGE_MS;
}

export function createSeenSignatures({ db, clock }: { readonly db: Db; readonly clock: Clock }): SeenSignatures {
  // Saves a statement when this process sees the same signature again.
  const first = new Map<string, Buffer>();
  return {
    async note({ signatureDigest: digest }, callHash) {
      if (digest === undefined) return callHash;
      const name = digest.toString('base64');
      const known = first.get(name);
      if (known !== undefined) return known;
      const noted = await noteSignature(db, { digest, callHash, expiresAt: new Date(clock.realNow().getTime() + KEPT_MS) });
      const oldest = first.size >= MOST_REMEMBERED ? first.keys().next().value : undefined;
      if (oldest !== undefined) first.delete(oldest);
      first.set(name, noted);
      return noted;
    },
  };
}

/**
 * A signature spends one transfer, and none after it was in a URL. False when it has spent another one. Acting on an order confirms its
 * payment, which counts as spending. A custody text does not cover the query, so it is bound as well.
 */
export async function bindsToTransfer(db: Db, wallet: WalletCaller, transfer: string): Promise<boolean> {
  const { signatureDigest: digest, addressMarks: marks = [], proof } = wallet;
  if (digest === undefined) return true;
  return await (proof === 'custody' ? noteCustodyTransfer : noteTransfer)(db, { digest, marks }, transfer);
}

/** As `bindsToTransfer`, but throws when the signature has spent another transfer. */
export async function bindToTransfer(db: Db, wallet: WalletCaller, transfer: string): Promise<void> {
  if (await bindsToTransfer(db, wallet, transfer)) return;
  throw new MarketError('signature_already_used', {
    message:
      'This wallet signature has paid with another transfer, or was sent in an address. Sign again: each transfer needs a signature of its own, in headers or body.',
  });
}
