/** A JSON Feed as RSS 2.0. Titles and texts come from strangers, and must stay text in every reader. */
import type { JsonFeed } from '@market/contract';

export const RSS_TYPE = 'application/rss+xml; charset=utf-8';

export function toRss(feed: JsonFeed, selfUrl: string): string {
  const items = feed.items.map(
    (item) =>
      `<item><title>${title(item.title)}</title><link>${xml(item.url)}</link><guid isPermaLink="true">${xml(item.id)}</guid>` +
      `<pubDate>${rfc822(item.date_published)}</pubDate>${item.tags.map((tag) => `<category>${xml(tag)}</category>`).join('')}` +
      `<description>${xml(describe(item))}</description></item>`,
  );
  return (
    '<?xml version="1.0" encoding="UTF-8"?>\n<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom"><channel>' +
    `<title>${title(feed.title)}</title><link>${xml(feed.home_page_url)}</link><description>${xml(feed.description)}</description>` +
    `<language>${xml(feed.language)}</language><atom:link rel="self" type="application/rss+xml" href="${xml(selfUrl)}"/>` +
    `${items.join('\n')}</channel></rss>\n`
  );
}

/** Feed readers treat a description as HTML. */
function describe({ content_text: text, _bounty: facts }: JsonFeed['items'][number]): string {
  const lines = text.split('\n').map(html).join('<br>');
  return `<p>${lines}</p><p>${html(`Pays ${facts.budget_usd} USDC. Claim until ${facts.expires_at}; deliver within ${facts.deadline_hours} hours.`)}</p>`;
}

/** Some readers treat a title as HTML, others as text. Angle brackets are escaped for both; an ampersand is harmless in either. */
function title(text: string): string {
  return xml(text.replaceAll('<', '&lt;').replaceAll('>', '&gt;'));
}

function html(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}

/** XML 1.0 forbids other control characters and lone surrogates, even escaped. */
const notXml = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;

function xml(text: string): string {
  return html(text.replaceAll(notXml, '')).replaceAll("'", '&apos;').replaceAll('\r', '&#13;');
}

function rfc822(iso: string): string {
  return new Date(iso).toUTCString();
}
