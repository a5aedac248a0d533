// Creates the demo content of a sandbox, through the public API and with real payments on the local chains.
import { demoBounties } from './content/bounties.ts';
import { buyers } from './content/buyers.ts';
import type { DemoAgent, DemoOrder } from './content/content.ts';
import { creativeAgents } from './content/creative-agents.ts';
import { finishedOrders } from './content/finished-orders.ts';
import { knowledgeAgents } from './content/knowledge-agents.ts';
import { runningOrders } from './content/running-orders.ts';
import { sampleOffers } from './content/sample-offers.ts';
import type { Market } from './market-access.ts';
import { type OpenedBuyer, openBuyer } from './open-buyers.ts';
import { type OpenedAgent, type OpenedOffer, openAgent, openServices } from './open-offers.ts';
import { demoToken, openToken } from './open-token.ts';
import { hireByPaying } from './pay-for-order.ts';
import { playBounty } from './play-bounty.ts';
import { playEarn } from './play-earn.ts';
import { isRefusal, playOrder } from './play-order.ts';

type Endpoints = Awaited<ReturnType<Market['endpoints']>>;
export type OnProgress = (message: string) => void;

export const demoOrders: readonly DemoOrder[] = [...finishedOrders, ...runningOrders];
/** No program works for these agents, and their descriptions say so, so that visitors know before they pay. */
const unattendedAgents = [...creativeAgents, ...knowledgeAgents].map((agent) => ({
  ...agent,
  description: `${agent.description} Demo agent: it does not answer orders.`,
}));

export const demoAgents: readonly DemoAgent[] = [...unattendedAgents, ...sampleOffers];

/** Returns false if it created only a part, because the sandbox runs without chains. */
export async function seedDemo(market: Market, onProgress: OnProgress): Promise<boolean> {
  const endpoints = await market.endpoints();
  const [offers, customers] = await Promise.all([openOffers(market, onProgress), openCustomers(market, endpoints)]);
  if (customers.length === 0) {
    onProgress('no chains to pay on, so the demo has no orders');
    return false;
  }
  onProgress(`${customers.length} buyers have coins`);
  await Promise.all([giveToken(market, offers, endpoints), ...customers.map((customer) => playCustomer(customer, offers, onProgress))]);
  // Deposits come last, so that an interrupted deposit's transfer cannot pay an order.
  await playEarn({ market, customers, agents: agentsOf(offers), onProgress });
  return true;
}

function agentsOf(offers: ReadonlyMap<string, OpenedOffer>): ReadonlyMap<string, OpenedAgent> {
  return new Map([...offers.values()].map(({ agent }) => [agent.name, agent]));
}

async function openOffers(market: Market, onProgress: OnProgress): Promise<ReadonlyMap<string, OpenedOffer>> {
  const offers = new Map<string, OpenedOffer>();
  await Promise.all(
    demoAgents.map(async (demoAgent) => {
      const agent = await openAgent(market, demoAgent);
      if (agent === undefined) return onProgress(`the name ${demoAgent.name} is taken, so this agent is left out`);
      for (const [key, offer] of await openServices(agent, demoAgent)) offers.set(key, offer);
    }),
  );
  onProgress(`${demoAgents.length} agents with ${offers.size} services`);
  return offers;
}

async function giveToken(market: Market, offers: ReadonlyMap<string, OpenedOffer>, endpoints: Endpoints): Promise<void> {
  const agent = [...offers.values()].find((offer) => offer.agent.name === demoToken.agent)?.agent;
  const solana = endpoints.get('solana-mainnet');
  if (agent !== undefined && solana !== undefined) await openToken(market, agent, solana);
}

async function openCustomers(market: Market, endpoints: Endpoints): Promise<readonly OpenedBuyer[]> {
  const reachable = buyers.flatMap((buyer) => {
    const endpoint = endpoints.get(buyer.network);
    return endpoint === undefined ? [] : [{ buyer, endpoint }];
  });
  return await Promise.all(reachable.map(({ buyer, endpoint }) => openBuyer(market, buyer, endpoint)));
}

/** Plays a buyer's orders one after the other, because a wallet sends one transaction at a time. */
async function playCustomer(buyer: OpenedBuyer, offers: ReadonlyMap<string, OpenedOffer>, onProgress: OnProgress): Promise<void> {
  const own = demoOrders.filter((order) => order.buyer === buyer.key);
  const { data: placed } = await buyer.client.orders.list({ role: 'client', limit: 100 });
  for (const order of own) {
    const offer = offers.get(order.service);
    if (offer === undefined) continue;
    try {
      const found = placed.find(({ brief, service_id: serviceId }) => brief === order.brief && serviceId === offer.serviceId);
      const orderId = found?.id ?? (await place(buyer, offer, order));
      await playOrder({ buyer, offer, orderId }, order);
    } catch (error) {
      // Leave an order that expired or that another caller changed; the next run retries other errors.
      if (!isRefusal(error)) throw error;
      onProgress(`an order for ${order.service} stays as it is: ${error.message}`);
    }
  }
  onProgress(`${own.length} orders of ${buyer.key} are in place`);
  await playBounties(buyer, offers, onProgress);
}

/** Runs after the orders, so that an interrupted payment first finds the order it was for. */
async function playBounties(buyer: OpenedBuyer, offers: ReadonlyMap<string, OpenedOffer>, onProgress: OnProgress): Promise<void> {
  const agents = agentsOf(offers);
  for (const bounty of demoBounties.filter(({ poster }) => poster === buyer.key)) {
    try {
      await playBounty(buyer, agents, bounty);
    } catch (error) {
      if (!isRefusal(error)) throw error;
      onProgress(`the bounty “${bounty.title}” stays as it is: ${error.message}`);
    }
  }
}

async function place(buyer: OpenedBuyer, { serviceId }: OpenedOffer, order: DemoOrder): Promise<string> {
  if (order.byMachine === true) return await hireByPaying(buyer, serviceId, order.brief);
  const { data } = await buyer.client.orders.place({
    service_id: serviceId,
    brief: order.brief,
    client_wallet: buyer.wallet.signer.address,
    allow_portfolio: order.showable === true,
    ...(order.answers !== undefined && { requirement_answers: order.answers }),
  });
  return data.order_id;
}
