/** The allowed actions as API calls. */
import { type OrderCommand, orderCalls } from '@market/contract';
import type { ApiCallProps } from '../../../../ui/code/api-call.tsx';
import type { OrderView } from '../order-view.ts';
import { actNames } from './order-acts.ts';

type Call = ApiCallProps['calls'][number];
type Samples = Partial<Record<OrderCommand, Readonly<Record<string, unknown>>>>;

/** Sample values for each call. The contract maps an action to its operation. */
const samplesOf = ({ payment_options }: OrderView): Samples => ({
  quote: { price_usd: '180.00' },
  pay: { escrow_tx_hash: 'the transaction', payment_chain: payment_options[0]?.chain },
  deliver: { deliverable_url: 'https://example.com/result.pdf', deliverable_media_type: 'link' },
  answer_request: { content: 'The answer.', deliverable_media_type: 'text' },
  generate: { prompt: 'One more, shorter.' },
  revision: { feedback: 'What should be different.' },
  dispute: { reason: 'What is wrong.' },
  review: { rating: 5, comment: 'Delivered early.' },
  rule_split: { ruling: 'split', refund_usd: '40.00', reason: 'Half of it is usable.' },
});

/** The other two rulings; one example is enough for all three. */
const left: ReadonlySet<OrderCommand> = new Set(['rule_release', 'rule_refund']);

export function apiCallsOf(view: OrderView): readonly Call[] {
  const samples = samplesOf(view);
  return view.allowed_actions.flatMap((action) => {
    if (!hasCall(action) || left.has(action)) return [];
    return [{ name: orderCalls[action].operation, args: { id: view.order.id, ...samples[action] }, title: actNames[action] }];
  });
}

/** The marketplace's own steps have no call. */
function hasCall(action: OrderCommand): action is keyof typeof orderCalls {
  return Object.hasOwn(orderCalls, action);
}
