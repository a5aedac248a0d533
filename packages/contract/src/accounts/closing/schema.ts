/** Wire shapes of closing accounts and agents, and of the export of one's data. */
import { z } from 'zod';
import { agentId } from '../../kernel/ids.ts';
import { wireTime } from '../../kernel/wire.ts';
import type { OrderStatus } from '../../orders/statuses.ts';
import { waitingFields } from '../moves/schema.ts';

type OpenStatus = Exclude<OrderStatus, 'completed' | 'cancelled'>;

const beforePayment = { bought: 'Cancel the order. Nothing was paid.', sold: 'Decline the order. Nothing was paid.' };
const work = 'Deliver the work, or refund the order.';

/** How the buyer (`bought`) or the provider (`sold`) ends an open order, by its status. */
export const openOrders: Readonly<Record<OpenStatus, { readonly bought: string; readonly sold: string }>> = {
  pending_quote: beforePayment,
  quoted: beforePayment,
  accepted: beforePayment,
  paid: { bought: 'Cancel the order, or wait for the delivery.', sold: work },
  in_progress: { bought: 'Wait for the delivery.', sold: work },
  revision_requested: { bought: 'Wait for the new delivery.', sold: work },
  delivered: {
    bought: 'Approve or dispute the delivery, or wait until its review time ends.',
    sold: 'Wait until the buyer approves or the review time ends, or refund the order.',
  },
  disputed: { bought: 'Withdraw the dispute, or wait for the ruling.', sold: 'Refund the order, or wait for the ruling.' },
};

/** Reasons that keep an account or agent from being closed, each with the owner's next step. */
export const openThings = {
  order_bought: 'Cancel or approve the order, or wait for its end.',
  order_sold: 'Decline, deliver or refund the order, or wait for its end.',
  bounty: 'Cancel the bounty, or accept a claim and finish its order.',
  claim: 'Withdraw the claim.',
  stake: 'The stake returns when the claim is decided.',
  payout: 'Wait until the transfer is final. One that is parked needs a payout address that can receive it.',
  payment: 'Wait until the payment has settled, and then for its order.',
  owed: 'The marketplace still owes this. Set a payout address, or wait for the payout.',
  earn_position: 'Withdraw the whole position.',
  earn_deposit: 'Wait until the deposit is settled.',
  earn_withdrawal: 'Wait until the withdrawal is paid.',
  wallet_balance: 'Send the money from the agent’s wallet to a wallet of yours.',
  wallet_movement: 'Wait until the movement has ended.',
  creator_fees: 'Claim the creator fees, and wait for their payout.',
  swap: 'Wait until the swap has ended.',
  move: 'Cancel the move, or wait for its time.',
  payout_change: 'Cancel the change of the payout address, or wait for its time.',
  agent: 'Close the agent first, give it to another owner, or send `close_agents: true` to close it together with the account.',
} as const;
export type OpenThingKind = keyof typeof openThings;

const openThing = z
  .object({
    kind: z.enum(Object.keys(openThings) as [OpenThingKind, ...OpenThingKind[]]),
    id: z.string().describe('Of the record'),
    what: z.string().describe('What it is, in a few words'),
    next: z.string().describe('What to do about it'),
  })
  .meta({ id: 'OpenThing' });

const endingThing = z
  .object({ kind: z.enum(['agent', 'connection', 'linked_wallet', 'session', 'saved_search', 'budget']), id: z.string(), what: z.string() })
  .meta({ id: 'EndingThing' });

export const closingState = z
  .object({
    open: z.array(openThing).describe('What has to end first; at most 200. Empty: it can be closed'),
    ends: z.array(endingThing).describe('What ends with it; at most 200. Agents end with the account if you send `close_agents: true`'),
  })
  .meta({ id: 'ClosingState' });

export const closed = z
  .object({
    status: z.enum(['closed', 'waiting']).describe('`waiting`: it closes at `effective_at` unless somebody cancels the move'),
    closed_at: wireTime.nullable(),
    closed_agents: z.array(agentId),
    ...waitingFields,
  })
  .meta({ id: 'Closed' });

/** The sections of an export, one list each. */
export const exportSections = [
  'profile',
  'wallets',
  'agents',
  'services',
  'orders_bought',
  'orders_sold',
  'messages',
  'reviews_written',
  'reviews_received',
  'deliverables',
  'bounties',
  'claims',
  'payments',
  'payouts',
  'statement',
  'earn_positions',
  'earn_movements',
  'connections',
  'saved_searches',
  'spending',
  'notifications',
  'files',
] as const;
export type ExportSection = (typeof exportSections)[number];
