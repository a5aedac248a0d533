/** Swaps of USDC into SOL: a quote from the venue of this deployment, and its execution as quoted, once. */
import { MarketError, parseUsd, toWireTime } from '@market/contract';
import type { HandlersOf } from '../../../access/call.ts';
import type { Caller } from '../../../access/caller.ts';
import { ChainUnavailable } from '../../../platform/chains/chain.ts';
import type { Clock } from '../../../platform/clock/clock.ts';
import { reachCrashPoint } from '../../../platform/crash-points.ts';
import type { Database, Db } from '../../../platform/db/database.ts';
import { newId } from '../../../platform/random.ts';
import {
  type ReadLanding,
  SOL_MINT,
  type SwapLanding,
  type SwapOutcome,
  type SwapVenue,
  USDC_MINT,
  VenueRefusal,
} from '../../../platform/swaps/swap-venue.ts';
import { canonicalWallet } from '../../../platform/wallets/wallet-address.ts';
import { endSwap, findSwap, insertSwap, type SwapRow, startSwap } from './repository.ts';
import { isSignedAsQuoted, messageHashOf } from './signed-as-quoted.ts';

export { swapJobs } from './swap-jobs.ts';

export interface SwapContext {
  readonly database: Database;
  readonly clock: Clock;
  /** Undefined: this deployment swaps nothing. */
  readonly swapVenue: SwapVenue | undefined;
  /** Undefined where this deployment has no node of Solana: then the venue's word counts. */
  readonly readLanding: ReadLanding | undefined;
}

export function swapHandlers({ database: { db }, clock, swapVenue, readLanding }: SwapContext): HandlersOf<'swap'> {
  return {
    async order({ amount_usd, taker, receiver = taker }, { caller }) {
      const venue = requireVenue(swapVenue);
      const amountMicros = parseUsd(amount_usd);
      if (amountMicros === undefined) throw new MarketError('invalid_input');
      for (const [field, address] of Object.entries({ taker, receiver }))
        if (canonicalWallet(address)?.chain !== 'solana')
          throw new MarketError('invalid_input', { message: `${field} must be a base58 Solana address.` });
      const quote = await refusing(() => venue.quote({ amountMicros, taker, receiver }));
      const [now, userId] = [clock.now(), requireUser(caller)];
      const [id, expiresAt] = [newId('swap', now), new Date(now.getTime() + quote.validSeconds * 1000)];
      const { outLamports, leastLamports, transaction, slippageBps } = quote;
      const messageHash = messageHashOf(transaction);
      if (messageHash === undefined) throw new MarketError('swap_venue_failed');
      await insertSwap(db, {
        id,
        userId,
        taker,
        receiver,
        amountMicros,
        outLamports,
        leastLamports,
        venueRequest: quote.request,
        messageHash,
        expiresAt,
      });
      return {
        data: {
          requestId: id,
          transaction,
          inputMint: USDC_MINT,
          outputMint: SOL_MINT,
          inAmount: String(amountMicros),
          outAmount: String(outLamports),
          otherAmountThreshold: String(leastLamports),
          slippageBps,
          taker,
          receiver,
          expires_at: toWireTime(expiresAt),
        },
      };
    },

    async execute({ request_id: id, signed_transaction: signed }, { caller }) {
      const venue = requireVenue(swapVenue);
      const swap = await findSwap(db, id, requireUser(caller));
      if (swap === undefined) throw new MarketError('swap_not_found');
      if (hasEnded(swap)) return { data: presentSwap(swap) };
      if (!isSignedAsQuoted(signed, swap)) throw new MarketError('swap_not_as_quoted');
      // Store the bytes before the venue sees them. A second call, or one after a crash, sends the stored bytes: they swap at most once.
      if (swap.state === 'quoted') await startSwap(db, id, signed);
      const stored = await findSwap(db, id, swap.userId);
      if (stored === undefined) throw new MarketError('swap_not_found');
      if (hasEnded(stored)) return { data: presentSwap(stored) };
      const { signedTransaction: transaction } = stored;
      if (transaction === null) throw new MarketError('swap_expired');
      const landing = stored.signature === null ? 'missing' : await readLanding?.(stored.signature);
      if (landing === 'final' || landing === 'landed')
        return { data: presentSwap(await keepLanded(db, stored, stored.signature, landing)) };
      reachCrashPoint('swap.after_store');
      const outcome = await refusing(() => venue.execute({ ...stored, request: stored.venueRequest, transaction })).catch(async (error) => {
        // The venue has not signed, so these bytes never land.
        if (error instanceof MarketError && error.code === 'swap_price_moved')
          await endSwap(db, id, { state: 'failed', signature: null, reason: error.message });
        throw error;
      });
      reachCrashPoint('swap.after_execute');
      return { data: presentSwap(await keepOutcome(db, stored, outcome, readLanding)) };
    },
  };
}

/** A swap is done when it is final: until then every call looks again. */
async function keepLanded(db: Db, swap: SwapRow, signature: string | null, landing: SwapLanding | undefined): Promise<SwapRow> {
  const state = landing === 'final' || landing === undefined ? 'done' : 'executing';
  await endSwap(db, swap.id, { state, signature, reason: null });
  // The answer shows the state on chain now.
  return { ...swap, state: landing === 'missing' || landing === 'failed' ? 'executing' : 'done', signature, reason: null };
}

async function keepOutcome(db: Db, swap: SwapRow, outcome: SwapOutcome, readLanding: ReadLanding | undefined): Promise<SwapRow> {
  if (outcome.state === 'done') return await keepLanded(db, swap, outcome.signature, await lookAfter(outcome.signature, readLanding));
  const reason = outcome.state === 'failed' ? outcome.reason : null;
  const state = outcome.state === 'open' ? 'executing' : outcome.state;
  const signature = outcome.signature ?? swap.signature;
  await endSwap(db, swap.id, { state, signature, reason });
  return { ...swap, state, signature, reason };
}

/** Reads the landing of a swap that the venue has executed. A node that is away must not hide its signature. */
async function lookAfter(signature: string, readLanding: ReadLanding | undefined): Promise<SwapLanding | undefined> {
  try {
    return await readLanding?.(signature);
  } catch (error) {
    if (error instanceof ChainUnavailable) return 'missing';
    throw error;
  }
}

function hasEnded({ state }: SwapRow): boolean {
  return state === 'done' || state === 'failed';
}

function requireVenue(venue: SwapVenue | undefined): SwapVenue {
  if (venue === undefined) throw new MarketError('swap_unavailable');
  return venue;
}

function requireUser({ user }: Caller): string {
  if (user === undefined) throw new MarketError('unauthenticated');
  return user.id;
}

async function refusing<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof VenueRefusal) throw new MarketError(error.code, { message: error.message, cause: error });
    throw error;
  }
}

const words = { quoted: 'Pending', executing: 'Pending', done: 'Success', failed: 'Failed' } as const;

function presentSwap({ id, state, signature, reason }: SwapRow) {
  return { status: words[state], signature, requestId: id, error: reason };
}
