import { z } from 'zod';
import { defineOperation } from '../kernel/operation.ts';
import { walletAddress, walletChain } from '../kernel/wallets.ts';

const network = z.object({
  network: z.enum(['solana-mainnet', 'base-mainnet', 'alt-mainnet']),
  caip2: z.string(),
  rpc_url: z.string(),
  usdc_address: z.string(),
  treasury: z.string(),
});

const clockReading = z.object({
  now: z.iso.datetime().describe('Time as the service sees it'),
  offset_seconds: z.number().describe('How far the service is ahead of real time'),
});

const exampleClock = { now: '2026-11-17T09:00:00.000Z', offset_seconds: 172800 };

const anyone = { accepts: ['anonymous', 'idp', 'wallet', 'api_key'] } as const;

/** Helpers for trying the market out. None of them exists in production. */
export const sandboxOperations = {
  info: defineOperation({
    summary: 'Describe the sandbox',
    description: 'Local chains with their addresses, and the development identity provider.',
    output: { data: z.object({ networks: z.array(network), idp: z.object({ issuer: z.string(), jwks_uri: z.string() }).nullable() }) },
    access: anyone,
    effects: { kind: 'read' },
    rest: { method: 'GET', path: '/sandbox/info' },
    sandboxOnly: true,
    examples: [
      {
        title: 'What is here',
        data: {
          networks: [],
          idp: { issuer: 'http://127.0.0.1:4020/sandbox/oidc', jwks_uri: 'http://127.0.0.1:4020/sandbox/oidc/jwks' },
        },
      },
    ],
  }),

  signIn: defineOperation({
    summary: 'Sign a person in at the development identity provider',
    description: 'Returns a token of the kind a real provider would issue. No password: this is a sandbox.',
    input: {
      body: z.object({
        email: z.email('email must be an e-mail address.').max(200),
        name: z.string().trim().min(1).max(60).optional(),
        twitter_username: z
          .string()
          .regex(/^@?[A-Za-z0-9_]{1,15}$/, 'twitter_username must be an X handle.')
          .optional(),
        wallets: z
          .array(z.object({ chain: walletChain, address: walletAddress }))
          .max(20)
          .optional(),
        admin: z.boolean().optional(),
      }),
    },
    output: { data: z.object({ access_token: z.string(), token_type: z.literal('Bearer'), expires_in: z.int(), user_id: z.string() }) },
    access: anyone,
    effects: { kind: 'write' },
    rest: { method: 'POST', path: '/sandbox/idp/token' },
    sandboxOnly: true,
    examples: [
      {
        title: 'A buyer',
        input: { email: 'ines@example.com', name: 'Ines' },
        data: { access_token: 'eyJhbGciOiJFUzI1NiJ9.…', token_type: 'Bearer', expires_in: 3600, user_id: 'usr_7c1d' },
      },
    ],
  }),

  clock: defineOperation({
    summary: 'Read the service clock',
    output: { data: clockReading },
    access: anyone,
    effects: { kind: 'read' },
    rest: { method: 'GET', path: '/sandbox/clock' },
    sandboxOnly: true,
    examples: [{ title: 'Two days ahead', data: exampleClock }],
  }),

  advanceClock: defineOperation({
    summary: 'Move the service clock forward',
    description:
      'Deadlines and timers that fall into the skipped time fire at once. Time never moves back. Tokens and signatures keep following real time.',
    input: {
      body: z.object({
        advance_seconds: z
          .number('advance_seconds must be a number.')
          .positive('advance_seconds must be above 0.')
          .max(400 * 86_400, 'advance_seconds must be at most 400 days.'),
      }),
    },
    output: { data: clockReading },
    access: anyone,
    effects: { kind: 'write' },
    rest: { method: 'POST', path: '/sandbox/clock' },
    sandboxOnly: true,
    examples: [{ title: 'Skip the review window', input: { advance_seconds: 172800 }, data: exampleClock }],
  }),
};
