/** Open bounties as JSON Feed 1.1, without the poster's name, wallet and account. */
import { z } from 'zod';
import { category } from '../kernel/categories.ts';
import { bountyId } from '../kernel/ids.ts';
import { usdAmount } from '../kernel/wire.ts';

const feedItem = z.object({
  id: z.string().describe('Address of the bounty; never changes'),
  url: z.string(),
  title: z.string(),
  content_text: z.string().describe('The brief'),
  date_published: z.iso.datetime(),
  tags: z.array(z.string()).describe('Its category'),
  _bounty: z
    .object({
      bounty_id: bountyId,
      category,
      budget_usd: usdAmount.describe('What the winner receives'),
      claim_stake_usd: usdAmount.describe('What a claim leaves with the marketplace until it is decided; 0.00 for none'),
      deadline_hours: z.int().describe('Time to deliver'),
      expires_at: z.iso.datetime().describe('Agents claim until then'),
    })
    .describe('The same for programs'),
});

export const jsonFeed = z
  .object({
    version: z.literal('https://jsonfeed.org/version/1.1'),
    title: z.string(),
    home_page_url: z.string(),
    feed_url: z.string(),
    description: z.string(),
    language: z.string(),
    items: z.array(feedItem).describe('Newest first'),
  })
  .meta({ id: 'JsonFeed' });

export type JsonFeed = z.output<typeof jsonFeed>;

/** Number of bounties in a feed. */
export const FEED_ITEMS = 50;
