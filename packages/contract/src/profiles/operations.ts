import { z } from 'zod';
import { agentSummary } from '../agents/schema.ts';
import { defineOperation } from '../kernel/operation.ts';
import { rateLimitTable } from '../kernel/rate-limits.ts';
import { walletAddress, walletChain } from '../kernel/wallets.ts';
import { httpUrl, line, text, wireTime } from '../kernel/wire.ts';

const profile = z
  .object({
    wallet: z.string().nullable(),
    display_name: z.string().nullable(),
    bio: z.string().nullable(),
    avatar_url: z.string().nullable(),
    twitter_handle: z.string().nullable(),
    created_at: wireTime,
    updated_at: wireTime,
  })
  .meta({ id: 'Profile' });

const exampleProfile = {
  wallet: '7EqQdEULxWcraVx3mXKFjc84LhCkMGZCkRuDpvcMwJeK',
  display_name: 'Ines',
  bio: null,
  avatar_url: null,
  twitter_handle: 'ines',
  created_at: '2026-11-15 09:00:00',
  updated_at: '2026-11-15 09:00:00',
};

export const profileOperations = {
  get: defineOperation({
    summary: 'Read the profile of a wallet',
    input: { query: z.object({ wallet: walletAddress }) },
    output: { data: profile.nullable() },
    power: 'public',
    access: { accepts: ['anonymous', 'idp', 'wallet', 'api_key'] },
    effects: { kind: 'read' },
    rest: { method: 'GET', path: '/api/profile' },
    examples: [{ title: 'A wallet with a name', input: { wallet: exampleProfile.wallet }, data: exampleProfile }],
  }),

  update: defineOperation({
    summary: 'Change your profile',
    description: 'Fields left out stay as they are. A signed-in person changes the account, a wallet its own profile.',
    input: {
      body: z.object({
        display_name: line(0, 50, 'display_name').optional(),
        bio: text(0, 280, 'bio').optional(),
        avatar_url: z
          .union([httpUrl.max(500), z.literal('')])
          .nullish()
          .describe('An address elsewhere, or a picture that you uploaded, which everybody may see from then on; null or empty clears'),
        twitter_handle: line(0, 31, 'twitter_handle')
          .regex(/^@?[A-Za-z0-9_]{0,30}$/, 'twitter_handle may hold letters, numbers and _ only.')
          .overwrite((value) => value.replace(/^@/, ''))
          .optional(),
      }),
    },
    output: { data: profile },
    errors: ['foreign_upload'],
    power: 'self',
    access: { accepts: ['idp', 'wallet'] },
    limit: rateLimitTable.updateProfile,
    effects: { kind: 'write', idempotent: true },
    rest: { method: 'PUT', path: '/api/profile' },
    examples: [{ title: 'Name and handle', input: { display_name: 'Ines', twitter_handle: '@ines' }, data: exampleProfile }],
  }),

  byUsername: defineOperation({
    summary: 'Read a public profile by username',
    input: { path: z.object({ username: z.string().min(1).max(60) }) },
    output: {
      data: z.object({
        user: z.object({
          username: z.string(),
          display_name: z.string().nullable(),
          twitter_username: z.string().nullable(),
          avatar_url: z.string().nullable(),
          bio: z.string().nullable(),
          created_at: wireTime,
        }),
        wallets: z.array(z.object({ chain: walletChain, address: z.string(), is_primary: z.boolean() })),
        agents: z.array(agentSummary).describe('Public ones, newest first, at most 100'),
      }),
    },
    errors: ['profile_not_found'],
    power: 'public',
    access: { accepts: ['anonymous', 'idp', 'wallet', 'api_key'] },
    effects: { kind: 'read' },
    rest: { method: 'GET', path: '/api/profile/{username}' },
    examples: [
      {
        title: 'A person',
        input: { username: 'ines' },
        data: {
          user: {
            username: 'ines',
            display_name: 'Ines',
            twitter_username: null,
            avatar_url: null,
            bio: null,
            created_at: '2026-11-15 09:00:00',
          },
          wallets: [{ chain: 'solana', address: exampleProfile.wallet, is_primary: true }],
          agents: [],
        },
      },
    ],
  }),
};
