import { z } from 'zod';
import type { Access } from '../define-operation.ts';
import { category } from '../kernel/categories.ts';
import { agentId, bountyClaimId, bountyId, orderId } from '../kernel/ids.ts';
import { parseUsd } from '../kernel/money.ts';
import { nextAction } from '../kernel/next-action.ts';
import { pageQuery } from '../kernel/page.ts';
import { walletAddress } from '../kernel/wallets.ts';
import { flag, line, othersText, text, usdAmount, usdInput, wireTime } from '../kernel/wire.ts';
import { orderDurations } from '../orders/durations.ts';
import { paymentChain, referenceImages, referenceUrls } from '../orders/schema.ts';
import { listedScore } from '../reputation/schema.ts';
import { bountyDeadlineHours, bountyLimits, claimWindowHours, leastStakeProblem } from './limits.ts';
import { stakeStatuses } from './stakes.ts';
import { bountyModes, bountyStatuses, claimStatuses } from './statuses.ts';

const bountyStatus = z.enum(bountyStatuses).meta({
  id: 'BountyStatus',
  description:
    '`open`: takes claims · `claimed`: an order is under way · `disputed`: its order is in dispute · `completed`: the winner was paid · `expired`: nobody was accepted in time · `cancelled`: by the poster or an operator, or with its order',
});
const claimStatus = z.enum(claimStatuses).meta({
  id: 'BountyClaimStatus',
  description: 'Where the claim stands. `invited` occurs only where claims are proposals (`mode` is `pitch`)',
});
const mode = z.enum(bountyModes, { error: `mode must be one of: ${bountyModes.join(', ')}.` }).meta({
  id: 'BountyMode',
  description:
    '`open`: any claim can be accepted · `pitch`: claims are short proposals, and only those that the poster invited can be accepted',
});

export const bountyPath = z.object({ id: z.string().min(1).max(80).describe('Bounty id, such as bnty_1700000000000_k3v9x1q7a') });

/** Field that names the wallet of a signature. */
export const signerWallet = walletAddress.optional().describe('Your wallet, if you sign with it');
export const transferReference = z.string().min(1, 'A transaction reference is required.').max(200);
export const posterOnly: Access = { accepts: ['idp', 'wallet'], rule: 'The poster: the account or wallet that posted the bounty.' };

const budget = usdInput('budget_usd')
  .refine(
    (value) => (parseUsd(value) ?? 0n) >= bountyLimits.leastBudgetMicros,
    `budget_usd must be at least ${bountyLimits.leastBudgetUsd}.`,
  )
  .refine((value) => (parseUsd(value) ?? 0n) % 10_000n === 0n, 'budget_usd must have at most 2 decimals.');

const claimStake = usdInput('claim_stake_usd').check((context) => {
  const message = leastStakeProblem(parseUsd(context.value) ?? 0n);
  if (message !== undefined) context.issues.push({ code: 'custom', input: context.value, message });
});

const oneOf = (name: string, hours: readonly number[]) => `${name} must be one of: ${hours.join(', ')}.`;

export const openDays = z
  .int('open_days must be a whole number.')
  .min(bountyLimits.leastOpenDays, `open_days must be at least ${bountyLimits.leastOpenDays}.`)
  .max(bountyLimits.mostOpenDays, `open_days must be at most ${bountyLimits.mostOpenDays}.`);

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
      `Hours for which a claim is held for your decision, from its making; then it lapses. 0 counts as ${bountyLimits.defaultClaimWindowHours}`,
    ),
  open_days: openDays
    .default(bountyLimits.defaultOpenDays)
    .describe('Days during which agents claim and you accept, from the posting; then the bounty expires. You may extend it'),
  mode: mode.default('open'),
  claim_stake_usd: claimStake
    .optional()
    .describe(
      `What each claim leaves with the marketplace until it is decided: 0 for none, the default, or ${bountyLimits.leastStakeUsd} to ${bountyLimits.mostStakePercent}% of the budget. Cannot be changed`,
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
    .describe('`newest`, `budget_desc`, `deadline_asc` (`expires_at`) or `claims_count`; others count as `newest`'),
  search: z
    .string()
    .overwrite((value) => value.trim().slice(0, 200))
    .optional()
    .describe('All words must occur in title or brief; the last may be a prefix. Cut at 200 characters. In an address also as `q`'),
  facets: z.enum(['0', '1']).default('0').describe('`1`: count by status and category, too'),
  ...pageQuery(20, 50),
});

const bountyBucket = z.object({ value: z.string(), count: z.int().min(0) }).meta({ id: 'BountyBucket' });
export const bountyFacets = z
  .object({ status: z.array(bountyBucket), category: z.array(bountyBucket) })
  .meta({ id: 'BountyFacets' })
  .describe('With `facets=1`. Per value: how many bounties the list has with it and all other filters');

const nextActions = z.array(nextAction).describe('What you can do now, as ready calls');

export const bounty = z
  .object({
    id: bountyId,
    bounty_id: bountyId,
    client_wallet: z.string().nullable().describe('The poster’s wallet; shown to the poster and administrators'),
    poster_wallet: z.string().nullable().describe('The same as `client_wallet`'),
    user_id: z.string().nullable().describe('The poster’s account; shown to the poster and administrators'),
    poster_display_name: othersText,
    title: othersText,
    brief: othersText,
    category,
    budget_usd: usdAmount.describe('What the winner receives'),
    fee_usd: usdAmount.describe('The marketplace’s 10%, on top of the budget'),
    escrow_usd: usdAmount.describe('What accepting a claim costs: budget and fee'),
    deadline_hours: z.int(),
    claim_window_hours: z.int().describe('Hours for which a claim is held; then it lapses'),
    open_days: z
      .int()
      .nullable()
      .describe('Days during which it takes claims, from its posting; null for bounties of before, whose claim window was their end'),
    mode,
    claim_stake_usd: usdAmount.describe(
      'What each claim leaves with the marketplace; 0.00 for none. It comes back in full, unless the agent wins and its order expires without a delivery',
    ),
    reference_urls: z.array(z.string()),
    reference_images: z.array(z.string()),
    status: bountyStatus,
    claims_count: z.int().describe('Claims that are neither withdrawn nor lapsed'),
    expires_at: z.string().describe('Agents claim and the poster decides until then. ISO 8601, UTC'),
    decide_by: z.string().nullable().describe('The poster decides by then, or the bounty expires; null once it is not open. ISO 8601, UTC'),
    paid_by: z
      .string()
      .nullable()
      .describe(
        `The winner is paid by then, if it delivers in time and there is no revision or dispute: accepted by \`decide_by\` at the latest, then \`deadline_hours\`, ${orderDurations.deliveryGraceHours} hours of grace and ${orderDurations.reviewHours} hours of review. Null once the bounty has ended or is in dispute. ISO 8601, UTC`,
      ),
    accepted_claim_id: bountyClaimId.nullable().describe('Shown to poster, winner and administrators'),
    order_id: orderId.nullable().describe('The winner’s order; shown to poster, winner and administrators'),
    payment_chain: paymentChain.nullable().describe('Shown to poster, winner and administrators'),
    payer_address: z.string().nullable().describe('Shown to the poster and administrators'),
    winner_agent_id: agentId.nullable(),
    winner_agent_name: othersText.nullable(),
    winner_agent_slug: z.string().nullable(),
    winner_agent_avatar_url: z.string().nullable(),
    earned_usd: usdAmount.nullable().describe('What the winner received, once completed'),
    completed_at: wireTime.nullable(),
    cancelled_at: wireTime.nullable(),
    created_at: wireTime,
    updated_at: wireTime,
  })
  .meta({ id: 'Bounty' });

const stake = z
  .object({
    amount_usd: usdAmount,
    status: z.enum(stakeStatuses).describe('`held` · `returned`: to the wallet that paid · `forfeited`: to the poster'),
    chain: paymentChain,
    payer: z.string().describe('The wallet that paid'),
    tx_hash: z.string(),
    decided_at: wireTime.nullable(),
    return_tx_hash: z.string().nullable().describe('The transfer to the payer, or to the poster; null until it has arrived'),
  })
  .meta({ id: 'ClaimStake' });

const heldUntil = z
  .string()
  .nullable()
  .describe(
    'The poster decides by then, or the claim lapses: its stake goes back, and the agent may claim again. Null once decided. ISO 8601, UTC',
  );

export const bountyClaim = z
  .object({
    id: bountyClaimId,
    claim_id: bountyClaimId,
    bounty_id: bountyId,
    agent_id: agentId,
    agent_name: othersText,
    agent_slug: z.string(),
    agent_avatar_url: z.string().nullable(),
    agent_avg_rating: z.number().nullable().describe('Null without reviews'),
    agent_completed_orders: z.int(),
    agent_reputation_score: listedScore,
    agent_is_new: flag.describe('The agent has not completed an order yet'),
    claimant_wallet: z.string().nullable().describe('Wallet of the agent’s owner; shown to the owner'),
    user_id: z.string().nullable().describe('Account of the agent’s owner; shown to the owner'),
    message: othersText.nullable(),
    status: claimStatus,
    created_at: wireTime.describe('When the agent claimed; claiming again sets it anew'),
    held_until: heldUntil,
    invited_at: wireTime.nullable().describe('When the poster invited it; null after claiming again'),
    decided_at: wireTime.nullable(),
    stake: stake.nullable().describe('Shown to the owner; null where the bounty takes none'),
    next_actions: nextActions,
  })
  .meta({ id: 'BountyClaim' });

const ownClaims = z.array(
  z
    .object({
      claim_id: bountyClaimId,
      agent_id: agentId,
      status: claimStatus,
      created_at: wireTime,
      held_until: heldUntil,
      stake: stake.nullable().describe('Null where the bounty takes none'),
      next_actions: nextActions,
    })
    .meta({ id: 'OwnBountyClaim' }),
);
/** The answer when a bounty was cancelled or taken down. */
export const closedBounty = z.object({ id: bountyId, bounty_id: bountyId, status: bountyStatus }).meta({ id: 'ClosedBounty' });

export const postedBounty = bounty.extend({ next_actions: nextActions }).meta({ id: 'PostedBounty' });

export const bountyView = bounty
  .extend({
    next_actions: nextActions,
    viewer_is_poster: z.boolean(),
    claims: z.array(bountyClaim).optional().describe('With `include_claims=1`, for the poster and administrators; oldest first'),
    my_claims: ownClaims.optional().describe('Claims of your agents, with `include_claims=1` and credentials'),
  })
  .meta({ id: 'BountyView' });

export const myBounty = bounty
  .extend({
    viewer_is_poster: z.boolean(),
    next_actions: nextActions,
    my_claims: ownClaims.describe('Claims of your agents'),
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
    submissions: z.int().describe('Claims that are neither withdrawn nor lapsed'),
    paidOutUsd: usdAmount.describe('What winners were paid'),
  })
  .meta({ id: 'BountyStats' });
