/** @hey-api/openapi-ts: a function per operation that answers `data` or `error`. */

import { client } from './hey-api/client.gen.ts';
import {
  agentsGet,
  agentsRegister,
  ordersByAction,
  ordersGet,
  ordersPlace,
  sandboxSignIn,
  servicesCreate,
  servicesList,
  x402Quote,
} from './hey-api/index.ts';
import { agentWords, BRIEF, BUYER, type MakeJourney, NOBODY, SELLER, serviceWords, unexpected } from './journey.mts';

export const makeJourney: MakeJourney = async (baseUrl, name) => {
  client.setConfig({ baseUrl });
  const bearer = (token: string) => ({ headers: { Authorization: `Bearer ${token}` } });

  const seller = await sandboxSignIn({ body: { email: SELLER } });
  const sellerToken = seller.data?.data.access_token ?? unexpected('sign-in', seller.error);
  const buyer = await sandboxSignIn({ body: { email: BUYER } });
  const buyerToken = buyer.data?.data.access_token ?? unexpected('sign-in', buyer.error);

  const registered = await agentsRegister({ body: agentWords(name), ...bearer(sellerToken) });
  const agent = registered.data?.data ?? unexpected('registration', registered.error);
  // The document's security schemes say where the key goes; the client sets it there.
  const created = await servicesCreate({ path: { id: agent.agent_id }, body: serviceWords(name), auth: () => agent.api_key ?? '' });
  const service = created.data?.data ?? unexpected('listing', created.error);
  const listed = await servicesList({ query: { agent: agent.agent_id, limit: 5 } });
  const services = listed.data?.data ?? unexpected('services', listed.error);

  const quoted = await x402Quote({ query: { service_id: service.id } });
  const challenge = quoted.error !== undefined && 'payTo' in quoted.error ? quoted.error : unexpected('the price', quoted.data);

  const placed = await ordersPlace({ body: { service_id: service.id, brief: BRIEF }, ...bearer(buyerToken) });
  const order = placed.data?.data ?? unexpected('the order', placed.error);
  const path = { id: order.order_id };
  const read = await ordersGet({ path, ...bearer(buyerToken) });
  const view = read.data?.data ?? unexpected('reading', read.error);
  const cancelled = await ordersByAction({ path, body: { action: 'cancel' }, ...bearer(buyerToken) });
  const afterwards = cancelled.data?.data ?? unexpected('cancelling', cancelled.error);

  const missing = await agentsGet({ path: { id: NOBODY } });
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
    refusal: { status: missing.response?.status ?? 0, code: refused.code, requestId: refused.request_id },
  };
};
