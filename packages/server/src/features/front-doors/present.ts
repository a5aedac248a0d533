/** Agents as the documents of other standards describe them. */
import { type NamedOperation, type OperationAnswer, type Operations, operations, toWireTime, untrustedTextOf } from '@market/contract';
import { type AgentRow, shownHandle } from '../agents/index.ts';
import type { OfferedService } from './repository.ts';

type AgentCard = OperationAnswer<Operations['cards']['agent']>['data'];
type SaidCard = OperationAnswer<Operations['said']['card']>['data'];
type RegistrationFile = OperationAnswer<Operations['cards']['registration']>['data'];

/** Where this market is, and how it is called. */
export interface Place {
  readonly serviceName: string;
  readonly baseUrl: string;
  readonly appUrl: string;
}

/** A2A 1.0. We take no A2A messages yet, so the interface names our own binding: the guide that explains how to hire by paying. */
const A2A_VERSION = '1.0';

/** A2A's place for what its fields do not say. Readers that do not know the extension still see the description. */
function untrustedTextExtension({ appUrl }: Place) {
  const { note, fields } = untrustedTextOf(operations.cards.agent);
  return { uri: `${appUrl}/docs/mcp#text-of-others`, description: note, required: false as const, params: { fields } };
}

function commonCard({ serviceName, baseUrl, appUrl }: Place) {
  return {
    provider: { organization: serviceName, url: appUrl },
    supportedInterfaces: [
      { url: `${baseUrl}/api/x402/services`, protocolBinding: `${appUrl}/docs/paying-by-x402`, protocolVersion: A2A_VERSION },
    ],
    capabilities: { streaming: false, pushNotifications: false },
    defaultInputModes: ['text/plain'],
    defaultOutputModes: ['text/plain', 'application/json'],
  };
}

export function presentMarketCard(place: Place, operations: readonly NamedOperation[]): AgentCard {
  return {
    name: place.serviceName,
    description: 'An open marketplace on which people and programs hire autonomous agents and pay in USDC.',
    version: '1.0.0',
    ...commonCard(place),
    documentationUrl: `${place.appUrl}/llms.txt`,
    iconUrl: `${place.appUrl}/favicon.svg`,
    skills: operations.flatMap(({ name, group, spec }) =>
      spec.mcp === undefined ? [] : [{ id: name, name: spec.summary, description: spec.description ?? `${spec.summary}.`, tags: [group] }],
    ),
  };
}

export function presentAgentCard(place: Place, agent: AgentRow, services: readonly OfferedService[]): AgentCard {
  const general = { id: 'general', name: agent.name, description: agent.description, tags: tagsOf(agent) };
  const { capabilities, ...common } = commonCard(place);
  return {
    // First, so that a model reads the note before the text.
    capabilities: { ...capabilities, extensions: [untrustedTextExtension(place)] },
    name: agent.name,
    description: agent.description,
    version: toWireTime(agent.updatedAt).slice(0, 10),
    ...common,
    documentationUrl: pageOf(place, agent),
    ...(agent.avatarUrl !== null && { iconUrl: agent.avatarUrl }),
    skills:
      services.length === 0
        ? [general]
        : services.map(({ id, title, description, category, priceType }) => ({
            id,
            name: title,
            description,
            tags: [category, priceType],
          })),
  };
}

export function presentRegistration(place: Place, agent: AgentRow, services: readonly OfferedService[]): RegistrationFile {
  const entries = [
    { name: 'web', endpoint: pageOf(place, agent) },
    { name: 'A2A', endpoint: `${place.baseUrl}/api/agents/${encodeURIComponent(agent.slug)}/agent-card.json`, version: A2A_VERSION },
  ];
  return {
    type: 'https://eips.ethereum.org/EIPS/eip-8004#registration-v1',
    'x-untrusted-text': untrustedTextOf(operations.cards.registration),
    name: agent.name,
    description: agent.description,
    image: agent.avatarUrl ?? `${place.appUrl}/favicon.svg`,
    services: entries,
    endpoints: entries,
    x402Support: services.some(({ payable }) => payable),
    active: true,
    registrations: registrationsOf(agent),
    supportedTrust: ['reputation'],
  };
}

export function presentSaidCard(place: Place, agent: AgentRow, services: readonly OfferedService[]): SaidCard {
  return {
    'x-untrusted-text': untrustedTextOf(operations.said.card),
    name: agent.name,
    description: agent.description,
    image: agent.avatarUrl ?? `${place.appUrl}/favicon.svg`,
    wallet: agent.saidWallet,
    website: pageOf(place, agent),
    twitter: shownHandle(agent),
    capabilities: [...agent.capabilities],
    skills: services.map(({ title }) => title),
    serviceTypes: ['WEB'],
    platform: place.serviceName,
    created: agent.createdAt.toISOString(),
    verified: agent.saidWallet !== null,
  };
}

export function presentSaidPlatform({ serviceName, appUrl }: Place): SaidCard {
  return {
    name: serviceName,
    description: 'An open marketplace on which people and programs hire autonomous agents and pay in USDC.',
    image: `${appUrl}/favicon.svg`,
    wallet: null,
    website: appUrl,
    twitter: null,
    capabilities: [],
    skills: [],
    serviceTypes: ['WEB'],
    platform: serviceName,
    created: null,
    verified: false,
  };
}

/** Final registrations alone. An id beyond the numbers of JSON is left out, never rounded. */
function registrationsOf({ erc8004Registry: agentRegistry, erc8004AgentId }: AgentRow): RegistrationFile['registrations'] {
  const agentId = Number(erc8004AgentId);
  return agentRegistry === null || !Number.isSafeInteger(agentId) ? [] : [{ agentId, agentRegistry }];
}

function pageOf({ appUrl }: Place, { slug }: AgentRow): string {
  return `${appUrl}/agents/${encodeURIComponent(slug)}`;
}

function tagsOf({ capabilities }: AgentRow): string[] {
  return capabilities.length === 0 ? ['custom'] : [...capabilities];
}
