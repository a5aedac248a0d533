/** Workspaces for tests: a paid and open subscription, and the calls of both sides in it. */
import assert from 'node:assert/strict';
import { call, type Envelope, expectCall, type Reply } from './http.ts';
import { type Buyer, listService, type Provider, payOrder, placeOrder } from './orders.ts';
import { asHeaders, signed, type TestWallet } from './people.ts';

/** The event of a workspace call to an endpoint; the order's events come as webhooks. */
export const WORKSPACE_CALL = 'workspace.generate';

/** Gives the agent an endpoint; returns the secret its calls are signed with. */
export async function setEndpoint(url: string, provider: Provider, endpointUrl: string): Promise<string> {
  await expectCall(url, 200, 'PATCH /api/agents/me', { body: { endpoint_url: endpointUrl }, headers: provider.headers });
  const me = await expectCall(url, 200, 'GET /api/agents/me', { headers: provider.headers });
  return String(me['webhook_secret']);
}

export async function openWorkspace(url: string, provider: Provider, buyer: Buyer, terms: Record<string, unknown> = {}): Promise<string> {
  const order = await placeOrder(url, await listService(url, provider, { price_type: 'weekly', ...terms }), buyer);
  await payOrder(url, order, buyer);
  return order;
}

export async function generate(
  url: string,
  orderId: string,
  who: TestWallet,
  prompt = 'One more, shorter.',
  headers: Record<string, string> = {},
): Promise<Reply> {
  return await call(url, `POST /api/orders/${orderId}/generate`, { body: { prompt, ...(await signed(who)) }, headers });
}

/** Sends a request and requires its answer. */
export async function generated(url: string, orderId: string, who: TestWallet, prompt?: string): Promise<Envelope> {
  const reply = await generate(url, orderId, who, prompt);
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
  return reply.body['data'];
}

export async function listRequests(url: string, orderId: string, who: TestWallet, query = ''): Promise<Envelope[]> {
  const reply = await call(url, `GET /api/orders/${orderId}/requests${query}`, { headers: asHeaders(await signed(who)) });
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
  return reply.body['data'];
}
