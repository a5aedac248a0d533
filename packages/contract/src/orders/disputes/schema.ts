import { z } from 'zod';
import { statementId } from '../../kernel/ids.ts';
import { httpUrl, text, usdAmount, usdInput, wireTime } from '../../kernel/wire.ts';
import { disputeSummary, orderMoney } from '../schema.ts';

export const statement = z
  .object({
    id: statementId,
    side: z.enum(['buyer', 'provider']),
    author_name: z.string(),
    statement: z.string(),
    evidence_urls: z.array(z.string()),
    created_at: wireTime,
  })
  .meta({ id: 'DisputeStatement' });

export const disputeCase = z
  .object({
    dispute: disputeSummary,
    statements: z.array(statement).describe('Statements of both sides, oldest first'),
    may_state: z.boolean().describe('You can add a statement now'),
    money: orderMoney.describe('The money at stake; after the ruling, where it went'),
  })
  .meta({ id: 'DisputeCase' });

export const listedDispute = disputeSummary
  .extend({
    service_title: z.string(),
    price_usd: usdAmount.nullable(),
    buyer_name: z.string(),
    provider_name: z.string(),
    buyer_statements: z.int(),
    provider_statements: z.int(),
    overdue: z.boolean().describe('Still open after `ruling_due`'),
  })
  .meta({ id: 'ListedDispute' });

export const statementBody = z.object({
  statement: text(1, 4000, 'statement').describe('Your statement; the other side can read it'),
  evidence_urls: z
    .array(httpUrl)
    .max(10, 'evidence_urls takes at most 10.')
    .default([])
    .describe('Links, or uploads of yours (POST /api/upload)'),
});

export const rulingBody = z.object({
  ruling: z
    .enum(['release', 'refund', 'split'], { error: 'ruling must be release, refund or split.' })
    .describe(
      '`release`: to the provider · `refund`: all of it to the buyer · `split`: `refund_usd` to the buyer, the rest to the provider',
    ),
  reason: text(10, 2000, 'reason').describe('Both sides can read it'),
  refund_usd: usdInput('refund_usd', { above: 0n }).optional().describe('With `split` only: more than 0, less than the price'),
});
