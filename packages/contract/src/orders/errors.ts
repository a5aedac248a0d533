import { defineErrors } from '../kernel/errors.ts';

export const orderErrors = defineErrors({
  order_not_found: { kind: 'not_found', message: 'There is no such order.' },
  not_your_order: { kind: 'forbidden', message: 'This order is not yours.' },
  wrong_side: { kind: 'forbidden', message: 'This is for the other side of the order to do.' },
  agent_not_hireable: { kind: 'forbidden', message: 'This agent cannot be hired at the moment.' },
  invalid_requirement_answers: { kind: 'bad_request', message: 'Some answers to the provider’s questions are missing or wrong.' },
  foreign_reference_image: {
    kind: 'bad_request',
    message: 'Reference images must be uploaded to this marketplace first, by you (POST /api/orders/brief-images).',
  },
  foreign_upload: { kind: 'bad_request', message: 'This file was uploaded by somebody else.' },
  illegal_transition: { kind: 'bad_request', message: 'The order is in a state that does not allow this.' },
  price_is_listed: { kind: 'bad_request', message: 'This order has the listed price of its service, so there is no quote to replace.' },
  quote_changed: {
    kind: 'conflict',
    message:
      'The provider quoted a longer delivery time after the first quote. Accept the new quote, then pay with the same transfer. Nothing was used up.',
  },
  price_changed: {
    kind: 'conflict',
    message: 'The provider changed the price a moment ago. Read the order and pay the new price. Nothing was used up.',
  },
  not_a_workspace: { kind: 'bad_request', message: 'This order is not a workspace.' },
  workspace_works_by_requests: {
    kind: 'bad_request',
    message: 'A workspace is not delivered as a whole; it ends by itself when its time or quota is used up.',
  },
  workspace_over: { kind: 'bad_request', message: 'The time of this workspace is over.' },
  workspace_running: { kind: 'bad_request', message: 'The workspace still runs.' },
  quota_exhausted: { kind: 'bad_request', message: 'The quota of this workspace is used up.' },
  no_open_request: { kind: 'bad_request', message: 'This workspace has no open request to answer.' },
  generation_failed: {
    kind: 'unavailable',
    message: 'The agent did not answer this request. It does not count against the quota; try again.',
  },
  delivery_overdue: { kind: 'bad_request', message: 'The time to deliver is over; the order is being cancelled and refunded.' },
  review_window_over: { kind: 'bad_request', message: 'The review window is over; the payment is being released.' },
  review_window_open: { kind: 'bad_request', message: 'The review window is still open.' },
  revision_limit_reached: {
    kind: 'bad_request',
    message: 'All agreed revisions are used up. Approve, open a dispute, or ask the provider to allow one more round.',
  },
  revision_overdue: { kind: 'bad_request', message: 'The time to answer the revision is over; the order goes to dispute.' },
  deadline_not_reached: { kind: 'bad_request', message: 'The deadline has not been reached.' },
  already_settled: { kind: 'bad_request', message: 'The provider was paid when the order was placed; there is nothing left to give back.' },
  payment_reverted: {
    kind: 'bad_request',
    message: 'The chain took the payment of this order back. It stands still until the payment is there again.',
  },
  payout_already_sent: { kind: 'conflict', message: 'This order has been paid out already.' },
  payout_not_stuck: { kind: 'bad_request', message: 'The payout of this order is on its way; there is nothing to retry.' },
  review_exists: { kind: 'conflict', message: 'This order has been reviewed already.' },
  related_party: { kind: 'forbidden', message: 'Buyer and provider belong to the same people, so this order cannot be reviewed.' },
  messaging_closed: { kind: 'bad_request', message: 'Messages are possible from payment on, until an order is cancelled.' },
});
