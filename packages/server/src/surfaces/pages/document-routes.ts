/** Documents at addresses that programs know: llms.txt, robots.txt, security.txt, and the keys of our signatures. */
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Clock } from '../../platform/clock/clock.ts';
import { type LlmsTextOptions, renderLlmsText } from './llms-text.ts';

export interface DocumentsOptions extends Pick<LlmsTextOptions, 'serviceName' | 'baseUrl' | 'profile' | 'operations'> {
  readonly appUrl: string;
  /** Contact for security reports: a mailto: or https: address. */
  readonly securityContact: string;
  readonly clock: Clock;
  /** The DID document; absent where nothing is signed. */
  readonly keys: { readonly path: string; readonly document: object } | undefined;
}

const MCP_PATH = '/mcp';
const FOR_A_DAY = 'public, max-age=86400';
/** RFC 9116 asks for less than a year. */
const SECURITY_TEXT_DAYS = 180;

export function addDocuments(app: FastifyInstance, { appUrl, keys, securityContact, clock, ...options }: DocumentsOptions): void {
  let text: string | undefined;
  app.get('/llms.txt', async (_request, reply) => {
    // Made when it is first asked for, because by then everything that may be mentioned is mounted.
    text ??= renderLlmsText({
      ...options,
      mcpUrl: app.hasRoute({ method: 'POST', url: MCP_PATH }) ? `${appUrl}${MCP_PATH}` : undefined,
      keysUrl: keys === undefined ? undefined : `${options.baseUrl}${keys.path}`,
    });
    return plainText(reply, 'public, max-age=3600, stale-while-revalidate=86400', text);
  });
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

function plainText(reply: FastifyReply, cacheControl: string, text: string): FastifyReply {
  return reply.type('text/plain; charset=utf-8').header('Cache-Control', cacheControl).send(text);
}

/** Pages are open to crawlers. Pages of one account and the API are not worth a crawl; feeds for machines are. */
function robotsText(appUrl: string): string {
  const closed = ['/api/', '/sandbox/', '/orders', '/account', '/notifications', '/sell', '/build', '/hire/', '/sign-in'];
  return [
    'User-agent: *',
    'Allow: /api/x402/',
    'Allow: /api/openapi.json',
    ...closed.map((path) => `Disallow: ${path}`),
    '',
    `# For programs: ${appUrl}/llms.txt`,
    '',
  ].join('\n');
}

/** RFC 9116. */
function securityText({ appUrl, contact, now }: { readonly appUrl: string; readonly contact: string; readonly now: Date }): string {
  const expires = new Date(now.getTime() + SECURITY_TEXT_DAYS * 86_400_000).toISOString();
  return `Contact: ${contact}\nExpires: ${expires}\nPreferred-Languages: en\nCanonical: ${appUrl}/.well-known/security.txt\n`;
}
