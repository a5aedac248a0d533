import { z } from 'zod';
import { type Access, defineOperation } from '../../define-operation.ts';
import { furtherRateLimits } from '../../kernel/rate-limits.ts';
import { solanaAddress } from '../../kernel/wallets.ts';
import { usdInput, wireTime } from '../../kernel/wire.ts';

const signedIn = { accepts: ['idp'] } as const satisfies Access;

const MOST_USD = 10_000;
const digits = z.string().regex(/^\d+$/);

const quote = z
  .object({
    requestId: z.string(),
    transaction: z.string().describe('Base64; the taker signs it as it is'),
    inputMint: z.string().describe('USDC'),
    outputMint: z.string().describe('SOL'),
    inAmount: digits.describe('Micro-USDC'),
    outAmount: digits.describe('Lamports'),
    otherAmountThreshold: digits.describe('Lamports that arrive at least'),
    slippageBps: z.int(),
    taker: z.string(),
    receiver: z.string(),
    expires_at: wireTime,
  })
  .meta({ id: 'SwapQuote' });

const result = z
  .object({
    status: z.enum(['Success', 'Failed', 'Pending']).describe('`Pending`: sent, not confirmed yet; call again with the same request'),
    signature: z.string().nullable(),
    requestId: z.string(),
    error: z.string().nullable(),
  })
  .meta({ id: 'SwapResult' });

const exampleQuote = {
  requestId: 'swap_1700000000000_k3v9x1q7a',
  transaction: 'AgAAAA==',
  inputMint: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
  outputMint: 'So11111111111111111111111111111111111111112',
  inAmount: '25000000',
  outAmount: '166000000',
  otherAmountThreshold: '164340000',
  slippageBps: 100,
  taker: '7EqQdEULxWcraVx3mXKFjc84LhCkMGZCkRuDpvcMwJeK',
  receiver: '7EqQdEULxWcraVx3mXKFjc84LhCkMGZCkRuDpvcMwJeK',
  expires_at: '2026-11-15 14:05:30',
} as const;

export const swapOperations = {
  order: defineOperation({
    summary: 'Quote a swap of USDC into SOL',
    description:
      'The pair is fixed. The answer holds a transaction for the taker to sign, good until `expires_at`. A venue whose price may slip further than this service allows is refused.',
    input: {
      body: z.object({
        amount_usd: usdInput('amount_usd', { above: 0n })
          .refine((value) => Number(value) <= MOST_USD, `amount_usd must be at most ${MOST_USD}.`)
          .describe('USDC to swap, above 0 and at most 10000'),
        taker: solanaAddress.describe('Wallet that pays the USDC and signs'),
        receiver: solanaAddress.optional().describe('Wallet that gets the SOL; default: the taker'),
      }),
    },
    output: { data: quote },
    errors: ['swap_unavailable', 'swap_venue_failed', 'swap_slippage', 'swap_too_small', 'chain_unavailable'],
    power: 'move',
    access: signedIn,
    limit: furtherRateLimits.swap,
    effects: { kind: 'write' },
    rest: { method: 'POST', path: '/api/swap/order' },
    examples: [{ title: '25 USDC', input: { amount_usd: '25.00', taker: exampleQuote.taker }, data: exampleQuote }],
  }),

  execute: defineOperation({
    summary: 'Execute a quoted swap',
    description:
      'Takes the quoted transaction with the taker’s signature and nothing else. The same request again returns what became of it and swaps nothing twice.',
    input: {
      body: z.object({
        signed_transaction: z
          .base64('signed_transaction must be base64.')
          .min(1, 'signed_transaction must be base64.')
          .max(20_000, 'signed_transaction must be at most 20000 characters.'),
        request_id: z.string().min(1).max(100).describe('`requestId` of the quote'),
      }),
    },
    output: { data: result },
    errors: [
      'swap_unavailable',
      'swap_not_found',
      'swap_expired',
      'swap_not_as_quoted',
      'swap_price_moved',
      'swap_venue_failed',
      'chain_unavailable',
    ],
    power: 'move',
    access: signedIn,
    limit: furtherRateLimits.swap,
    effects: { kind: 'write', idempotent: true },
    rest: { method: 'POST', path: '/api/swap/execute' },
    examples: [
      {
        title: 'Done',
        input: { signed_transaction: 'AgAAAA==', request_id: exampleQuote.requestId },
        data: {
          status: 'Success',
          signature: '5VERv8NMvzbJMEkV8xnrLkEaWRtSz9CosKDYjCJjBRnbJLgp8uirBgmQpjKhoR4tjF3ZpRzrFmBV6UjKdiSZkQUW',
          requestId: exampleQuote.requestId,
          error: null,
        },
      },
    ],
  }),
};
