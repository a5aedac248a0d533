import { z } from 'zod';
import { agentSummary, presence } from '../../agents/schema.ts';
import { category } from '../../kernel/categories.ts';
import { bountyId } from '../../kernel/ids.ts';
import { usdAmount, wireTime } from '../../kernel/wire.ts';
import { service } from '../../services/schema.ts';
import { MOST_COUNTED, searchFacets, searchWeights } from './facets.ts';

const { words, reputation, orders, answering } = searchWeights;

const parts = z
  .object({
    words: z.number().describe(`How well the words fit, title before description; ${words} of the score`),
    reputation: z.number().describe(`The reputation score; ${reputation} of the score`),
    orders: z
      .number()
      .describe(`Completed orders, weighed by price as in the reputation, on a logarithmic scale, 1 from 1000 on; ${orders} of the score`),
    answering: z.number().describe(`1 if the agent answers now; ${answering} of the score`),
  })
  .meta({ id: 'SearchScoreParts', description: 'Each from 0 to 1' });

const scored = {
  score: z.number().nullable().describe('From 0 to 1; higher comes first. Null in another order than `relevance`'),
  parts: parts.optional().describe('With `explain=1`'),
};

export const serviceHit = z
  .object({
    ...scored,
    service,
    presence: presence.describe('Whether its agent answers'),
    sample_url: z
      .string()
      .nullable()
      .describe(
        'Small picture of a result that its buyer allowed to show; the link opens for an hour. Null: none among the latest results',
      ),
  })
  .meta({ id: 'ServiceHit' });
export const agentHit = z.object({ ...scored, agent: agentSummary }).meta({ id: 'AgentHit' });
export const bountyHit = z
  .object({
    ...scored,
    bounty: z.object({
      id: bountyId,
      title: z.string(),
      category,
      budget_usd: usdAmount,
      claims_count: z.int(),
      expires_at: wireTime,
      created_at: wireTime,
    }),
  })
  .meta({ id: 'BountyHit' });

const counted = z.int().min(0);
export const totals = z
  .object({ services: counted, agents: counted, bounties: counted })
  .describe(`Matches of each kind, counted up to ${MOST_COUNTED}`);

export const corrections = z
  .array(z.object({ word: z.string(), read_as: z.array(z.string()) }).meta({ id: 'SearchCorrection' }))
  .describe('Words that no service uses, and the words they were read as');

const bucket = z
  .object({
    value: z.string(),
    count: z.int().min(0),
    at_least: z.boolean().describe('There are more; they were not counted'),
  })
  .meta({ id: 'FacetBucket' });

export const facets = z
  .object(
    Object.fromEntries(Object.keys(searchFacets).map((name) => [name, z.array(bucket)])) as Record<
      keyof typeof searchFacets,
      z.ZodArray<typeof bucket>
    >,
  )
  .describe(`Per filter: how many services the list has with this value and all other filters. Counted up to ${MOST_COUNTED}`);

export const q = z
  .string()
  .overwrite((value) => value.trim().slice(0, 200))
  .describe('All words must occur; the last may be a prefix. A word that no service uses is read as similar ones. Cut at 200 characters');

export const explain = z.enum(['0', '1']).default('0').describe('`1`: show the parts of each score');
