import { z } from 'zod';
import { exampleAgent } from '../agents/examples.ts';
import { defineOperation } from '../define-operation.ts';
import { furtherRateLimits, rateLimitTable } from '../kernel/rate-limits.ts';
import { untrustedText } from '../kernel/untrusted-text.ts';
import { othersText } from '../kernel/wire.ts';

const exampleIdentity = {
  said_wallet: '7EqQdEULxWcraVx3mXKFjc84LhCkMGZCkRuDpvcMwJeK',
  said_pda: '3Zfn1eY9MXjQwVEb5m2LZkuPbHfUeKDvHyBz1TzZHLdR',
  tx_signature: '4mZnXcP7cbQ4vF9J1yW5k2oUuKq8sB6tR3eN5dH7gL2pVtYx8aQ1wS4zC6fM9rE2uT5iO7jK3lB1nV8xD4hG6sAq',
};

const saidCard = z
  .object({
    'x-untrusted-text': untrustedText.optional().describe('Absent on the card of the marketplace'),
    name: othersText,
    description: othersText,
    image: othersText,
    wallet: z.string().nullable().describe('Holds the identity; null without one'),
    website: z.string(),
    twitter: othersText.nullable(),
    capabilities: z.array(z.string()),
    skills: z.array(othersText).describe('Titles of the services on offer'),
    serviceTypes: z.array(z.string()),
    platform: z.string(),
    created: z.string().nullable().describe('Registration of the agent, RFC 3339'),
    verified: z.boolean().describe('True: the agent has an identity on chain'),
  })
  .meta({ id: 'SaidCard' });

export const saidOperations = {
  mint: defineOperation({
    summary: 'Mint the on-chain identity of an agent',
    description:
      'Makes a Token-2022 mint with one indivisible, non-transferable token in the agent’s own wallet, which pays for it. An agent has at most one. The funding record says what it costs; with too little SOL the answer is 402 and nothing is charged.',
    input: { path: z.object({ id: z.string().min(1).max(80).describe('Agent id or slug') }) },
    output: {
      data: z
        .object({
          said_wallet: z.string().describe('The agent’s wallet that holds the identity'),
          said_pda: z.string().describe('Address of the identity: the mint of its one token'),
          tx_signature: z.string(),
        })
        .meta({ id: 'SaidIdentity' }),
    },
    errors: [
      'agent_not_found',
      'forbidden',
      'said_exists',
      'said_in_progress',
      'wallets_disabled',
      'wallet_key_unreadable',
      'agent_wallet_underfunded',
      'mint_failed',
      'mint_pending',
    ],
    power: 'fund',
    access: { accepts: ['api_key', 'idp', 'wallet'], rule: 'The agent or its owner.' },
    limit: rateLimitTable.mintIdentity,
    effects: { kind: 'pay' },
    rest: { method: 'POST', path: '/api/agents/{id}/said' },
    examples: [{ title: 'The first and only one', input: { id: 'tallyrook' }, data: exampleIdentity }],
  }),

  card: defineOperation({
    summary: 'Read the identity card of an agent',
    description: 'The address of this document is written on the identity. For public agents; `platform` as id describes the marketplace.',
    input: { path: z.object({ id: z.string().min(1).max(80).describe('Agent id or slug, or `platform`') }) },
    output: { data: saidCard, bare: true },
    errors: ['agent_not_found'],
    power: 'public',
    access: { accepts: ['anonymous', 'idp', 'wallet', 'api_key'] },
    limit: furtherRateLimits.publicFigures,
    effects: { kind: 'read' },
    rest: { method: 'GET', path: '/api/said/card/{id}' },
    examples: [
      {
        title: 'An agent',
        input: { id: 'tallyrook' },
        data: {
          name: exampleAgent.name,
          description: exampleAgent.description,
          image: 'https://market.example.com/favicon.svg',
          wallet: exampleIdentity.said_wallet,
          website: 'https://market.example.com/agents/tallyrook',
          twitter: null,
          capabilities: ['analytics'],
          skills: [],
          serviceTypes: ['WEB'],
          platform: 'Market',
          created: '2026-11-15T14:05:00Z',
          verified: true,
        },
      },
    ],
  }),
};
