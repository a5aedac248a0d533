/** Swaps of USDC into SOL: a quote from the venue of this deployment, and its execution as quoted, once. */
import { MarketError, parseUsd, toWireTime } from '@market/contract';
import { z } from 'zod';
import type { HandlersOf } from '../../access/call.ts';
import type { Caller } from '../../access/caller.ts';
import type { Clock } from '../../platform/clock/clock.ts';
import { reachCrashPoint } from '../../platform/crash-points.ts';
import type { Database } from '../../platform/db/database.ts';
import { defineJob, type JobDefinition } from '../../platform/jobs/job.ts';
import { newId } from '../../platform/random.ts';
import { SOL_MINT, type SwapOutcome, type SwapVenue, USDC_MINT, VenueRefusal } from '../../platform/swaps/swap-venue.ts';
import { canonicalWallet } from '../../platform/wallets/wallet-address.ts';
import { endSwap, findSwap, forgetQuotes, insertSwap, type SwapRow, startSwap } from './repository.ts';
import { isSignedAsQuoted, messageHashOf } from './signed-as-quoted.ts';

export interface SwapContext {
  readonly database: Database;
  readonly clock: Clock;
  /** Undefined: this deployment swaps nothing. */
  readonly swapVenue: SwapVenue | undefined;
}

export function swapHandlers({ database: { db }, clock, swapVenue }: SwapContext): HandlersOf<'swap'> {
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
      // Kept before the venue sees them. Whoever comes second, or again after a crash, sends the stored bytes: they swap at most once.
      if (swap.state === 'quoted') await startSwap(db, id, signed);
      const stored = await findSwap(db, id, swap.userId);
      if (stored === undefined) throw new MarketError('swap_not_found');
      if (hasEnded(stored)) return { data: presentSwap(stored) };
      const { signedTransaction: transaction } = stored;
      if (transaction === null) throw new MarketError('swap_expired');
      reachCrashPoint('swap.after_store');
      const outcome = await refusing(() => venue.execute({ ...stored, request: stored.venueRequest, transaction })).catch(async (error) => {
        // The venue has not signed, so these bytes never land.
        if (error instanceof MarketError && error.code === 'swap_price_moved')
          await endSwap(db, id, { state: 'failed', signature: null, reason: error.message });
        throw error;
      });
      reachCrashPoint('swap.after_execute');
      return { data: presentSwap(await keepOutcome(stored, outcome)) };
    },
  };

  async function keepOutcome(swap: SwapRow, outcome: SwapOutcome): Promise<SwapRow> {
    const reason = outcome.state === 'failed' ? outcome.reason : null;
    const state = outcome.state === 'open' ? 'executing' : outcome.state;
    await endSwap(db, swap.id, { state, signature: outcome.signature, reason });
    return { ...swap, state, signature: outcome.signature, reason };
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

const FORGET_SECONDS = 3_600;
const FORGOTTEN_AT_ONCE = 1_000;

export function forgetQuotesJob({ database: { db } }: Pick<SwapContext, 'database'>): JobDefinition {
  return defineJob({
    kind: 'swap.forget_quotes',
    payload: z.object({}),
    retryAfterSeconds: [],
    everySeconds: FORGET_SECONDS,
    run: () => forgetQuotes(db, FORGOTTEN_AT_ONCE),
  });
}
