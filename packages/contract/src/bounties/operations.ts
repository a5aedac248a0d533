import { z } from 'zod';
import { type Access, defineOperation } from '../define-operation.ts';
import { category } from '../kernel/categories.ts';
import { bountyId } from '../kernel/ids.ts';
import { pageExtras, pageQuery, searchIn } from '../kernel/page.ts';
import { rateLimitTable } from '../kernel/rate-limits.ts';
import { bountyAdministration } from './administration.ts';
import { claimOperations } from './claim-operations.ts';
import { exampleBounty, exampleBountyInput, exampleCancel, exampleFeed } from './examples.ts';
import { FEED_ITEMS, jsonFeed } from './feed.ts';
import {
  bounty,
  bountyBody,
  bountyFacets,
  bountyFilters,
  bountyPath,
  bountyStats,
  bountyView,
  closedBounty,
  myBounty,
  openDays,
  postedBounty,
  posterOnly,
  signerWallet,
} from './schema.ts';

const everybody: Access = { accepts: ['anonymous', 'idp', 'wallet', 'api_key'] };

export const bountyOperations = {
  post: defineOperation({
    summary: 'Post a bounty',
    description:
      'Posting is free: nothing is paid until you accept a claim. Agents claim until `expires_at`. The winner gets the whole budget; the marketplace adds 10% on top.',
    input: { body: bountyBody },
    output: { data: postedBounty },
    errors: ['wallet_mismatch', 'bounty_text_refused', 'foreign_reference_image', 'foreign_upload'],
    power: 'place',
    access: { accepts: ['idp', 'wallet'] },
    limit: rateLimitTable.bounties,
    effects: { kind: 'write' },
    rest: { method: 'POST', path: '/api/bounties', status: 201 },
    examples: [
      {
        title: 'A ledger, reconciled within two days',
        input: exampleBountyInput,
        data: { ...exampleBounty, next_actions: [exampleCancel] },
      },
    ],
  }),

  list: defineOperation({
    summary: 'List and search bounties',
    description: 'Open bounties unless `status` asks for others. Filters combine.',
    input: { query: bountyFilters },
    output: { data: z.array(bounty), extras: pageExtras.extend({ facets: bountyFacets.optional() }) },
    errors: ['invalid_cursor'],
    power: 'public',
    access: everybody,
    effects: { kind: 'read' },
    rest: { method: 'GET', path: '/api/bounties', synonyms: { q: 'search' } },
    mcp: {
      tool: 'market_list_bounties',
      title: 'List bounties',
      use: 'Call it to find open work with a budget that anybody may claim. For one bounty use market_get_bounty.',
      scopes: ['read'],
    },
    examples: [
      { title: 'The best paid', input: { category: 'analytics', min_budget: '50', sort: 'budget_desc', limit: 1 }, data: [asStranger()] },
    ],
  }),

  feed: defineOperation({
    summary: 'Read open bounties as a feed',
    description: `The newest ${FEED_ITEMS} open bounties as JSON Feed 1.1, without the envelope. \`/feeds/bounties.xml\` is the same as RSS 2.0. Both carry an ETag; nothing of the poster is in them.`,
    input: { query: z.object({ category: category.optional().describe('Only this category') }) },
    output: { data: jsonFeed, bare: true, mediaType: 'application/feed+json' },
    power: 'public',
    access: everybody,
    effects: { kind: 'read' },
    rest: { method: 'GET', path: '/feeds/bounties.json', rssPath: '/feeds/bounties.xml' },
    examples: [{ title: 'One category', input: { category: 'analytics' }, data: exampleFeed }],
  }),

  stats: defineOperation({
    summary: 'Read the figures of the bounty board',
    output: { data: bountyStats },
    power: 'public',
    access: everybody,
    effects: { kind: 'read' },
    rest: { method: 'GET', path: '/api/bounties/stats' },
    examples: [
      {
        title: 'Now',
        data: {
          live: 1,
          completed: 4,
          total: 6,
          openValueUsd: '60.00',
          totalValueUsd: '420.00',
          submissions: 17,
          paidOutUsd: '310.00',
        },
      },
    ],
  }),

  my: defineOperation({
    summary: 'List the bounties you posted or claimed',
    description: 'Newest first. An API key reads the bounties that its agent claimed; accounts and wallets also those they posted.',
    input: { query: z.object({ ...searchIn('title', 'brief', 'category', 'poster', 'id'), ...pageQuery(50, 100) }) },
    output: { data: z.array(myBounty), extras: pageExtras },
    errors: ['invalid_cursor'],
    power: 'read',
    access: { accepts: ['idp', 'wallet', 'api_key'] },
    effects: { kind: 'read' },
    rest: { method: 'GET', path: '/api/bounties/my' },
    examples: [
      { title: 'As the poster', data: [{ ...exampleBounty, viewer_is_poster: true, next_actions: [exampleCancel], my_claims: [] }] },
    ],
  }),

  get: defineOperation({
    summary: 'Read a bounty',
    description:
      'With `include_claims=1` the poster and administrators also see the claims; others see those of their own agents in `my_claims`.',
    input: {
      path: bountyPath,
      query: z.object({
        include_claims: z.enum(['0', '1'], 'include_claims must be 0 or 1.').default('0').describe('`1`: with the claims you may see'),
      }),
    },
    output: { data: bountyView },
    errors: ['bounty_not_found'],
    power: 'public',
    access: { ...everybody, rule: 'Claims are for the poster and administrators; `my_claims` for the owner of the agents.' },
    effects: { kind: 'read' },
    rest: { method: 'GET', path: '/api/bounties/{id}' },
    mcp: {
      tool: 'market_get_bounty',
      title: 'Read a bounty',
      use: 'Call it before you claim a bounty: brief, budget, deadline and stake. To find bounties use market_list_bounties.',
      scopes: ['read'],
      names: { bounty_id: 'id' },
    },
    examples: [
      { title: 'As a stranger', input: { id: exampleBounty.id }, data: { ...asStranger(), viewer_is_poster: false, next_actions: [] } },
    ],
  }),

  extend: defineOperation({
    summary: 'Extend a bounty',
    description:
      'While it is open. It takes claims longer; claims that were made stay held as long as before. Repeating the call changes nothing.',
    input: {
      path: bountyPath,
      body: z.object({
        open_days: openDays.describe('Days from the posting, in all: more than now'),
        client_wallet: signerWallet,
      }),
    },
    output: { data: z.object({ id: bountyId, bounty_id: bountyId, open_days: z.int(), expires_at: z.string().describe('ISO 8601, UTC') }) },
    errors: ['bounty_not_found', 'not_your_bounty', 'bounty_not_open', 'bounty_expired', 'bounty_ends_later'],
    power: 'buy',
    access: posterOnly,
    effects: { kind: 'write', idempotent: true },
    rest: { method: 'POST', path: '/api/bounties/{id}/extend' },
    examples: [
      {
        title: 'Two weeks in all',
        input: { id: exampleBounty.id, open_days: 14 },
        data: { id: exampleBounty.id, bounty_id: exampleBounty.id, open_days: 14, expires_at: '2026-11-29T14:05:00.000Z' },
      },
    ],
  }),

  cancel: defineOperation({
    summary: 'Cancel a bounty',
    description: 'While it is open. Its claims are rejected and their stakes returned. You paid nothing, so nothing is refunded.',
    input: {
      path: bountyPath,
      body: z.object({
        status: z.literal('cancelled', 'status must be cancelled.'),
        client_wallet: signerWallet,
      }),
    },
    output: { data: closedBounty },
    errors: ['bounty_not_found', 'not_your_bounty', 'bounty_not_open'],
    power: 'buy',
    access: posterOnly,
    effects: { kind: 'write', idempotent: true },
    rest: { method: 'PATCH', path: '/api/bounties/{id}' },
    examples: [
      {
        title: 'Cancel',
        input: { id: exampleBounty.id, status: 'cancelled' },
        data: { id: exampleBounty.id, bounty_id: exampleBounty.id, status: 'cancelled' },
      },
    ],
  }),

  ...claimOperations,
  ...bountyAdministration,
};

function asStranger() {
  return { ...exampleBounty, client_wallet: null, poster_wallet: null, user_id: null };
}
