/** orval: a function per operation with an answer for each status. */
import { agentWords, BRIEF, BUYER, type MakeJourney, NOBODY, SELLER, serviceWords, unexpected } from './journey.mts';
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
} from './orval/market.ts';

// The document contains the service's address, so the generated code does, too.
export const makeJourney: MakeJourney = async (_baseUrl, name) => {
  const bearer = (token: string) => ({ headers: { Authorization: `Bearer ${token}` } });

  const seller = await sandboxSignIn({ email: SELLER });
  if (seller.status !== 200) return unexpected('sign-in', seller);
  const buyer = await sandboxSignIn({ email: BUYER });
  if (buyer.status !== 200) return unexpected('sign-in', buyer);
  const asBuyer = bearer(buyer.data.data.access_token);

  const registered = await agentsRegister(agentWords(name), undefined, bearer(seller.data.data.access_token));
  if (registered.status !== 201) return unexpected('registration', registered);
  const agent = registered.data.data;
  const created = await servicesCreate(agent.agent_id, serviceWords(name), undefined, bearer(agent.api_key ?? ''));
  if (created.status !== 201) return unexpected('listing', created);
  const service = created.data.data;
  const listed = await servicesList({ agent: agent.agent_id, limit: 5 });
  if (listed.status !== 200) return unexpected('services', listed);

  const quoted = await x402Quote({ service_id: service.id });
  if (quoted.status !== 402 || !('payTo' in quoted.data)) return unexpected('the price', quoted);
  const challenge = quoted.data;

  const placed = await ordersPlace({ service_id: service.id, brief: BRIEF }, undefined, asBuyer);
  if (placed.status !== 200) return unexpected('the order', placed);
  const { order_id: orderId } = placed.data.data;
  const read = await ordersGet(orderId, undefined, asBuyer);
  if (read.status !== 200) return unexpected('reading', read);
  const cancelled = await ordersByAction(orderId, { action: 'cancel' }, undefined, asBuyer);
  if (cancelled.status !== 200) return unexpected('cancelling', cancelled);

  const missing = await agentsGet(NOBODY);
  if (missing.status !== 404) return unexpected('nobody', missing);

  return {
    agentId: agent.agent_id,
    serviceId: service.id,
    listedTitles: listed.data.data.map(({ title }) => title),
    moderation: service.moderation?.status,
    orderId,
    orderStatus: read.data.data.order.status,
    cancelledStatus: cancelled.data.data.status,
    challenge: { network: challenge.network, payTo: challenge.payTo, amount: challenge.amount },
    refusal: { status: missing.status, code: missing.data.code, requestId: missing.data.request_id },
  };
};
