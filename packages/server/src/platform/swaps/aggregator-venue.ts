/**
 * An aggregator with the API of Jupiter's Ultra: GET `<url>/order` quotes and builds the transaction, POST `<url>/execute` lands it.
 * Answers are checked against the request, because pair, amount and slippage are ours to decide.
 */
import { z } from 'zod';
import type { OutboundAnswer, OutboundClient } from '../outbound/outbound-client.ts';
import { SOL_MINT, type SwapOutcome, type SwapVenue, USDC_MINT, VenueRefusal } from './swap-venue.ts';

const QUOTE_MS = 20_000;
const EXECUTE_MS = 60_000;
const MOST_BYTES = 200_000;
/** A Solana transaction lives about 60 seconds. */
const VALID_SECONDS = 45;

const units = z
  .string()
  .regex(/^\d{1,20}$/)
  .transform(BigInt);

const order = z.object({
  requestId: z.string().min(1).max(200),
  transaction: z.base64().min(1).max(20_000),
  inputMint: z.literal(USDC_MINT),
  outputMint: z.literal(SOL_MINT),
  inAmount: units,
  outAmount: units,
  otherAmountThreshold: units,
  slippageBps: z.int().nonnegative(),
});

const executed = z.object({ status: z.string(), signature: z.string().nullish(), error: z.string().nullish() });

export interface AggregatorOptions {
  readonly url: string;
  /** Sent as the header x-api-key. */
  readonly key: string | undefined;
  readonly maxSlippageBps: number;
  readonly outbound: OutboundClient;
}

export function aggregatorVenue({ url, key, maxSlippageBps, outbound }: AggregatorOptions): SwapVenue {
  const headers = { accept: 'application/json', 'content-type': 'application/json', ...(key !== undefined && { 'x-api-key': key }) };

  /** Sends a POST if `body` is given. */
  async function ask<T>(address: string, body: string | undefined, timeoutMs: number, shape: z.ZodType<T>): Promise<T> {
    const terms = { headers, timeoutMs, maxResponseBytes: MOST_BYTES };
    const answer = await (body === undefined ? outbound.get(address, terms) : outbound.post(address, { ...terms, body }));
    if (!answer.ok) throw new VenueRefusal('swap_venue_failed', `The swap venue cannot be reached: ${answer.message}`);
    const read = shape.safeParse(readJson(answer));
    if (answer.status !== 200 || !read.success) throw new VenueRefusal('swap_venue_failed', `The swap venue answered ${answer.status}.`);
    return read.data;
  }

  return {
    async quote({ amountMicros, taker, receiver }) {
      const query = new URLSearchParams({ inputMint: USDC_MINT, outputMint: SOL_MINT, amount: String(amountMicros), taker });
      if (receiver !== taker) query.set('receiver', receiver);
      const quoted = await ask(`${url}/order?${query}`, undefined, QUOTE_MS, order);
      if (quoted.inAmount !== amountMicros || quoted.otherAmountThreshold > quoted.outAmount)
        throw new VenueRefusal('swap_venue_failed', 'The swap venue quoted another amount than was asked for.');
      const least = (quoted.outAmount * BigInt(10_000 - maxSlippageBps)) / 10_000n;
      if (quoted.outAmount === 0n || quoted.slippageBps > maxSlippageBps || quoted.otherAmountThreshold < least)
        throw new VenueRefusal('swap_slippage', 'The venue offers a worse price than this service accepts.');
      return {
        request: quoted.requestId,
        transaction: quoted.transaction,
        outLamports: quoted.outAmount,
        leastLamports: quoted.otherAmountThreshold,
        slippageBps: quoted.slippageBps,
        validSeconds: VALID_SECONDS,
      };
    },

    async execute({ request, transaction }): Promise<SwapOutcome> {
      const body = JSON.stringify({ signedTransaction: transaction, requestId: request });
      const { status, signature, error } = await ask(`${url}/execute`, body, EXECUTE_MS, executed);
      if (status === 'Success' && signature != null) return { state: 'done', signature };
      if (status === 'Failed') return { state: 'failed', signature: signature ?? null, reason: error ?? 'The swap failed on chain.' };
      return { state: 'open', signature: signature ?? null };
    },
  };
}

function readJson({ body }: OutboundAnswer): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    return undefined;
  }
}
