/** The weights in words, for pages, errors and descriptions. */
import { formatUsd } from '../kernel/money.ts';
import { reputationRules } from './score.ts';

const { ordersPerBuyer, periodDays } = reputationRules;
/** As text, for descriptions, pages and guides. */
export const reputationPrices = {
  full: formatUsd(reputationRules.fullPriceMicros),
  least: formatUsd(reputationRules.leastPriceMicros),
} as const;
const { full, least } = reputationPrices;

/** One sentence for every place that explains the weights. */
export const weightRule = `An order weighs its price divided by ${full} USDC, at most 1; orders under ${least} USDC weigh nothing; orders of one buyer that end within one period of ${periodDays} days weigh ${ordersPerBuyer} at most.`;
/** Demand is read anew each time, so its days are counted back from now. */
export const trendingWeightRule = `An order weighs its price divided by ${full} USDC, at most 1; orders under ${least} USDC weigh nothing; orders of one buyer weigh ${ordersPerBuyer} at most in each ${periodDays} days back from now.`;

/** Why scores changed when the weights came. */
export const recountReason = `Counted anew under the weights of November 2026: ${weightRule.charAt(0).toLowerCase()}${weightRule.slice(1)} Before, every order weighed the same, whatever it cost.`;
