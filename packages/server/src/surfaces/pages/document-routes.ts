/** Documents at well-known URLs: llms.txt, skill.md, sitemap.xml, robots.txt, security.txt, and the keys of our signatures. */
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Clock } from '../../platform/clock/clock.ts';
import type { ReadyRule } from '../ready/ready-operations.ts';
import type { ReadyRoutes } from '../ready/ready-routes.ts';
import { type LlmsTextOptions, renderLlmsText } from './llms-text.ts';
import { renderSitemap, type SitemapPage } from './sitemap.ts';
import { renderSkill } from './skill-text.ts';

export interface DocumentsOptions extends Pick<LlmsTextOptions, 'serviceName' | 'baseUrl' | 'profile' | 'operations'> {
  readonly appUrl: string;
  /** Contact for security reports: a mailto: or https: address. */
  readonly securityContact: string;
  readonly clock: Clock;
  /** Public agents and services, for documents that list them. */
  readonly shown: {
    readonly counts: () => Promise<NonNullable<LlmsTextOptions['counts']>>;
    readonly pages: () => Promise<readonly SitemapPage[]>;
  };
  /** Without it, every request renders its document. */
  readonly ready: ReadyRoutes | undefined;
  /** The DID document; absent if nothing is signed. */
  readonly keys: { readonly path: string; readonly document: object } | undefined;
}

const MCP_PATH = '/mcp';
const FOR_A_DAY = 'public, max-age=86400';
/** RFC 9116 recommends less than a year. */
const SECURITY_TEXT_DAYS = 180;

/** Changes of these tables drop the documents that show them; the counts may lag. */
const shownRule: ReadyRule = {
  tables: ['agents', 'services'],
  maxAge: { ms: 60_000, why: 'documents are counted anew every minute at most' },
};

export function addDocuments(app: FastifyInstance, options: DocumentsOptions): void {
  const { appUrl, keys, securityContact, clock, shown } = options;
  addKept(app, options.ready, '/llms.txt', async () => ({
    type: 'text/plain; charset=utf-8',
    cacheControl: 'public, max-age=3600, stale-while-revalidate=86400',
    text: renderLlmsText({
      ...options,
      counts: await shown.counts(),
      // Read at the request, when every route that may be mentioned is mounted.
      mcpUrl: app.hasRoute({ method: 'POST', url: MCP_PATH }) ? `${appUrl}${MCP_PATH}` : undefined,
      keysUrl: keys === undefined ? undefined : `${options.baseUrl}${keys.path}`,
    }),
  }));
  addKept(app, options.ready, '/skill.md', async () => ({
    type: 'text/markdown; charset=utf-8',
    cacheControl: FOR_A_DAY,
    text: renderSkill(options),
  }));
  addKept(app, options.ready, '/sitemap.xml', async () => ({
    type: 'application/xml; charset=utf-8',
    cacheControl: 'public, max-age=3600',
    text: renderSitemap(appUrl, await shown.pages()),
  }));
  app.get('/robots.txt', async (_request, reply) => plainText(reply, FOR_A_DAY, robotsText(appUrl)));
  app.get('/.well-known/security.txt', async (_request, reply) =>
    plainText(reply, FOR_A_DAY, securityText({ appUrl, contact: securityContact, now: clock.realNow() })),
  );
  if (keys === undefined) return;
  const document = JSON.stringify(keys.document);
  app.get(keys.path, async (_request, reply) =>
    reply.type('application/did+json; charset=utf-8').header('Cache-Control', 'public, max-age=300').send(document),
  );
}

interface MadeDocument {
  readonly type: string;
  readonly cacheControl: string;
  readonly text: string;
}

/** Adds a document that is kept as finished bytes until its data change. */
function addKept(app: FastifyInstance, ready: ReadyRoutes | undefined, pattern: string, make: () => Promise<MadeDocument>): void {
  const readyRoute = { operation: undefined, pattern };
  app.get(pattern, { config: { readyRoute } }, async (request, reply) => {
    // One URL each: a document per query string would count the market each time, and push other answers out of memory.
    if (request.url !== pattern) return await reply.redirect(pattern, 301);
    if (await ready?.begin(request, reply, readyRoute)) return reply;
    const { type, cacheControl, text } = await make();
    ready?.noteRule(request, shownRule);
    return reply.type(type).header('Cache-Control', cacheControl).send(text);
  });
}

function plainText(reply: FastifyReply, cacheControl: string, text: string): FastifyReply {
  return reply.type('text/plain; charset=utf-8').header('Cache-Control', cacheControl).send(text);
}

/** Pages are open to crawlers. Pages of one account and the API are not worth crawling; feeds for machines are. */
function robotsText(appUrl: string): string {
  const closed = ['/api/', '/sandbox/', '/orders', '/account', '/notifications', '/sell', '/build', '/hire/', '/sign-in'];
  return [
    'User-agent: *',
    'Allow: /api/x402/',
    'Allow: /api/openapi.json',
    'Allow: /api/agents/*/agent-card.json',
    'Allow: /api/agents/*/registration.json',
    'Allow: /api/onchain-feedback/',
    ...closed.map((path) => `Disallow: ${path}`),
    '',
    `# For programs: ${appUrl}/llms.txt`,
    `Sitemap: ${appUrl}/sitemap.xml`,
    '',
  ].join('\n');
}

/** The text of RFC 9116. */
function securityText({ appUrl, contact, now }: { readonly appUrl: string; readonly contact: string; readonly now: Date }): string {
  const expires = new Date(now.getTime() + SECURITY_TEXT_DAYS * 86_400_000).toISOString();
  return `Contact: ${contact}\nExpires: ${expires}\nPreferred-Languages: en\nCanonical: ${appUrl}/.well-known/security.txt\n`;
}
