/** Pages and documents made from the operation list: home, the browsable reference, OpenAPI. */
import { createHash } from 'node:crypto';
import { buildOpenApi } from '@market/contract';
import { type Page, renderHomePage, renderReferencePage } from '@market/web';
import type { FastifyInstance, FastifyReply } from 'fastify';

export interface PagesOptions {
  readonly serviceName: string;
  readonly baseUrl: string;
  readonly profile: 'sandbox' | 'production';
}

export function addPages(app: FastifyInstance, { serviceName, baseUrl, profile }: PagesOptions): void {
  // None of these changes while the process lives, so each is made once.
  const openApi = JSON.stringify(buildOpenApi({ title: serviceName, baseUrl, profile }));
  const home = renderHomePage({ serviceName, baseUrl, profile });
  const reference = renderReferencePage({ serviceName, baseUrl, profile });

  app.get('/', async (_request, reply) => await sendPage(reply, home));
  app.get('/reference', async (_request, reply) => await sendPage(reply, reference));
  app.get('/api/openapi.json', async (_request, reply) =>
    reply.type('application/json; charset=utf-8').header('Cache-Control', 'public, max-age=300').send(openApi),
  );
}

export function sendPage(reply: FastifyReply, page: Page): FastifyReply {
  return reply
    .type('text/html; charset=utf-8')
    .header('Content-Security-Policy', contentSecurityPolicy(page))
    .header('Cache-Control', 'public, max-age=60')
    .send(page.html);
}

/** Only the scripts and styles that the page was made with may run. */
function contentSecurityPolicy({ inlineScripts, inlineStyles }: Page): string {
  const hashes = (texts: readonly string[]): string =>
    texts.length === 0 ? "'none'" : texts.map((text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`).join(' ');
  return [
    "default-src 'none'",
    `script-src ${hashes(inlineScripts)}`,
    `style-src ${hashes(inlineStyles)}`,
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ');
}
