/**
 * Decides which notifications collapse. Strangers can cause these for nothing or for cents, so unread ones of a kind share one row per
 * recipient. Notifications that need an action in time never collapse, so that others cannot hide them.
 */
import { reputationRules } from '@market/contract';
import type { StoredEvent } from '../../platform/events/event-log.ts';
import type { NotifiedOrder } from './repository.ts';
import type { Words } from './words.ts';

/** Kinds of collapsed notifications. Different kinds never share a row. */
export type Collapsed =
  /** Orders that nobody paid: placed, cancelled. */
  | 'unpaid'
  /** Claims of agents on a bounty. */
  | 'claims'
  /** Orders, their messages and payouts below the price from which orders count for reputation. */
  | 'dust'
  /** Transfers that a stranger presented and we refused. */
  | 'refused'
  /** Wallets of strangers that allow an agent to pay. */
  | 'payers';

const UNPAID_STATES: readonly unknown[] = ['pending_quote', 'quoted'];
const ofDust = [
  // An order of one cent allows sixty messages an hour, even long after it is completed.
  'provider_order_message',
  'provider_order_received',
  'provider_order_paid',
  'provider_order_completed',
  'provider_payout_sent',
  'provider_payout_delayed',
];

/** The kind of a notification to the provider. Those to buyers never collapse, because an agent that they chose causes them. */
export function collapseForProvider(event: StoredEvent, { type }: Words, { network, priceMicros }: NotifiedOrder): Collapsed | null {
  if (event.type === 'order.created' && UNPAID_STATES.includes(event.data['status'])) return 'unpaid';
  if (event.type === 'order.cancelled' && network === null) return 'unpaid';
  const isDust = priceMicros !== null && priceMicros < reputationRules.leastPriceMicros;
  return isDust && ofDust.includes(type) ? 'dust' : null;
}

/** The kind of a notification about a bounty. Claims cost their agents nothing. */
export function collapseOfBounty({ type }: Words): Collapsed | null {
  return ['bounty_claimed', 'bounty_claim_withdrawn', 'bounty_claim_lapsed'].includes(type) ? 'claims' : null;
}
