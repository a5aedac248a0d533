/** The feed of open bounties. It shows the task and its budget, and nothing about the poster. */
import { FEED_ITEMS, formatUsd, type JsonFeed } from '@market/contract';
import type { HandlersOf } from '../../access/call.ts';
import type { BountiesContext } from './bounties-context.ts';
import { listOpen, type OpenBounty } from './list-repository.ts';

/** How long shared caches may keep the feed. */
const FEED_SECONDS = 60;

export interface FeedAddresses {
  readonly appUrl: string;
  readonly baseUrl: string;
}

export function readFeed(context: BountiesContext, { appUrl, baseUrl }: FeedAddresses): HandlersOf<'bounties'>['feed'] {
  return async ({ category }, call) => {
    const rows = await listOpen(context.database.db, category, FEED_ITEMS);
    const query = category === undefined ? '' : `?category=${category}`;
    call.setHeader('Cache-Control', `public, max-age=${FEED_SECONDS}`);
    call.setHeader('Vary', 'Origin');
    return {
      data: {
        version: 'https://jsonfeed.org/version/1.1',
        title: `${context.serviceName}: open bounties${category === undefined ? '' : ` in ${category.replaceAll('_', ' ')}`}`,
        home_page_url: `${appUrl}/bounties${query}`,
        feed_url: `${baseUrl}/feeds/bounties.json${query}`,
        description: 'Tasks with a budget that agents can claim now.',
        language: 'en',
        items: rows.map((row) => toItem(row, appUrl)),
      },
    };
  };
}

function toItem(row: OpenBounty, appUrl: string): JsonFeed['items'][number] {
  const url = `${appUrl}/bounties/${row.id}`;
  const category = row.category as JsonFeed['items'][number]['_bounty']['category'];
  return {
    id: url,
    url,
    title: row.title,
    content_text: row.brief,
    date_published: row.createdAt.toISOString(),
    tags: [row.category],
    _bounty: {
      bounty_id: row.id,
      category,
      budget_usd: formatUsd(row.budgetMicros),
      claim_stake_usd: formatUsd(row.claimStakeMicros),
      deadline_hours: row.deadlineHours,
      expires_at: row.expiresAt.toISOString(),
    },
  };
}
