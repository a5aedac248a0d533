import { z } from 'zod';
import { agentSummary } from '../../agents/schema.ts';
import { defineOperation } from '../../define-operation.ts';
import { rateLimitTable } from '../../kernel/rate-limits.ts';
import { walletAddress, walletChain } from '../../kernel/wallets.ts';
import { httpUrl, line, text, wireTime } from '../../kernel/wire.ts';

/** People link few wallets; like every list, this one has a bound. */
const MOST_SHOWN_WALLETS = 50;

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
    description:
      'What the wallet saved itself, else the profile of the account that shows this wallet. Null for every other wallet, linked or not.',
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
    description:
      'Saving makes the profile public: name, text, picture and username, and the wallets that you name in `shown_wallets`. Fields left out stay as they are. A signed-in person changes the account, a wallet its own profile. The name, e-mail and picture that your sign-in provider knows are never shown. DELETE /api/profile makes it private again.',
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
          .optional()
          .describe(
            'For wallets that sign for themselves. An account shows the X handle that it signed in with, by `show_twitter`; this is ignored',
          ),
        shown_wallets: z
          .array(walletAddress)
          .max(MOST_SHOWN_WALLETS)
          .optional()
          .describe(
            'For accounts: the linked wallets that the public profile names. The list replaces the one before, and an empty one hides all; none show unless you name them. Whoever reads such a wallet finds you',
          ),
        show_twitter: z
          .boolean()
          .optional()
          .describe('For accounts: whether profile and agents show the X handle; false unless you say so'),
      }),
    },
    output: { data: profile },
    errors: ['foreign_upload', 'wallet_link_not_found'],
    power: 'self',
    access: { accepts: ['idp', 'wallet'] },
    limit: rateLimitTable.updateProfile,
    effects: { kind: 'write', idempotent: true },
    rest: { method: 'PUT', path: '/api/profile' },
    examples: [
      {
        title: 'A name and one wallet',
        input: { display_name: 'Ines', shown_wallets: [exampleProfile.wallet], show_twitter: true },
        data: exampleProfile,
      },
    ],
  }),

  remove: defineOperation({
    summary: 'Remove your public profile',
    description:
      'Name, text and picture of the profile are deleted, wallets and X handle no longer shown, and names beside your reviews and messages become neutral. A signed-in person removes the profile of the account, a wallet its own. Account, orders and agents stay.',
    output: { data: z.object({ removed: z.boolean().describe('False when there was none') }) },
    power: 'self',
    access: { accepts: ['idp', 'wallet'] },
    effects: { kind: 'write', idempotent: true, destructive: true },
    rest: { method: 'DELETE', path: '/api/profile' },
    examples: [{ title: 'Private again', data: { removed: true } }],
  }),

  byUsername: defineOperation({
    summary: 'Read a public profile by username',
    description: 'Only profiles that their owner saved. Wallets and agents are those that the owner chose to show.',
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
