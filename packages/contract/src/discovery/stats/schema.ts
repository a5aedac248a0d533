/** Public figures of the marketplace. They show buyers only as shortened wallets and quote no brief. */
import { z } from 'zod';
import { category } from '../../kernel/categories.ts';
import { agentId } from '../../kernel/ids.ts';
import { networkName } from '../../kernel/networks.ts';
import { othersText, usdAmount, wireTime } from '../../kernel/wire.ts';
import { orderStatus } from '../../orders/schema.ts';

const day = z.iso.date().describe('UTC day');
const count = z.int().min(0);

/** Amounts for older clients: JSON numbers, rounded to cents. */
const dollars = z.number().describe('USD as a number');

const span = z
  .object({
    orders: count.describe('Placed and paid'),
    volume_usd: usdAmount.describe('Paid in'),
    released_usd: usdAmount.describe('To agents'),
    refunded_usd: usdAmount.describe('Back to buyers'),
    completed: count,
    machine_hires: count.describe('Paid by programs over x402'),
    new_agents: count,
  })
  .meta({ id: 'FiguresOfSpan' });

export const platformStats = z
  .object({
    marketAgents: count.describe('Agents open for hire'),
    orders: count.describe('Paid orders that were not cancelled and are not in dispute'),
    users: count.describe('Agents and distinct buyers'),
    revenue: dollars.describe('Fees earned'),
    creatorFeeSol: z.number(),
    creatorFeeUsd: dollars,
    totalRevenueUsd: dollars,
    solPrice: z.number().describe('0 where no price source is configured'),
    x402Orders: count,
    x402VolumeUsd: dollars.describe('Paid by programs, fees included'),
    x402FeesUsd: dollars,
    services: count.describe('Services open for orders'),
    orders_in_work: count.describe('Paid and not delivered yet, revisions included'),
    orders_by_status: z.partialRecord(orderStatus, count),
    held_usd: usdAmount.describe('In the treasuries, as last read from the chains'),
    last_24h: span,
    last_30d: span,
    as_of: wireTime,
  })
  .meta({ id: 'PlatformStats' });

const counts = z.record(z.string(), count);

export const platformMetrics = z
  .object({
    totalRevenue: dollars.describe('Fees earned'),
    totalGmv: dollars.describe('Paid in and not refunded'),
    creatorFeeSol: z.number(),
    totalOrders: count,
    ordersByStatus: z.partialRecord(orderStatus, count),
    totalAgents: count,
    agentsWithTokens: z.object({ total: count, pumpfun: count, partner: count, byot: count }),
    servicesByCategory: counts,
    servicesByProvider: counts.describe('The 20 agents with most services, by name'),
    servicesByModel: counts.describe('The 20 models named most'),
    topAgentsByOrders: z.array(
      z.object({
        id: agentId,
        slug: z.string(),
        name: othersText,
        avatar_url: z.string().nullable(),
        completed_orders: count,
        avg_rating: z.number().nullable(),
      }),
    ),
    avgRating: z.number().nullable(),
    ordersOverTime: z.array(z.object({ month: z.string().regex(/^\d{4}-\d{2}$/), count })).describe('Orders paid per month'),
    solPrice: z.number(),
  })
  .meta({ id: 'PlatformMetrics' });

export const activityFilters = ['all', 'registration', 'order', 'service', 'review', 'token_launch'] as const;

export const activityEvent = z
  .object({
    type: z.enum(['registration', 'order', 'service', 'review', 'token_launch']),
    action: z.enum([
      'registered',
      'listed',
      'placed',
      'paid',
      'delivered',
      'completed',
      'refunded',
      'reviewed',
      'token_registered',
      'token_launched',
    ]),
    id: z.string().describe('Id of this entry; newer ids are larger'),
    title: othersText.describe('Name of the agent that registered, name of the token, or title of the service'),
    subtitle: othersText.describe('Owner wallet (shortened), status of the order, category, rating or symbol of the token'),
    timestamp: wireTime,
    avatar_url: z.string().nullable(),
    link_id: z.string().describe('Id of the service, or of the agent where there is none'),
    slug: z.string().describe('Slug of the agent'),
    agent_id: agentId,
    agent_name: othersText,
    order_id: z.string().nullable(),
    category: category.nullable(),
    amount_usd: usdAmount.nullable().describe('Paid, released or refunded'),
    network: networkName.nullable(),
    buyer: z.string().nullable().describe('Wallet that paid, shortened'),
    by_machine: z.boolean().describe('Hired by a program over x402'),
    rating: z.int().min(1).max(5).nullable(),
  })
  .meta({ id: 'ActivityEvent' });

export const boardRow = z
  .object({
    category,
    services: count,
    agents: count.describe('Agents with an active service in it'),
    alive_agents: count.describe('Agents whose `presence` is `alive`'),
    completed_orders: count.describe('In the last 30 days'),
    median_price_usd: usdAmount.nullable().describe('Of the recently completed orders; null if there are none'),
    median_delivery_seconds: z.int().nullable().describe('From payment to the last delivery of those orders'),
    orders_per_day: z.array(count).describe('Completed orders of the last 30 days, oldest first, today last'),
  })
  .meta({ id: 'BoardRow' });

export const dayFigures = z
  .object({
    day,
    orders: count.describe('Placed'),
    paid_orders: count,
    machine_hires: count,
    completed: count,
    cancelled: count,
    volume: z.array(z.object({ network: networkName, paid_usd: usdAmount })).describe('Paid in, by network'),
    paid_usd: usdAmount,
    released_usd: usdAmount,
    fees_usd: usdAmount,
    refunded_usd: usdAmount,
  })
  .meta({ id: 'DayFigures' });

/** Parts of the held funds: held = owed + own + on its way + unbooked − missing. */
export const heldParts = {
  held_usd: usdAmount.describe('On chain, in the treasury'),
  owed_usd: usdAmount.describe('Owed to buyers and sellers and not yet sent'),
  own_usd: usdAmount.describe('Fees of the marketplace in the treasury'),
  on_its_way_usd: usdAmount.describe('Signed and being sent, still in the treasury'),
  unbooked_usd: usdAmount.describe('Arrived on chain, not in the books yet'),
  missing_usd: usdAmount.describe('In the books but not on chain; 0.00 unless something is wrong'),
  covered: z.boolean().describe('The funds held cover the amounts owed'),
};

export const heldFunds = z
  .object({
    network: networkName,
    ...heldParts,
    booked_usd: usdAmount.describe('In the treasury according to the books, transfers in progress included'),
    sent_usd: usdAmount.describe('Left the treasury; arrival not booked yet'),
    owed: z.object({
      escrow_usd: usdAmount.describe('Held for orders, and stakes of claims on bounties'),
      agents_usd: usdAmount.describe('Released, not sent yet'),
      refunds_usd: usdAmount,
      surplus_usd: usdAmount.describe('Paid above a price'),
      unmatched_usd: usdAmount.describe('Received and not claimed'),
      earn_usd: usdAmount.describe('Deposits of Earn on their way into a venue, and withdrawals that are not paid yet'),
    }),
    read_at: wireTime,
  })
  .meta({ id: 'HeldFunds' });

export const heldInVenue = z
  .object({
    key: z.string().describe('Vault of Earn'),
    network: networkName,
    owed_usd: usdAmount.describe('Belongs to depositors, waiting withdrawals included, at the price last read'),
    waiting_usd: usdAmount.describe('Of it in withdrawals that wait for the venue to have USDC free'),
    held_usd: usdAmount.describe('What the venue shows as ours; less than owed only where units are missing'),
    covered: z.boolean(),
    read_at: wireTime,
  })
  .meta({ id: 'HeldInVenue' });

const chainFacts = {
  network: networkName,
  tx_hash: z.string().nullable(),
  explorer_url: z.string().nullable().describe('Null where the network has no public explorer'),
  amount_usd: usdAmount,
};

const hired = {
  order_id: z.string().nullable(),
  service_id: z.string().nullable(),
  service_title: z.string().nullable(),
  agent_id: agentId.nullable(),
  agent_name: z.string().nullable(),
  agent_slug: z.string().nullable(),
};

export const paymentKinds = [
  'order',
  'machine',
  'registration',
  'bounty',
  'claim_stake',
  'earn',
  'earn_return',
  'wallet_funding',
  'refund',
] as const;

export const publicPayment = z
  .object({
    kind: z.enum(paymentKinds).describe('Kind of purchase'),
    ...chainFacts,
    payer: z.string().describe('Shortened'),
    finality: z.enum(['seen', 'confirmed', 'final', 'gone']),
    ...hired,
    paid_at: wireTime,
  })
  .meta({ id: 'PublicPayment' });

export const publicHire = z
  .object({
    ...chainFacts,
    payer: z.string().describe('Shortened'),
    ...hired,
    category: category.nullable(),
    status: orderStatus,
    settlement: z.enum(['on_approval', 'instant']),
    hired_at: wireTime,
  })
  .meta({ id: 'PublicHire' });

export const payoutKinds = ['payout', 'refund', 'surplus', 'withdrawal', 'earn_refund', 'earn_withdrawal'] as const;

export const publicPayout = z
  .object({
    kind: z.enum(payoutKinds),
    ...chainFacts,
    destination: z.string().describe('Shortened'),
    state: z.enum(['waiting', 'sent', 'confirmed', 'held_back']).describe('`held_back`: an operator must decide'),
    ...hired,
    created_at: wireTime,
  })
  .meta({ id: 'PublicPayout' });
