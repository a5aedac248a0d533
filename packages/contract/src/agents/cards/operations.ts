import { z } from 'zod';
import { type Access, defineOperation } from '../../define-operation.ts';
import { furtherRateLimits } from '../../kernel/rate-limits.ts';
import { untrustedText, untrustedTextIn } from '../../kernel/untrusted-text.ts';
import { othersText } from '../../kernel/wire.ts';
import { exampleAgent } from '../examples.ts';

/** Documents for agent directories and other programs. Their shapes follow the standards, without our envelope. */
const everybody: Access = { accepts: ['anonymous', 'idp', 'wallet', 'api_key'] };
const ofAgent = z.object({ id: z.string().min(1).max(80).describe('Agent id or slug') });

const skill = z
  .object({
    id: z.string(),
    name: othersText,
    description: othersText,
    tags: z.array(z.string()),
  })
  .meta({ id: 'AgentCardSkill' });

const agentCard = z
  .object({
    name: othersText,
    description: othersText,
    version: z.string(),
    provider: z.object({ organization: z.string(), url: z.string() }),
    supportedInterfaces: z
      .array(z.object({ url: z.string(), protocolBinding: z.string(), protocolVersion: z.string() }))
      .describe('`protocolBinding` is the address of the guide that explains the calls; A2A messages are not taken yet'),
    documentationUrl: z.string(),
    iconUrl: othersText.optional(),
    capabilities: z.object({
      streaming: z.boolean(),
      pushNotifications: z.boolean(),
      extensions: z
        .array(
          z
            .object({
              uri: z.string(),
              description: z.string(),
              required: z.literal(false),
              params: z.object({ fields: z.array(z.string()) }),
            })
            .meta({ id: 'AgentCardExtension' }),
        )
        .optional()
        .describe('One extension says which fields of an agent’s card hold text that strangers wrote'),
    }),
    defaultInputModes: z.array(z.string()),
    defaultOutputModes: z.array(z.string()),
    skills: z.array(skill),
  })
  .meta({ id: 'AgentCard' });

const serviceEntry = z
  .object({ name: z.string(), endpoint: z.string(), version: z.string().optional() })
  .meta({ id: 'RegistrationService' });

const registrationFile = z
  .object({
    type: z.literal('https://eips.ethereum.org/EIPS/eip-8004#registration-v1'),
    'x-untrusted-text': untrustedText,
    name: othersText,
    description: othersText,
    image: othersText,
    services: z.array(serviceEntry),
    endpoints: z.array(serviceEntry).describe('The same as `services`, under its earlier name'),
    x402Support: z.boolean().describe('At least one service can be hired by paying'),
    active: z.boolean(),
    registrations: z.array(z.object({ agentId: z.int(), agentRegistry: z.string() })).describe('Empty: not registered on a chain by us'),
    supportedTrust: z.array(z.string()),
  })
  .meta({ id: 'AgentRegistrationFile' });

const exampleCard = {
  name: exampleAgent.name,
  description: exampleAgent.description,
  version: '2026-11-15',
  provider: { organization: 'Market', url: 'https://market.example.com' },
  supportedInterfaces: [
    {
      url: 'https://market.example.com/api/x402/services',
      protocolBinding: 'https://market.example.com/docs/paying-by-x402',
      protocolVersion: '1.0',
    },
  ],
  documentationUrl: 'https://market.example.com/agents/tallyrook',
  capabilities: { streaming: false, pushNotifications: false },
  defaultInputModes: ['text/plain'],
  defaultOutputModes: ['text/plain'],
  skills: [{ id: 'general', name: exampleAgent.name, description: exampleAgent.description, tags: ['analytics'] }],
};
const exampleEntries = [{ name: 'web', endpoint: 'https://market.example.com/agents/tallyrook' }];

export const cardOperations = {
  market: defineOperation({
    summary: 'Describe this marketplace as an A2A agent card',
    output: { data: agentCard, bare: true },
    power: 'public',
    access: everybody,
    limit: furtherRateLimits.publicFigures,
    effects: { kind: 'read' },
    rest: { method: 'GET', path: '/.well-known/agent-card.json' },
    examples: [{ title: 'The marketplace', data: { ...exampleCard, name: 'Market' } }],
  }),

  agent: defineOperation({
    summary: 'Describe an agent as an A2A agent card',
    description: 'For public agents. Skills are the services on offer, the most hired first, at most 50.',
    input: { path: ofAgent },
    output: { data: agentCard, bare: true },
    errors: ['agent_not_found'],
    power: 'public',
    access: everybody,
    limit: furtherRateLimits.publicFigures,
    effects: { kind: 'read' },
    rest: { method: 'GET', path: '/api/agents/{id}/agent-card.json' },
    examples: [{ title: 'An agent', input: { id: 'tallyrook' }, data: exampleCard }],
  }),

  registration: defineOperation({
    summary: 'Describe an agent as an ERC-8004 registration file',
    description: 'For public agents. Its owner can register this address on a chain as the URI of the agent.',
    input: { path: ofAgent },
    output: { data: registrationFile, bare: true },
    errors: ['agent_not_found'],
    power: 'public',
    access: everybody,
    limit: furtherRateLimits.publicFigures,
    effects: { kind: 'read' },
    rest: { method: 'GET', path: '/api/agents/{id}/registration.json' },
    examples: [
      {
        title: 'An agent',
        input: { id: 'tallyrook' },
        data: {
          type: 'https://eips.ethereum.org/EIPS/eip-8004#registration-v1',
          'x-untrusted-text': untrustedTextIn(['/name', '/description', '/image']),
          name: exampleAgent.name,
          description: exampleAgent.description,
          image: 'https://market.example.com/favicon.svg',
          services: exampleEntries,
          endpoints: exampleEntries,
          x402Support: false,
          active: true,
          registrations: [],
          supportedTrust: ['reputation'],
        },
      },
    ],
  }),
};
