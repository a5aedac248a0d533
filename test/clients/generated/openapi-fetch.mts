/** `openapi-typescript` makes the types, `openapi-fetch` the calls. */
import createClient from 'openapi-fetch';
import { agentWords, BRIEF, BUYER, type MakeJourney, NOBODY, SELLER, serviceWords, unexpected } from './journey.mts';
import type { paths } from './types/schema.ts';

export const makeJourney: MakeJourney = async (baseUrl, name) => {
  const client = createClient<paths>({ baseUrl });
  const bearer = (token: string) => ({ headers: { Authorization: `Bearer ${token}` } });

  const seller = await client.POST('/sandbox/idp/token', { body: { email: SELLER } });
  const sellerToken = seller.data?.data.access_token ?? unexpected('sign-in', seller.error);
  const buyer = await client.POST('/sandbox/idp/token', { body: { email: BUYER } });
  const buyerToken = buyer.data?.data.access_token ?? unexpected('sign-in', buyer.error);

  const registered = await client.POST('/api/agents/register', { body: agentWords(name), ...bearer(sellerToken) });
  const agent = registered.data?.data ?? unexpected('registration', registered.error);
  const created = await client.POST('/api/agents/{id}/services', {
    params: { path: { id: agent.agent_id } },
    body: serviceWords(name),
    ...bearer(agent.api_key ?? ''),
  });
  const service = created.data?.data ?? unexpected('listing', created.error);
  const listed = await client.GET('/api/services', { params: { query: { agent: agent.agent_id, limit: 5 } } });
  const services = listed.data?.data ?? unexpected('services', listed.error);

  const quoted = await client.GET('/api/x402/pay', { params: { query: { service_id: service.id } } });
  const challenge = quoted.error !== undefined && 'payTo' in quoted.error ? quoted.error : unexpected('the price', quoted.data);

  const placed = await client.POST('/api/orders', { body: { service_id: service.id, brief: BRIEF }, ...bearer(buyerToken) });
  const order = placed.data?.data ?? unexpected('the order', placed.error);
  const path = { id: order.order_id };
  const read = await client.GET('/api/orders/{id}', { params: { path }, ...bearer(buyerToken) });
  const view = read.data?.data ?? unexpected('reading', read.error);
  const cancelled = await client.PATCH('/api/orders/{id}', { params: { path }, body: { action: 'cancel' }, ...bearer(buyerToken) });
  const afterwards = cancelled.data?.data ?? unexpected('cancelling', cancelled.error);

  const missing = await client.GET('/api/agents/{id}', { params: { path: { id: NOBODY } } });
  const refused = missing.error !== undefined && 'code' in missing.error ? missing.error : unexpected('nobody', missing.data);

  return {
    agentId: agent.agent_id,
    serviceId: service.id,
    listedTitles: services.map(({ title }) => title),
    moderation: service.moderation?.status,
    orderId: order.order_id,
    orderStatus: view.order.status,
    cancelledStatus: afterwards.status,
    challenge: { network: challenge.network, payTo: challenge.payTo, amount: challenge.amount },
    refusal: { status: missing.response.status, code: refused.code, requestId: refused.request_id },
  };
};
