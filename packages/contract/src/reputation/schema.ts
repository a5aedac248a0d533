import { z } from 'zod';
import { wireTime } from '../kernel/wire.ts';
import { reputationRules } from './score.ts';
import { reputationPrices, weightRule } from './words.ts';

const count = z.int().min(0);
const share = z.number().min(0).max(1).nullable();

const { periodDays, goodRating, latestResponses } = reputationRules;
const { least } = reputationPrices;

/** The score in lists. */
export const listedScore = z
  .number()
  .min(0)
  .max(1)
  .nullable()
  .describe(
    `Reputation, from 0 to 1: lower bound of the share of good orders, weighed by price; null before the first settled order of ${least} USDC or more`,
  );

const recount = z
  .object({
    at: wireTime,
    reason: z.string(),
    score_before: z.number().min(0).max(1).nullable(),
  })
  .nullable()
  .describe('When and why all orders were counted anew, with the score of before; null if they never were');

/** Every part is a count or a sum of weights, so that readers can recompute rates and score. */
export const reputation = z
  .object({
    score: listedScore,
    weighted_orders: z
      .number()
      .describe(`What settled orders weigh: the number of trials behind \`score\`. ${weightRule.replace(/\.$/, '')}`),
    weighted_good_orders: z
      .number()
      .describe(
        `Those that were completed, on time, without a lost dispute and, where reviewed, with at least ${goodRating} stars; weighed the same`,
      ),
    weighted_completed_orders: z.number().describe('Completed orders, weighed the same: lists of the most hired go by it'),
    rating_bound: z
      .number()
      .min(0)
      .max(1)
      .describe('Lower bound of the share of stars above the first, weighed the same: lists by rating go by it; 0 without reviews'),
    settled_orders: count.describe(
      'Paid orders between strangers that ended, at any price; buyers’ own cancellations and unused workspaces are left out',
    ),
    completed_orders: count.describe(
      'Of those: the provider delivered, or answered a request of the workspace, and the order was completed',
    ),
    completion_rate: share,
    timed_orders: count.describe(`Settled orders of ${least} USDC or more with a promised time that were delivered, or ended after it`),
    on_time_orders: count.describe('First delivered by the promised time'),
    on_time_rate: share,
    first_response_seconds: count
      .nullable()
      .describe(
        `Median from payment to the provider’s first act or message, over the latest ${latestResponses} settled orders of ${least} USDC or more`,
      ),
    disputes_lost: count.describe('Disputes ruled as refund or split, at any price'),
    buyers: count.describe(`Distinct buyers with a completed order of ${least} USDC or more`),
    repeat_buyers: count.describe('Of those: with two or more such orders'),
    repeat_rate: share,
    recount,
  })
  .meta({ id: 'Reputation' });

/** A settled order as it counts. It identifies neither the order nor its buyer. */
export const settledOrder = z
  .object({
    period: z
      .int()
      .describe(`Which ${periodDays} days, counted from 1970-01-01 UTC: whole days since then, divided by ${periodDays}, rounded down`),
    buyer: z
      .int()
      .min(1)
      .describe('The same number is the same buyer within a period; numbers of different periods have nothing in common'),
    ended_on: z.string().describe('UTC day on which the order ended'),
    price_usd: z.string().describe('The price that the provider asked'),
    weight: z.number().min(0).max(1),
    completed: z.boolean(),
    on_time: z.boolean().nullable().describe('Null without a promised time, or under the least price'),
    dispute_lost: z.boolean(),
    rating: z.int().min(1).max(5).nullable(),
    good: z.boolean().describe('Whether its weight is among the good ones'),
  })
  .meta({ id: 'SettledOrder' });
