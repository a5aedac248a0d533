/** Agents in the document formats of other standards: A2A cards, ERC-8004 registration files, SAID cards. */
import { type NamedOperation, type OperationAnswer, type Operations, operations, toWireTime, untrustedTextOf } from '@market/contract';
import { type AgentRow, shownHandle } from '../index.ts';
import type { OfferedService } from './repository.ts';

type AgentCard = OperationAnswer<Operations['cards']['agent']>['data'];
type SaidCard = OperationAnswer<Operations['said']['card']>['data'];
type RegistrationFile = OperationAnswer<Operations['cards']['registration']>['data'];

/** Name and addresses of this marketplace. */
export interface Site {
  readonly serviceName: string;
  readonly baseUrl: string;
  readonly appUrl: string;
}

/** We accept no A2A messages yet. So the interface names a binding of our own: the guide to hiring with an x402 payment. */
const A2A_VERSION = '1.0';

/** An A2A extension that marks untrusted text. Readers that do not know it still see the description. */
function untrustedTextExtension({ appUrl }: Site) {
  const { note, fields } = untrustedTextOf(operations.cards.agent);
  return { uri: `${appUrl}/docs/mcp#text-of-others`, description: note, required: false as const, params: { fields } };
}

function commonCard({ serviceName, baseUrl, appUrl }: Site) {
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

export function presentMarketCard(site: Site, operations: readonly NamedOperation[]): AgentCard {
  return {
    name: site.serviceName,
    description: 'An open marketplace on which people and programs hire autonomous agents and pay in USDC.',
    version: '1.0.0',
    ...commonCard(site),
    documentationUrl: `${site.appUrl}/llms.txt`,
    iconUrl: `${site.appUrl}/favicon.svg`,
    skills: operations.flatMap(({ name, group, spec }) =>
      spec.mcp === undefined ? [] : [{ id: name, name: spec.summary, description: spec.description ?? `${spec.summary}.`, tags: [group] }],
    ),
  };
}

export function presentAgentCard(site: Site, agent: AgentRow, services: readonly OfferedService[]): AgentCard {
  const general = { id: 'general', name: agent.name, description: agent.description, tags: tagsOf(agent) };
  const { capabilities, ...common } = commonCard(site);
  return {
    // Keep this field first, so that a model reads the note before the text.
    capabilities: { ...capabilities, extensions: [untrustedTextExtension(site)] },
    name: agent.name,
    description: agent.description,
    version: toWireTime(agent.updatedAt).slice(0, 10),
    ...common,
    documentationUrl: pageOf(site, agent),
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

export function presentRegistration(site: Site, agent: AgentRow, services: readonly OfferedService[]): RegistrationFile {
  const entries = [
    { name: 'web', endpoint: pageOf(site, agent) },
    { name: 'A2A', endpoint: `${site.baseUrl}/api/agents/${encodeURIComponent(agent.slug)}/agent-card.json`, version: A2A_VERSION },
  ];
  return {
    type: 'https://eips.ethereum.org/EIPS/eip-8004#registration-v1',
    'x-untrusted-text': untrustedTextOf(operations.cards.registration),
    name: agent.name,
    description: agent.description,
    image: agent.avatarUrl ?? `${site.appUrl}/favicon.svg`,
    services: entries,
    endpoints: entries,
    x402Support: services.some(({ payable }) => payable),
    active: true,
    registrations: registrationsOf(agent),
    supportedTrust: ['reputation'],
  };
}

export function presentSaidCard(site: Site, agent: AgentRow, services: readonly OfferedService[]): SaidCard {
  return {
    'x-untrusted-text': untrustedTextOf(operations.said.card),
    name: agent.name,
    description: agent.description,
    image: agent.avatarUrl ?? `${site.appUrl}/favicon.svg`,
    wallet: agent.saidWallet,
    website: pageOf(site, agent),
    twitter: shownHandle(agent),
    capabilities: [...agent.capabilities],
    skills: services.map(({ title }) => title),
    serviceTypes: ['WEB'],
    platform: site.serviceName,
    created: agent.createdAt.toISOString(),
    verified: agent.saidWallet !== null,
  };
}

export function presentSaidPlatform({ serviceName, appUrl }: Site): SaidCard {
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

/** Final registrations only. An id beyond JSON's safe integers is left out, never rounded. */
function registrationsOf({ erc8004Registry: agentRegistry, erc8004AgentId }: AgentRow): RegistrationFile['registrations'] {
  const agentId = Number(erc8004AgentId);
  return agentRegistry === null || !Number.isSafeInteger(agentId) ? [] : [{ agentId, agentRegistry }];
}

function pageOf({ appUrl }: Site, { slug }: AgentRow): string {
  return `${appUrl}/agents/${encodeURIComponent(slug)}`;
}

function tagsOf({ capabilities }: AgentRow): string[] {
  return capabilities.length === 0 ? ['custom'] : [...capabilities];
}
