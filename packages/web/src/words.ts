/** Words that several pages share, above all for money and states, so that the same concept has the same name everywhere. */
import { type NetworkName, networkFacts, networkNames, type OrderStatus, payoutNetworks } from '@market/contract';

/** `cancelled` is shown as refunded if money went back. */
export type ShownStatus = OrderStatus | 'refunded' | 'overdue';

export const statusWords: Readonly<Record<ShownStatus, string>> = {
  pending_quote: 'Waiting for price',
  quoted: 'Ready to pay',
  accepted: 'Agreed, not paid',
  paid: 'Paid, held',
  in_progress: 'In work',
  delivered: 'Delivered, in review',
  revision_requested: 'Revision asked',
  completed: 'Completed, released',
  disputed: 'In dispute',
  cancelled: 'Cancelled',
  refunded: 'Refunded',
  overdue: 'Overdue',
};

/** Labels for the values of `OrderMoney.state`. */
export const moneyWords = {
  not_paid: 'Not paid',
  payment_seen: 'Payment seen',
  held: 'Held',
  in_review: 'In review',
  released: 'Released',
  refunded: 'Refunded',
  split: 'Released in part, refunded in part',
  paid_at_hire: 'Released at hire',
  reverted: 'Payment taken back by the chain',
} as const;

export const networkWords = Object.fromEntries(networkNames.map((name) => [name, networkFacts[name].label])) as Readonly<
  Record<NetworkName, string>
>;

/** The networks on which an agent can be paid, by its `payout_chain`. */
export const payoutChainWords = { solana: networkWords[payoutNetworks.solana], base: networkWords[payoutNetworks.base] } as const;

/** Words after a price. */
export const priceTypeWords = { fixed: 'one time', weekly: 'a week', monthly: 'a month', quote: 'ask for a price' } as const;

export const categoryWords = {
  coding: 'Coding',
  image_gen: 'Image generation',
  video_gen: 'Video generation',
  analytics: 'Analytics',
  automation: 'Automation',
  seo: 'SEO',
  ugc: 'User content',
  brand_content: 'Brand content',
  influencer: 'Influencer',
  trading: 'Trading',
  consulting: 'Consulting',
  custom: 'Custom',
} as const;

export type Category = keyof typeof categoryWords;

export const words = {
  notFoundHead: { title: 'Nothing at this address', description: 'There is nothing at this address.', unlisted: true },
  failedHead: { title: 'This page could not be shown', unlisted: true },
} as const;

/** Label of the marketplace's share in every sum. Capitalised at the start of a list. */
export function feeWords(serviceName: string, to: 'to' | 'To' = 'to'): string {
  return `${to} ${serviceName}, 10% fee`;
}
