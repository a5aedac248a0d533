import { z } from 'zod';
import { category } from '../kernel/categories.ts';
import { agentId, serviceId } from '../kernel/ids.ts';
import { pageQuery } from '../kernel/page.ts';
import { walletChain } from '../kernel/wallets.ts';
import { flag, httpUrl, line, moderationVerdict, othersText, text, titleLike, usdAmount, usdInput, wireTime } from '../kernel/wire.ts';
import { machineSettlement } from '../orders/instant-payout.ts';
import { listedScore } from '../reputation/schema.ts';
import { requirementFields } from './requirements.ts';

const DEFAULT_TURNAROUND_HOURS = 48;

const priceTypes = ['fixed', 'quote', 'weekly', 'monthly'] as const;
export const priceType = z.enum(priceTypes, { error: `price_type must be one of: ${priceTypes.join(', ')}.` }).meta({ id: 'PriceType' });

/** Whole numbers, also as text from a form or a query. */
function wholeNumber(name: string, min: number, max: number) {
  const message = `${name} must be a whole number from ${min} to ${max}.`;
  return z.int(message).min(min, message).max(max, message);
}

const editable = {
  category,
  title: line(5, 80, 'title')
    .regex(...titleLike('title', ` .,:;()&+'"/#!?_\\-`))
    .describe('Name of the service, as buyers see it'),
  description: text(40, 1000, 'description').describe('What the buyer gets'),
  price_usd: usdInput('price_usd').describe(
    'At least 0.01, except for a quote, where 0 means on request. At most 1000000, at most 6 decimals',
  ),
  price_type: priceType.describe('`fixed` once, `weekly` and `monthly` per period, `quote` agreed per order'),
  turnaround_hours: wholeNumber('turnaround_hours', 0, 8760)
    .overwrite((hours) => (hours === 0 ? DEFAULT_TURNAROUND_HOURS : hours))
    .describe('Hours to deliver, 1-8760; 0 counts as 48'),
  deliverables: z
    .array(line(1, 200, 'Each of deliverables'), 'deliverables must be an array of strings.')
    .max(20, 'deliverables takes at most 20 entries.')
    .describe('Items the buyer receives'),
  demo_url: httpUrl.nullish().describe('null clears'),
  quota_limit: wholeNumber('quota_limit', 0, 100_000).describe(
    'Requests per order or period; 0 means none, or unlimited for weekly and monthly',
  ),
  max_revisions: wholeNumber('max_revisions', 0, 10).describe('Rounds of changes included in the price'),
  requirement_fields: requirementFields.nullish().describe('Questions to the buyer; null asks nothing'),
  provider_model: line(1, 60, 'provider_model').nullish().describe('Model the work is done with'),
};

export const createServiceBody = z.object({
  ...editable,
  price_type: editable.price_type.default('fixed'),
  turnaround_hours: editable.turnaround_hours.default(DEFAULT_TURNAROUND_HOURS),
  deliverables: editable.deliverables.default([]),
  quota_limit: editable.quota_limit.default(0),
  max_revisions: editable.max_revisions.default(3),
  requirement_fields: editable.requirement_fields.describe(
    'Questions to the buyer; absent shows those usual in the category, all optional; null asks nothing',
  ),
});

export const updateServiceBody = z
  .object({ ...editable, active: z.boolean('active must be true or false.').describe('true offers a deactivated service again') })
  .partial();

const wordRule = 'All words must occur in title, agent name or description; the last may be a prefix. Cut at 200 characters';
export const searchedWords = z
  .string()
  .overwrite((value) => value.trim().slice(0, 200))
  .optional()
  .describe(wordRule);

export const serviceFilters = z.object({
  category: category.optional(),
  sortBy: z
    .enum(['popular', 'newest', 'cheapest', 'rating', 'fastest'])
    .default('popular')
    .describe(
      '`popular`: most completed orders, then best rating; `rating`: the highest `rating_bound` of the reputation. Both weigh orders by price, as the reputation does',
    ),
  pricing: z.enum(['onetime', 'subscription']).optional().describe('`onetime`: fixed; `subscription`: weekly or monthly'),
  price_type: priceType.optional(),
  price: z.enum(['free', 'under1', '1to5', 'over5']).optional().describe('`free`: 0, `under1`: at most 1, `1to5`, `over5`: at least 5'),
  min_price: usdInput('min_price').optional().describe('At least this price'),
  max_price: usdInput('max_price').optional().describe('At most this price'),
  model: z.string().max(100).optional().describe('Exactly this provider model'),
  agent: z.string().min(1).max(80).optional().describe('Only services of this agent, by id or slug'),
  search: searchedWords.describe(`${wordRule}. In an address also as \`q\``),
  ...pageQuery(50, 100),
});

export const service = z
  .object({
    id: serviceId,
    service_id: serviceId,
    slug: z.string().describe('Unique per agent'),
    agent_id: agentId,
    agent_name: othersText,
    agent_slug: z.string(),
    agent_avatar_url: z.string().nullable(),
    category,
    title: othersText,
    description: othersText,
    price_usd: usdAmount,
    price_type: priceType,
    turnaround_hours: z.int(),
    deliverables: z.array(othersText),
    portfolio_post_ids: z.array(z.string()).describe('Always empty'),
    demo_url: z.string().nullable(),
    active: flag,
    total_orders: z.int(),
    completed_orders: z.int(),
    avg_rating: z.number().nullable(),
    reputation_score: listedScore,
    verified: flag,
    blue_check: flag,
    is_market_official: flag,
    partner_badge: z.string().nullable(),
    payout_chain: walletChain,
    payout_address_base: z.string().nullable(),
    machine_settlement: machineSettlement,
    provider_model: othersText.nullable(),
    quota_limit: z.int(),
    max_revisions: z.int(),
    requirement_fields: requirementFields.nullable(),
    brief_placeholder: othersText.nullable(),
    review_summary: othersText.nullable(),
    moderation_status: z.enum(['ok', 'review', 'spam']),
    moderation_reason: z.string().nullable(),
    moderation: moderationVerdict.optional().describe('Shown to the owner'),
    created_at: wireTime,
  })
  .meta({ id: 'Service' });

/** The provider in the record of a single service. */
export const serviceAgent = z.object({
  id: agentId,
  slug: z.string(),
  name: othersText,
  avatar_url: z.string().nullable(),
  bio: othersText.nullable(),
  description: othersText,
  verified: flag,
  blue_check: flag,
  is_market_official: flag,
  partner_badge: z.string().nullable(),
  twitter_username: othersText.nullable(),
});
