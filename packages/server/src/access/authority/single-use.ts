/**
 * Proofs that are accepted once. A call claims its proof before it runs, so of several concurrent calls one runs. A call that fails
 * releases the claim, because the same call may be repeated until it succeeds, for example after a 402.
 */
import { MarketError } from '@market/contract';
import type { Clock } from '../../platform/clock/clock.ts';
import type { Database, Db } from '../../platform/db/database.ts';
import type { Caller, WalletCaller } from '../caller.ts';
import { releaseSignature, spendSignature } from '../credentials-repository.ts';
import { SHORT_MAX_AGE_MS } from './seen-signatures.ts';

/** Custody signatures are spent by their handlers, in the transaction of the effect. */
export function isSingleUse({ proof }: WalletCaller): boolean {
  return proof === 'single_use' || proof === 'action';
}

/** Throws when the proof was used. Returns a function that releases the claim. */
export async function claimProof(database: Database, clock: Clock, { wallet, walletElsewhere }: Caller): Promise<() => Promise<void>> {
  const signer = wallet ?? walletElsewhere;
  const digest = signer?.signatureDigest;
  if (signer === undefined || digest === undefined || !isSingleUse(signer)) return async () => undefined;
  const { db } = database;
  await spendProof(db, clock, signer);
  // If the release fails, the proof stays used and the caller signs again.
  return async () => await releaseSignature(db, digest).catch(() => undefined);
}

export async function spendProof(db: Db, clock: Clock, { signatureDigest: digest, address: wallet }: WalletCaller): Promise<void> {
  if (digest === undefined) return;
  // Keep it longer than the signature is valid, so that it cannot be replayed.
  const expiresAt = new Date(clock.realNow().getTime() + 2 * SHORT_MAX_AGE_MS);
  if (!(await spendSignature(db, { digest, wallet, expiresAt }))) throw new MarketError('signature_already_used');
}
