/**
 * Which notifications strangers cause for nothing or for cents. Unread ones of one kind become one per recipient, so that nobody is buried.
 * Whatever needs somebody to act in time stays one each: what others cause must not hide it.
 */
import { reputationRules } from '@market/contract';
import type { StoredEvent } from '../../platform/events/event-log.ts';
import type { NotifiedOrder } from './repository.ts';
import type { Words } from './words.ts';

/** Different ones never share a row. */
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
  // One cent buys sixty an hour, also long after the order is completed.
  'provider_order_message',
  'provider_order_received',
  'provider_order_paid',
  'provider_order_completed',
  'provider_payout_sent',
  'provider_payout_delayed',
];

/** Of a notification to the provider. Buyers hear only what an agent they chose does. */
export function collapseForProvider(event: StoredEvent, { type }: Words, { network, priceMicros }: NotifiedOrder): Collapsed | null {
  if (event.type === 'order.created' && UNPAID_STATES.includes(event.data['status'])) return 'unpaid';
  if (event.type === 'order.cancelled' && network === null) return 'unpaid';
  const isDust = priceMicros !== null && priceMicros < reputationRules.leastPriceMicros;
  return isDust && ofDust.includes(type) ? 'dust' : null;
}

/** Of a notification about a bounty: the poster hears of claims that cost their agents nothing. */
export function collapseOfBounty({ type }: Words): Collapsed | null {
  return ['bounty_claimed', 'bounty_claim_withdrawn', 'bounty_claim_lapsed'].includes(type) ? 'claims' : null;
}
