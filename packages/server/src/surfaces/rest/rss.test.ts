import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonFeed } from '@market/contract';
import { toRss } from './rss.ts';

function feedOf(title: string, text: string): JsonFeed {
  const url = 'https://market.example/bounties/bnty_1700000000000_k3v9x1q7a';
  return {
    version: 'https://jsonfeed.org/version/1.1',
    title: "Ann's market",
    home_page_url: 'https://market.example/bounties?a=1&b=2',
    feed_url: 'https://market.example/feeds/bounties.json',
    description: 'Tasks.',
    language: 'en',
    items: [
      {
        id: url,
        url,
        title,
        content_text: text,
        date_published: '2026-11-15T14:05:00.000Z',
        tags: ['seo'],
        _bounty: {
          bounty_id: 'bnty_1700000000000_k3v9x1q7a',
          category: 'seo',
          claim_stake_usd: '0.00',
          budget_usd: '60.00',
          deadline_hours: 48,
          expires_at: '2026-11-16T14:05:00.000Z',
        },
      },
    ],
  };
}

test('I10: an RSS feed omits characters that XML forbids, and escapes quotes and brackets', () => {
  const rss = toRss(
    feedOf('A\u0000\u0008\ufffe\ud800 "title" <b>', 'One\u000b\ntwo & </description>'),
    'https://market.example/feeds/bounties.xml',
  );
  assert.match(rss, /<title>A &quot;title&quot; &amp;lt;b&amp;gt;<\/title>/);
  assert.match(rss, /<description>&lt;p&gt;One&lt;br&gt;two &amp;amp; &amp;lt;\/description&amp;gt;&lt;\/p&gt;/);
  assert.match(rss, /<title>Ann&apos;s market<\/title><link>https:\/\/market\.example\/bounties\?a=1&amp;b=2<\/link>/);
  assert.match(rss, /<pubDate>Sun, 15 Nov 2026 14:05:00 GMT<\/pubDate>/);
});
