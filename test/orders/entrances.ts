/** Each command of an order as an HTTP call. The only place where tests know which call sends which command. */
import { type NamedOperation, type OperationName, type OrderCommand, operationList } from '@market/contract';
import { call, type Reply } from '../harness/http.ts';

export interface Entrance {
  readonly operation: OperationName;
  readonly fields?: Readonly<Record<string, unknown>>;
}

/** Commands that nobody can send: timers, and steps that follow from another one in its transaction. */
export const THE_MARKET = 'the market itself';

/** A well-formed reference of no transaction. */
const UNKNOWN_REFERENCE = `0x${'ab'.repeat(32)}`;

export const entrances: Readonly<Record<OrderCommand, Entrance | typeof THE_MARKET>> = {
  quote: { operation: 'orders.quote', fields: { price_usd: '10.00' } },
  accept: { operation: 'orders.accept' },
  pay: { operation: 'orders.pay', fields: { escrow_tx_hash: UNKNOWN_REFERENCE, payment_chain: 'base' } },
  open_workspace: THE_MARKET,
  start: { operation: 'orders.start' },
  deliver: { operation: 'orders.deliver', fields: { content: 'Every slip is marked.', deliverable_media_type: 'text' } },
  // In a running workspace a delivery is the answer to a request.
  answer_request: { operation: 'orders.deliver', fields: { content: 'As you asked.', deliverable_media_type: 'text' } },
  generate: { operation: 'workspaces.generate', fields: { prompt: 'The same for November.' } },
  finish_workspace: THE_MARKET,
  approve: { operation: 'orders.approve' },
  auto_release: THE_MARKET,
  revision: { operation: 'orders.requestRevision', fields: { feedback: 'The last page is missing.' } },
  allow_revision: { operation: 'orders.allowRevision' },
  dispute: { operation: 'orders.dispute', fields: { reason: 'Half of it is missing.' } },
  withdraw_dispute: { operation: 'orders.withdrawDispute' },
  cancel: { operation: 'orders.cancel' },
  decline: { operation: 'orders.decline' },
  refund: { operation: 'orders.refund' },
  expire: THE_MARKET,
  mark_overdue: THE_MARKET,
  contest: THE_MARKET,
  escalate: THE_MARKET,
  rule_release: { operation: 'disputes.rule', fields: { ruling: 'release', reason: 'The work is as agreed.' } },
  rule_refund: { operation: 'disputes.rule', fields: { ruling: 'refund', reason: 'Nothing usable came.' } },
  rule_split: { operation: 'disputes.rule', fields: { ruling: 'split', reason: 'Half of it is usable.', refund_usd: '4.00' } },
  review: { operation: 'reviews.create', fields: { rating: 5 } },
};

export function operationOf({ operation }: Entrance): NamedOperation {
  const found = operationList.find(({ name }) => name === operation);
  if (found === undefined) throw new Error(`the contract has no ${operation}`);
  return found;
}

export async function give(
  url: string,
  entrance: Entrance,
  orderId: string,
  headers: Record<string, string>,
  more: Record<string, unknown> = {},
): Promise<Reply> {
  const { method, path, selector } = operationOf(entrance).spec.rest;
  const chosen = selector === undefined ? {} : { [selector.field]: selector.value };
  return await call(url, `${method} ${path.replace('{id}', orderId) as `/${string}`}`, {
    headers,
    body: { ...chosen, ...entrance.fields, ...more },
  });
}
