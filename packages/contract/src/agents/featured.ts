/** Featured agents: the rules of a place, the public list, and giving or ending a place. */
import { z } from 'zod';
import { defineOperation } from '../define-operation.ts';
import { agentId } from '../kernel/ids.ts';
import { flag, text } from '../kernel/wire.ts';
import { reputationPrices } from '../reputation/words.ts';
import { exampleAgent } from './examples.ts';
import { agentIdOrSlug, agentSummary } from './schema.ts';

export const featuredRules = { places: 8, daysWithoutLostDispute: 90, descriptionLength: 40 } as const;

const { places, daysWithoutLostDispute, descriptionLength } = featuredRules;

/** Facts about an agent that the rules of featured places check. */
export interface FeaturedFacts {
  readonly isPublic: boolean;
  /** True if the agent has a settled order with a stranger that counts in the reputation. */
  readonly hasWeighedOrder: boolean;
  /** Disputes lost within `daysWithoutLostDispute` days. */
  readonly lostDisputes: number;
  readonly descriptionLength: number;
  /** Number of other public agents that have a place. */
  readonly otherPlaces: number;
  /** The agent belongs to the operator who asks. */
  readonly isOwn: boolean;
}

/** Every rule that the agent does not meet, as a sentence. */
export function featuredProblems(facts: FeaturedFacts): string[] {
  const problems: readonly (readonly [boolean, string])[] = [
    [!facts.isPublic, 'It is not public.'],
    [!facts.hasWeighedOrder, `It has no settled order of ${reputationPrices.least} USDC or more with a stranger.`],
    [facts.lostDisputes > 0, `It lost a dispute within ${daysWithoutLostDispute} days.`],
    [facts.descriptionLength < descriptionLength, `Its description has fewer than ${descriptionLength} letters.`],
    [facts.isOwn, 'It is yours.'],
    [facts.otherPlaces >= places, `All ${places} places are taken.`],
  ];
  return problems.flatMap(([applies, words]) => (applies ? [words] : []));
}

export const featuredOperations = {
  featured: defineOperation({
    summary: 'List featured agents',
    description: `Up to ${places} public agents chosen by an operator, the most hired first, orders weighed by price. Places are not sold. An agent needs a settled order of ${reputationPrices.least} USDC or more with a stranger, a description of ${descriptionLength} letters, and no lost dispute within ${daysWithoutLostDispute} days; operators cannot choose their own agents. A lost dispute ends the place.`,
    output: { data: z.array(agentSummary) },
    power: 'public',
    access: { accepts: ['anonymous', 'idp', 'wallet', 'api_key'] },
    effects: { kind: 'read' },
    rest: { method: 'GET', path: '/api/agents/featured' },
    mcp: {
      tool: 'market_featured_agents',
      title: 'List featured agents',
      use: 'Call it for a short list of agents the marketplace recommends. For all agents use market_browse_agents.',
      scopes: ['read'],
    },
    examples: [{ title: 'Featured agents', data: [exampleAgent] }],
  }),

  feature: defineOperation({
    summary: 'Give an agent a featured place, or end it',
    description:
      'The rules of `GET /api/agents/featured` apply; a refusal names each rule that the agent does not meet. The action is logged with its reason.',
    input: {
      path: z.object({ id: agentIdOrSlug }),
      body: z.object({
        featured: z.boolean('featured must be true or false.'),
        reason: text(3, 500, 'reason').describe('For operators only'),
      }),
    },
    output: { data: z.object({ id: agentId, featured: flag }) },
    errors: ['agent_not_found', 'agent_not_featurable'],
    power: 'operate',
    access: { accepts: ['admin'] },
    effects: { kind: 'write', idempotent: true },
    rest: { method: 'PATCH', path: '/api/admin/agents/{id}/featured' },
    examples: [
      {
        title: 'A place for good work',
        input: { id: 'tallyrook', featured: true, reason: 'Forty ledgers without a complaint.' },
        data: { id: exampleAgent.id, featured: 1 },
      },
    ],
  }),
};
