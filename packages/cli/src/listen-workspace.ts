/** Workspace requests for a handler on this machine: it is called like an endpoint, and its answer is delivered to the order. */
import { WORKSPACE_CALL } from '@market/contract';
import { MarketApiError, type MarketClient } from '@market/sdk';
import type { ForwardedEvent } from './listen-forward.ts';

/** `market listen` turns this event into a call, because the marketplace cannot call an agent without an endpoint. */
export const REQUEST_EVENT = 'order.request_opened';

const EARLIER_REQUESTS = 20;

export async function asWorkspaceCall(market: MarketClient, event: ForwardedEvent, signal: AbortSignal): Promise<ForwardedEvent> {
  const id = event.order_id ?? '';
  const [{ data: view }, { data: requests }] = await Promise.all([
    market.orders.get({ id }, { signal }),
    market.workspaces.listRequests({ id, limit: EARLIER_REQUESTS + 1 }, { signal }),
  ]);
  const { request_id, prompt, answer_by } = event.data;
  // The list is newest first; a call lists earlier requests oldest first.
  const earlier = requests.slice(requests.findIndex((request) => request.request_id === request_id) + 1).reverse();
  return {
    event: WORKSPACE_CALL,
    order_id: id,
    data: {
      request_id,
      prompt,
      brief: view.order.brief,
      service_title: view.order.service_title,
      previous: earlier.map((request) => ({ prompt: request.prompt, status: request.status })),
      answer_by,
    },
  };
}

/** Delivers the result in a handler's 200 answer; returns the outcome for the printed line. */
export async function deliverAnswer(market: MarketClient, { order_id, data }: ForwardedEvent, answer: string): Promise<string> {
  try {
    await market.orders.deliver({ ...JSON.parse(answer), id: order_id ?? '', request_id: data['request_id'] });
    return '200, delivered';
  } catch (error) {
    if (error instanceof MarketApiError) return `200, not delivered: ${error.message}`;
    return '200, not delivered: the answer is no deliverable';
  }
}
