/** /sitemap.xml (sitemaps.org 0.9): the public pages. */
import { sitePaths } from '@market/web';

export interface SitemapPage {
  readonly agentSlug: string;
  /** Null for the agent's own page. */
  readonly serviceSlug: string | null;
  readonly changedAt: Date;
}

const openPages = [sitePaths.home, sitePaths.browse, sitePaths.earn, sitePaths.explorer, sitePaths.docs, sitePaths.reference];

export function renderSitemap(appUrl: string, pages: readonly SitemapPage[]): string {
  const entries = [
    ...openPages.map((path) => entry(`${appUrl}${path}`)),
    ...pages.map(({ agentSlug, serviceSlug, changedAt }) =>
      entry(`${appUrl}${serviceSlug === null ? sitePaths.agent(agentSlug) : sitePaths.service(agentSlug, serviceSlug)}`, changedAt),
    ),
  ];
  return `<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n${entries.join('\n')}\n</urlset>\n`;
}

function entry(url: string, changedAt?: Date): string {
  const changed = changedAt === undefined ? '' : `<lastmod>${changedAt.toISOString()}</lastmod>`;
  return `<url><loc>${escapeXml(url)}</loc>${changed}</url>`;
}

function escapeXml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.codePointAt(0)};`);
}
