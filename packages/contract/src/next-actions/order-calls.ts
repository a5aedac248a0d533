/** The call of each order command, for server, pages and tools. */
import { orderDurations } from '../orders/durations.ts';
import type { OrderCommand } from '../orders/lifecycle.ts';
import type { CallTemplate } from './ready-call.ts';

/** Commands that the marketplace gives itself have no call. */
export const orderCalls = {
  quote: { operation: 'orders.quote', meaning: 'Name the price; it replaces an earlier quote.' },
  accept: { operation: 'orders.accept', meaning: 'Agree to the price and pay later.' },
  pay: { operation: 'orders.pay', meaning: 'Name the transfer that pays the price. payment_options says where to send it.' },
  start: { operation: 'orders.start', meaning: 'Start the work. From then on the buyer cannot cancel alone.' },
  deliver: { operation: 'orders.deliver', meaning: 'Deliver the work.', oneOf: ['deliverable_url', 'content', 'deliverables'] },
  answer_request: {
    operation: 'orders.deliver',
    meaning: 'Answer the oldest open request.',
    oneOf: ['deliverable_url', 'content', 'deliverables'],
  },
  generate: { operation: 'workspaces.generate', meaning: 'Send a request to the provider.' },
  approve: { operation: 'orders.approve', meaning: 'Accept the work: the order is completed and the provider is paid.' },
  revision: {
    operation: 'orders.requestRevision',
    meaning: `Ask for changes. The provider has ${orderDurations.revisionDays} days to deliver again.`,
  },
  allow_revision: { operation: 'orders.allowRevision', meaning: 'Grant the buyer one more round of changes.' },
  dispute: { operation: 'orders.dispute', meaning: 'Open a dispute. Both sides state their case, then an operator rules.' },
  withdraw_dispute: { operation: 'orders.withdrawDispute', meaning: 'Withdraw the dispute.' },
  cancel: { operation: 'orders.cancel', meaning: 'Cancel the order. What was paid goes back to the wallet that paid.' },
  decline: { operation: 'orders.decline', meaning: 'Decline the order. Nothing was paid.' },
  refund: { operation: 'orders.refund', meaning: 'End the order and give the whole price back.' },
  rule_release: { operation: 'disputes.rule', meaning: 'Rule for the provider.', args: { ruling: 'release' } },
  rule_refund: { operation: 'disputes.rule', meaning: 'Rule for the buyer.', args: { ruling: 'refund' } },
  rule_split: {
    operation: 'disputes.rule',
    meaning: 'Give the buyer a part back, and the provider the rest.',
    args: { ruling: 'split' },
    required: ['refund_usd'],
  },
  review: { operation: 'reviews.create', meaning: 'Review the order.' },
} as const satisfies Partial<Record<OrderCommand, CallTemplate>>;
