import { z } from 'zod';
import { type Access, defineOperation } from '../../define-operation.ts';
import { networkName } from '../../kernel/networks.ts';
import { pageQuery, searchIn } from '../../kernel/page.ts';
import { furtherRateLimits, rateLimitTable } from '../../kernel/rate-limits.ts';
import {
  exampleActivity,
  exampleBoardRow,
  exampleDay,
  exampleHeld,
  exampleHeldInVenue,
  exampleHeldParts,
  exampleMetrics,
  examplePayment,
  examplePlatformStats,
  examplePublicHire,
  examplePublicPayout,
} from './examples.ts';
import {
  activityEvent,
  activityFilters,
  boardRow,
  dayFigures,
  heldFunds,
  heldInVenue,
  heldParts,
  paymentKinds,
  payoutKinds,
  platformMetrics,
  platformStats,
  publicHire,
  publicPayment,
  publicPayout,
} from './schema.ts';

const everybody: Access = { accepts: ['anonymous', 'idp', 'wallet', 'api_key'] };
const shared = { power: 'public', access: everybody, limit: furtherRateLimits.publicFigures, effects: { kind: 'read' } } as const;

const { limit, cursor } = pageQuery(50, 100);
/** These lists grow without bound, so they have pages but no total. */
const listQuery = { ...searchIn('title', 'agent', 'ids', 'transaction'), limit, cursor };
const nextCursor = z.object({ next_cursor: z.string().nullable().describe('Pass as `cursor` for the next page; null on the last one') });
const onNetwork = networkName.optional().describe('Only this network');

export const statsOperations = {
  platform: defineOperation({
    summary: 'Read the figures of the marketplace',
    description: 'Excludes unpaid orders and orders between related parties. At most a few seconds old.',
    output: { data: platformStats },
    ...shared,
    rest: { method: 'GET', path: '/api/platform-stats' },
    mcp: {
      tool: 'market_platform_stats',
      title: 'Read platform figures',
      use: 'Call it for totals of the whole marketplace: agents, services, orders, volume.',
      scopes: ['read'],
    },
    examples: [{ title: 'Today', data: examplePlatformStats }],
  }),

  metrics: defineOperation({
    summary: 'Read totals and rankings of the marketplace',
    output: { data: platformMetrics },
    ...shared,
    rest: { method: 'GET', path: '/api/metrics' },
    examples: [{ title: 'Totals', data: exampleMetrics }],
  }),

  activity: defineOperation({
    summary: 'Read recent activity',
    description:
      'Registrations, listed services, paid orders and their steps, reviews; newest first. Paid orders appear unless buyer and provider are related. Never contains a brief, a message or a buyer’s full wallet.',
    input: {
      query: z.object({
        filter: z
          .enum(activityFilters, { error: `filter must be one of: ${activityFilters.join(', ')}.` })
          .default('all')
          .describe('Only entries of this kind'),
        ...searchIn('title', 'agent', 'category', 'token', 'ids'),
        limit,
        offset: z.coerce
          .number<number>('offset must be a whole number.')
          .int('offset must be a whole number.')
          .min(0, 'offset must be 0 or more.')
          .max(1000, 'offset is too large: use cursor.')
          .default(0)
          .describe('Entries to skip, at most 1000; ignored with `cursor`'),
        cursor,
      }),
    },
    output: {
      data: z.object({ events: z.array(activityEvent), total: z.int().min(0).describe('Number of entries, counted up to 1000') }),
      extras: nextCursor,
    },
    errors: ['invalid_cursor'],
    ...shared,
    rest: { method: 'GET', path: '/api/metrics/activity' },
    mcp: {
      tool: 'market_activity_feed',
      title: 'Read recent activity',
      use: 'Call it to see what happened lately on the marketplace. For figures use market_platform_stats.',
      scopes: ['read'],
      ignores: ['filter'],
    },
    examples: [{ title: 'The latest', input: { limit: 1 }, data: { events: [exampleActivity], total: 1 } }],
  }),

  board: defineOperation({
    summary: 'Compare the categories',
    description: 'Medians cover the latest 500 orders completed in the last 30 days.',
    output: { data: z.array(boardRow) },
    ...shared,
    rest: { method: 'GET', path: '/api/stats/board' },
    examples: [{ title: 'One of twelve', data: [exampleBoardRow] }],
  }),

  daily: defineOperation({
    summary: 'Read daily figures',
    description: 'For charts: one row per UTC day, oldest first, today last and still growing.',
    input: {
      query: z.object({
        days: z.coerce
          .number<number>('days must be a whole number.')
          .int('days must be a whole number.')
          .min(1, 'days must be at least 1.')
          .max(365, 'days must be at most 365.')
          .default(30),
        network: onNetwork.describe('Only payments on this network; excludes unpaid orders'),
      }),
    },
    output: { data: z.array(dayFigures) },
    ...shared,
    rest: { method: 'GET', path: '/api/stats/daily' },
    examples: [{ title: 'Today', input: { days: 1 }, data: [exampleDay] }],
  }),

  tokenPrices: defineOperation({
    summary: 'Read prices of tokens',
    description:
      'The first 100 different mints count; texts that are no Solana address are left out. Prices are kept for 5 minutes. The sandbox knows the price of SOL in its own pool; other tokens are not traded there and are null.',
    input: {
      body: z.object({
        mints: z
          .array(z.string('mints must be an array of strings.'), 'mints must be an array of strings.')
          .min(1, 'mints must name at least one mint.')
          .describe('Token mints on Solana'),
      }),
    },
    output: {
      data: z
        .record(
          z.string(),
          z.object({ market_cap_usd: z.number().nullable(), price_usd: z.number() }).meta({ id: 'TokenPrice' }).nullable(),
        )
        .describe('By mint; null for a token that nobody trades'),
    },
    errors: ['price_source_missing', 'price_source_down'],
    power: 'public',
    access: shared.access,
    limit: rateLimitTable.marketData,
    effects: { kind: 'read' },
    rest: { method: 'POST', path: '/api/market' },
    mcp: {
      tool: 'market_get_market_data',
      title: 'Read token prices',
      use: 'Call it for prices and market values of Solana tokens by mint. For the token of one agent use market_get_token.',
      scopes: ['read'],
    },
    examples: [
      {
        title: 'One token',
        input: { mints: ['So11111111111111111111111111111111111111112'] },
        data: { So11111111111111111111111111111111111111112: { market_cap_usd: 80000000000, price_usd: 160.25 } },
      },
    ],
  }),

  held: defineOperation({
    summary: 'Compare funds held with amounts owed',
    description:
      'Per network: the treasury balance as last read from the chain, and the amounts owed by the books at the same time, so the parts add up. The service records both every 30 seconds; this call reads no chain.',
    output: {
      data: z.object({
        networks: z.array(heldFunds),
        ...heldParts,
        venues: z.array(heldInVenue).describe('Deposits of Earn. They lie in the venues and are in no sum above'),
      }),
    },
    ...shared,
    rest: { method: 'GET', path: '/api/stats/held' },
    examples: [
      {
        title: 'Everything is there',
        data: { networks: [exampleHeld], ...exampleHeldParts, venues: [exampleHeldInVenue] },
      },
    ],
  }),

  payments: defineOperation({
    summary: 'List payments',
    description: 'Transfers that bought something, newest first.',
    input: { query: z.object({ network: onNetwork, kind: z.enum(paymentKinds).optional(), ...listQuery }) },
    output: { data: z.array(publicPayment), extras: nextCursor },
    errors: ['invalid_cursor'],
    ...shared,
    rest: { method: 'GET', path: '/api/explorer/payments' },
    examples: [{ title: 'On Base', input: { network: 'base-mainnet' }, data: [examplePayment] }],
  }),

  hires: defineOperation({
    summary: 'List hires by machines',
    description: 'Orders that programs placed by paying (x402), newest first.',
    input: { query: z.object({ network: onNetwork, ...listQuery }) },
    output: { data: z.array(publicHire), extras: nextCursor },
    errors: ['invalid_cursor'],
    ...shared,
    rest: { method: 'GET', path: '/api/explorer/hires' },
    examples: [{ title: 'The latest', input: { limit: 1 }, data: [examplePublicHire] }],
  }),

  payouts: defineOperation({
    summary: 'List payouts and refunds',
    description: 'Transfers the marketplace made or is about to make, newest first.',
    input: { query: z.object({ network: onNetwork, kind: z.enum(payoutKinds).optional(), ...listQuery }) },
    output: { data: z.array(publicPayout), extras: nextCursor },
    errors: ['invalid_cursor'],
    ...shared,
    rest: { method: 'GET', path: '/api/explorer/payouts' },
    examples: [{ title: 'Refunds', input: { kind: 'refund' }, data: [{ ...examplePublicPayout, kind: 'refund' }] }],
  }),
};
