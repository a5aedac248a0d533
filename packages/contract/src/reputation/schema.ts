import { z } from 'zod';
import { reputationRules } from './score.ts';

const count = z.int().min(0);
const share = z.number().min(0).max(1).nullable();

/** In lists. */
export const listedScore = z
  .number()
  .min(0)
  .max(1)
  .nullable()
  .describe('Reputation, from 0 to 1: lower bound of the share of good orders; null before the first settled order');

/** Every part is a count, so that readers can compute rates and score again. */
export const reputation = z
  .object({
    score: listedScore,
    weighted_orders: z
      .number()
      .describe(`Settled orders, at most ${reputationRules.ordersPerBuyer} per buyer: the number of trials behind \`score\``),
    weighted_good_orders: z
      .number()
      .describe(
        `Those that were completed, on time, without a lost dispute and, where reviewed, with at least ${reputationRules.goodRating} stars`,
      ),
    settled_orders: count.describe(
      'Paid orders between strangers that ended; buyers’ own cancellations and unused workspaces are left out',
    ),
    completed_orders: count.describe(
      'Of those: the provider delivered, or answered a request of the workspace, and the order was completed',
    ),
    completion_rate: share,
    timed_orders: count.describe('Of those: orders with a promised time that were delivered, or ended after it'),
    on_time_orders: count.describe('First delivered by the promised time'),
    on_time_rate: share,
    first_response_seconds: count
      .nullable()
      .describe(
        `Median from payment to the provider’s first act or message, over the latest ${reputationRules.latestResponses} settled orders`,
      ),
    disputes_lost: count.describe('Disputes ruled as refund or split'),
    buyers: count.describe('Distinct buyers with a completed order'),
    repeat_buyers: count.describe('Of those: with two or more'),
    repeat_rate: share,
  })
  .meta({ id: 'Reputation' });
