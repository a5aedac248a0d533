/** The allowed actions as API calls. */
import type { OrderCommand } from '@market/contract';
import type { ApiCallProps } from '../../../ui/code/api-call.tsx';
import type { OrderView } from '../order-view.ts';
import { actNames } from './order-acts.ts';

type Call = ApiCallProps['calls'][number];
type Sample = (view: OrderView) => Pick<Call, 'name' | 'args'>;

const plain =
  (name: Call['name'], more: Record<string, unknown> = {}): Sample =>
  ({ order }) => ({ name, args: { id: order.id, ...more } });

const samples: Partial<Record<OrderCommand, Sample>> = {
  quote: plain('orders.quote', { price_usd: '180.00' }),
  accept: plain('orders.accept'),
  pay: ({ order, payment_options }) => ({
    name: 'orders.pay',
    args: { id: order.id, escrow_tx_hash: 'the transaction', payment_chain: payment_options[0]?.chain },
  }),
  start: plain('orders.start'),
  deliver: plain('orders.deliver', { deliverable_url: 'https://example.com/result.pdf', deliverable_media_type: 'link' }),
  answer_request: plain('orders.deliver', { content: 'The answer.', deliverable_media_type: 'text' }),
  generate: plain('workspaces.generate', { prompt: 'One more, shorter.' }),
  approve: plain('orders.approve'),
  revision: plain('orders.requestRevision', { feedback: 'What should be different.' }),
  allow_revision: plain('orders.allowRevision'),
  dispute: plain('orders.dispute', { reason: 'What is wrong.' }),
  withdraw_dispute: plain('orders.withdrawDispute'),
  cancel: plain('orders.cancel'),
  decline: plain('orders.decline'),
  refund: plain('orders.refund'),
  review: plain('reviews.create', { rating: 5, comment: 'Delivered early.' }),
  rule_split: plain('disputes.rule', { ruling: 'split', refund_usd: '40.00', reason: 'Half of it is usable.' }),
};

export function apiCallsOf(view: OrderView): readonly Call[] {
  return view.allowed_actions.flatMap((action) => {
    const sample = samples[action];
    return sample === undefined ? [] : [{ ...sample(view), title: actNames[action] }];
  });
}
