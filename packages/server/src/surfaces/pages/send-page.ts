/** Renders a page for one visitor and sends it, compressed, under the strict policy. */
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { BuiltSite, SiteFacts, Theme } from '@market/web';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../../platform/clock/clock.ts';
import { type Logger, redactUrl } from '../../platform/telemetry/logger.ts';
import { mayProveSomebody, readCookies } from '../rest/read-credentials.ts';
import { chooseEncoding } from './choose-encoding.ts';
import { contentPolicy } from './content-policy.ts';
import { inProcessFetch } from './in-process-fetch.ts';

export interface PageSenderOptions {
  readonly app: FastifyInstance;
  readonly site: BuiltSite | undefined;
  readonly facts: SiteFacts;
  readonly clock: Clock;
  readonly log: Logger;
  /** Beside ourselves, where scripts of a page may connect to: the sandbox's chains. */
  readonly connectOrigins: readonly string[];
}

export type SendPage = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;

const HTML = 'text/html; charset=utf-8';
const NOT_BUILT = 'The pages of this service are not built. Run "npm run build" and start it again. The API works without them.\n';

export function createPageSender({ app, site, facts, clock, log, connectOrigins }: PageSenderOptions): SendPage {
  const policy = contentPolicy(connectOrigins);
  return async (request, reply) => {
    if (site === undefined) return reply.code(503).type('text/plain; charset=utf-8').send(NOT_BUILT);
    const renderer = await site.loadRenderer();
    const cookies = readCookies(request.headers.cookie);
    const page = await renderer.render({
      url: request.url,
      facts,
      theme: readTheme(cookies.get('theme')),
      mayBeSignedIn: mayProveSomebody(cookies, app.isHttps),
      now: clock.now().getTime(),
      fetch: inProcessFetch(app, request),
      requestId: request.id,
    });
    if (page.kind === 'redirect') return reply.redirect(page.location, page.status);
    if (page.failure !== undefined)
      log.error({ err: page.failure, request_id: request.id, url: redactUrl(request.url) }, 'a page could not be made');
    return sendHtml(request, reply.code(page.status).header('Content-Security-Policy', policy), page.html);
  };
}

async function sendHtml(request: FastifyRequest, reply: FastifyReply, html: string): Promise<FastifyReply> {
  const encoding = chooseEncoding(request.headers['accept-encoding']);
  // A page depends on the visitor and the theme, so browsers must revalidate it. Going back may use the browser's copy.
  reply.type(HTML).header('Cache-Control', 'private, no-cache').header('Vary', 'Cookie, Accept-Encoding');
  if (encoding === undefined) return reply.send(html);
  const content = Buffer.from(html);
  const quick = { params: { [constants.BROTLI_PARAM_QUALITY]: 4, [constants.BROTLI_PARAM_SIZE_HINT]: content.length } };
  const compressed = encoding === 'br' ? await promisify(brotliCompress)(content, quick) : await promisify(gzip)(content, { level: 5 });
  return reply.header('Content-Encoding', encoding).send(compressed);
}

function readTheme(value: string | undefined): Theme | undefined {
  return value === 'light' || value === 'dark' ? value : undefined;
}
