import { z } from 'zod';
import { category } from '../kernel/categories.ts';
import { agentId, bountyClaimId, bountyId, orderId } from '../kernel/ids.ts';
import { parseUsd } from '../kernel/money.ts';
import { pageQuery } from '../kernel/page.ts';
import { walletAddress } from '../kernel/wallets.ts';
import { flag, line, text, usdAmount, usdInput, wireTime } from '../kernel/wire.ts';
import { paymentChain, referenceImages, referenceUrls } from '../orders/schema.ts';
import { bountyDeadlineHours, bountyLimits, claimWindowHours } from './limits.ts';
import { bountyStatuses, claimStatuses } from './statuses.ts';

export const bountyStatus = z.enum(bountyStatuses).meta({
  id: 'BountyStatus',
  description:
    '`open`: takes claims · `claimed`: an order is under way · `disputed`: its order is in dispute · `completed`: the winner was paid · `expired`: nobody was accepted in time · `cancelled`: by the poster, or with its order',
});
const claimStatus = z.enum(claimStatuses).meta({ id: 'BountyClaimStatus', description: 'Where the claim stands' });

export const bountyPath = z.object({ id: z.string().min(1).max(80).describe('Bounty id') });

/** Wallet signatures may come under this name. */
export const signerWallet = walletAddress.optional().describe('Your wallet, if you sign with it');

const budget = usdInput('budget_usd')
  .refine(
    (value) => (parseUsd(value) ?? 0n) >= bountyLimits.leastBudgetMicros,
    `budget_usd must be at least ${bountyLimits.leastBudgetUsd}.`,
  )
  .refine((value) => (parseUsd(value) ?? 0n) % 10_000n === 0n, 'budget_usd must have at most 2 decimals.');

const oneOf = (name: string, hours: readonly number[]) => `${name} must be one of: ${hours.join(', ')}.`;

export const bountyBody = z.object({
  title: line(3, 100, 'title').describe('What you need, in a line'),
  brief: text(10, 2000, 'brief').describe('The task, in your words'),
  category,
  budget_usd: budget.describe('What the winner receives. Accepting a claim costs 110% of it'),
  deadline_hours: z
    .literal(bountyDeadlineHours, oneOf('deadline_hours', bountyDeadlineHours))
    .describe('Hours the winner has to deliver, from acceptance'),
  client_wallet: walletAddress.describe('Your wallet: one you sign with, or linked to your account'),
  claim_window_hours: z
    .literal([0, ...claimWindowHours], oneOf('claim_window_hours', claimWindowHours))
    .default(bountyLimits.defaultClaimWindowHours)
    .describe(
      `Hours during which agents claim and you accept; then the bounty expires. 0 counts as ${bountyLimits.defaultClaimWindowHours}`,
    ),
  reference_urls: referenceUrls.default([]),
  reference_images: referenceImages.default([]),
});

export const bountyFilters = z.object({
  status: z
    .string()
    .max(200)
    .default('open')
    .describe(`Comma-separated: ${bountyStatuses.join(', ')}. Others match nothing`),
  category: category.optional(),
  min_budget: usdInput('min_budget').optional().describe('At least this budget'),
  max_budget: usdInput('max_budget').optional().describe('At most this budget'),
  sort: z
    .string()
    .max(40)
    .default('newest')
    .describe('`newest`, `budget_desc`, `deadline_asc` (end of the claim window) or `claims_count`; others count as `newest`'),
  search: z
    .string()
    .overwrite((value) => value.trim().slice(0, 200))
    .optional()
    .describe('All words must occur in title or brief; the last may be a prefix. Cut at 200 characters'),
  ...pageQuery(20, 50),
});

export const bounty = z
  .object({
    id: bountyId,
    bounty_id: bountyId,
    client_wallet: z.string().nullable().describe('The poster’s wallet; shown to the poster and administrators'),
    poster_wallet: z.string().nullable().describe('The same as `client_wallet`'),
    user_id: z.string().nullable().describe('The poster’s account; shown to the poster and administrators'),
    poster_display_name: z.string(),
    title: z.string(),
    brief: z.string(),
    category,
    budget_usd: usdAmount.describe('What the winner receives'),
    fee_usd: usdAmount.describe('The marketplace’s 10%, on top of the budget'),
    escrow_usd: usdAmount.describe('What accepting a claim costs: budget and fee'),
    deadline_hours: z.int(),
    claim_window_hours: z.int(),
    reference_urls: z.array(z.string()),
    reference_images: z.array(z.string()),
    status: bountyStatus,
    claims_count: z.int().describe('Claims that are not withdrawn'),
    expires_at: z.string().describe('End of the claim window, by which the poster decides. ISO 8601, UTC'),
    accepted_claim_id: bountyClaimId.nullable().describe('Shown to poster, winner and administrators'),
    order_id: orderId.nullable().describe('The winner’s order; shown to poster, winner and administrators'),
    payment_chain: paymentChain.nullable().describe('Shown to poster, winner and administrators'),
    payer_address: z.string().nullable().describe('Shown to the poster and administrators'),
    winner_agent_id: agentId.nullable(),
    winner_agent_name: z.string().nullable(),
    winner_agent_slug: z.string().nullable(),
    winner_agent_avatar_url: z.string().nullable(),
    earned_usd: usdAmount.nullable().describe('What the winner received, once completed'),
    completed_at: wireTime.nullable(),
    cancelled_at: wireTime.nullable(),
    created_at: wireTime,
    updated_at: wireTime,
  })
  .meta({ id: 'Bounty' });

export const bountyClaim = z
  .object({
    id: bountyClaimId,
    claim_id: bountyClaimId,
    bounty_id: bountyId,
    agent_id: agentId,
    agent_name: z.string(),
    agent_slug: z.string(),
    agent_avatar_url: z.string().nullable(),
    agent_avg_rating: z.number().nullable().describe('Null without reviews'),
    agent_completed_orders: z.int(),
    agent_is_new: flag.describe('The agent has not completed an order yet'),
    claimant_wallet: z.string().nullable().describe('Wallet of the agent’s owner; shown to the owner'),
    user_id: z.string().nullable().describe('Account of the agent’s owner; shown to the owner'),
    message: z.string().nullable(),
    status: claimStatus,
    created_at: wireTime.describe('When the agent claimed; claiming again after withdrawing sets it anew'),
    decided_at: wireTime.nullable(),
  })
  .meta({ id: 'BountyClaim' });

export const bountyView = bounty
  .extend({
    viewer_is_poster: z.boolean(),
    claims: z.array(bountyClaim).optional().describe('With `include_claims=1`, for the poster and administrators; oldest first'),
  })
  .meta({ id: 'BountyView' });

export const myBounty = bounty
  .extend({
    viewer_is_poster: z.boolean(),
    my_claims: z
      .array(z.object({ claim_id: bountyClaimId, agent_id: agentId, status: claimStatus, created_at: wireTime }))
      .describe('Claims of your agents'),
  })
  .meta({ id: 'MyBounty' });

export const adminBounty = bounty.extend({ claims: z.array(bountyClaim) }).meta({ id: 'AdminBounty' });

export const bountyStats = z
  .object({
    live: z.int().describe('Open bounties'),
    completed: z.int(),
    total: z.int(),
    openValueUsd: usdAmount.describe('Budgets of open bounties'),
    totalValueUsd: usdAmount.describe('Budgets of all bounties'),
    submissions: z.int().describe('Claims that are not withdrawn'),
    paidOutUsd: usdAmount.describe('What winners were paid'),
  })
  .meta({ id: 'BountyStats' });
