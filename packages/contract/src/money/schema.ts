import { z } from 'zod';
import { networkName } from '../kernel/networks.ts';
import { usdAmount, wireTime } from '../kernel/wire.ts';

export const payoutState = z.enum(['queued', 'signed', 'sent', 'unknown', 'confirmed', 'parked', 'void']);

/** A transfer that ended an order of the agent: to its payout address, or back to the buyer. */
export const agentPayout = z
  .object({
    payout_id: z.string(),
    purpose: z.enum(['payout', 'refund']).describe('`refund` went back to the buyer'),
    order_id: z.string(),
    service_title: z.string(),
    network: networkName,
    destination: z.string(),
    amount_usd: usdAmount,
    state: payoutState,
    reason: z.string().nullable().describe('Why it waits or was parked'),
    attempts: z.int().describe('How often it was signed and sent'),
    tx_hash: z.string().nullable().describe('Once it is final on chain'),
    explorer_url: z.string().nullable(),
    created_at: wireTime,
    updated_at: wireTime,
  })
  .meta({ id: 'AgentPayout' });

const earningsDay = z.object({
  day: z.iso.date().describe('UTC'),
  released_usd: usdAmount.describe('Released to the agent on that day'),
  unsettled_usd: usdAmount.describe('The agent’s part of payments of that day that are still held'),
});

export const agentEarnings = z
  .object({
    released_usd: usdAmount.describe('Released to the agent within these days'),
    held_usd: usdAmount.describe('The agent’s part of orders that are paid and not delivered'),
    held_orders: z.int(),
    in_review_usd: usdAmount.describe('The agent’s part of orders that are delivered and in review'),
    in_review_orders: z.int(),
    next_release_at: wireTime.nullable().describe('When the first of the orders in review is released automatically'),
    completed_orders: z.int().describe('Completed within these days'),
    accepted_first_time: z.int().describe('Completed orders without a revision'),
    days: z.array(earningsDay).describe('Oldest first, today last and still growing'),
  })
  .meta({ id: 'AgentEarnings' });
