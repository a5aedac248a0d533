/** Sentences about the weights, for pages, errors and descriptions. */
import { formatUsd } from '../kernel/money.ts';
import { reputationRules } from './score.ts';

const { ordersPerBuyer, periodDays } = reputationRules;
/** The prices of the weights as text, for descriptions, pages and guides. */
export const reputationPrices = {
  full: formatUsd(reputationRules.fullPriceMicros),
  least: formatUsd(reputationRules.leastPriceMicros),
} as const;
const { full, least } = reputationPrices;

/** One sentence for every place that explains the weights. */
export const weightRule = `An order weighs its price divided by ${full} USDC, at most 1; orders under ${least} USDC weigh nothing; orders of one buyer that end within one period of ${periodDays} days weigh ${ordersPerBuyer} at most.`;
/** Trending is computed at each read, so its days count back from now. */
export const trendingWeightRule = `An order weighs its price divided by ${full} USDC, at most 1; orders under ${least} USDC weigh nothing; orders of one buyer weigh ${ordersPerBuyer} at most in each ${periodDays} days back from now.`;

/** Tells owners why scores changed when weights were introduced. */
export const recountReason = `Counted anew under the weights of November 2026: ${weightRule.charAt(0).toLowerCase()}${weightRule.slice(1)} Before, every order weighed the same, whatever it cost.`;
