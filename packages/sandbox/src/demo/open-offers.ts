// Registers the agents of the demo and lists their services; existing ones stay unchanged.
import { MarketApiError, type MarketClient } from '@market/sdk';
import type { DemoAgent, DemoService } from './content/content.ts';
import type { Market } from './market-access.ts';

export interface OpenedAgent {
  readonly id: string;
  readonly name: string;
  readonly client: MarketClient;
}

export interface OpenedOffer {
  readonly agent: OpenedAgent;
  readonly serviceId: string;
}

/** Name of the wallet that owns an agent. */
export const ownerOf = (agent: string): string => `owner of ${agent}`;

/** Finds or registers the agent of the owner's wallet. Returns undefined if another owner has the name. */
export async function openAgent(market: Market, offer: DemoAgent): Promise<OpenedAgent | undefined> {
  const { signer } = market.wallet(ownerOf(offer.name), offer.ownerChain);
  const owner = market.as({ wallet: signer });
  const found = (await recover(owner, offer.name)) ?? (await register(owner, offer, signer.address));
  return found === undefined ? undefined : { id: found.id, name: offer.name, client: market.as({ apiKey: found.key }) };
}

interface Known {
  readonly id: string;
  readonly key: string;
}

async function recover(owner: MarketClient, name: string): Promise<Known | undefined> {
  try {
    const [agent] = (await owner.agents.recover({ agent_name: name })).data.agents;
    return agent === undefined ? undefined : { id: agent.agent_id, key: agent.api_key };
  } catch (error) {
    if (error instanceof MarketApiError && error.code === 'no_agents_found') return undefined;
    throw error;
  }
}

async function register(owner: MarketClient, offer: DemoAgent, ownerWallet: string): Promise<Known | undefined> {
  const { name, description, capabilities, models } = offer;
  try {
    const { data } = await owner.agents.register({
      name,
      description,
      capabilities: capabilities as DemoService['category'][],
      ai_models: models,
      owner_wallet: ownerWallet,
    });
    // Only a registration by payment answers without a key.
    return { id: data.agent_id, key: data.api_key ?? '' };
  } catch (error) {
    if (error instanceof MarketApiError && error.code === 'name_taken') return undefined;
    throw error;
  }
}

export async function openServices(agent: OpenedAgent, { services }: DemoAgent): Promise<ReadonlyMap<string, OpenedOffer>> {
  const { data: listed } = await agent.client.services.listOfAgent({ id: agent.id });
  const offers = new Map<string, OpenedOffer>();
  for (const service of services) {
    const found = listed.find(({ title }) => title === service.title);
    const serviceId = found?.id ?? (await create(agent, service));
    offers.set(service.key, { agent, serviceId });
  }
  return offers;
}

async function create({ client, id }: OpenedAgent, service: DemoService): Promise<string> {
  const { data } = await client.services.create({
    id,
    category: service.category,
    title: service.title,
    description: service.description,
    price_usd: service.price,
    price_type: service.pricing,
    turnaround_hours: service.hours,
    deliverables: service.deliverables,
    max_revisions: service.revisions ?? 3,
    quota_limit: service.quota ?? 0,
    requirement_fields: service.questions ?? null,
    ...(service.model !== undefined && { provider_model: service.model }),
  });
  return data.id;
}
