/** Renders a page for one visitor and sends it compressed, with the strict content security policy. */
import { PassThrough } from 'node:stream';
import { type BuiltSite, pageAddress, type RenderedPage, type SiteFacts } from '@market/web';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../../platform/clock/clock.ts';
import { type Logger, redactUrl } from '../../platform/telemetry/logger.ts';
import { compress, createCompressor } from '../ready/compress.ts';
import { collectParts } from '../ready/page-parts.ts';
import type { ReadyRoutes } from '../ready/ready-routes.ts';
import { mayProveSomebody, readCookies } from '../rest/read-credentials.ts';
import { chooseEncoding } from './choose-encoding.ts';
import { contentPolicy } from './content-policy.ts';
import { inProcessFetch } from './in-process-fetch.ts';
import { readTheme } from './theme.ts';

export interface PageSenderOptions {
  readonly app: FastifyInstance;
  readonly site: BuiltSite | undefined;
  readonly facts: SiteFacts;
  readonly clock: Clock;
  readonly log: Logger;
  /** Origins, beside our own, where scripts of a page may connect: the sandbox's chains. */
  readonly connectOrigins: readonly string[];
  /** Without it, every request renders its page. */
  readonly ready?: ReadyRoutes | undefined;
}

export type SendPage = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;

const HTML = 'text/html; charset=utf-8';
const NOT_BUILT = 'The pages of this service are not built. Run "npm run build" and start it again. The API works without them.\n';

export function createPageSender({ app, site, facts, clock, log, connectOrigins, ready }: PageSenderOptions): SendPage {
  const policy = contentPolicy(connectOrigins);
  return async (request, reply) => {
    if (site === undefined) return reply.code(503).type('text/plain; charset=utf-8').send(NOT_BUILT);
    const renderer = await site.loadRenderer();
    const cookies = readCookies(request.headers.cookie);
    const { made: page, rule } = await collectParts(() =>
      renderer.render({
        // Others see a kept page, so drop the parts of the URL that the page does not read.
        url: pageAddress(request.url),
        facts,
        theme: readTheme(cookies.get('theme')),
        mayBeSignedIn: mayProveSomebody(cookies, app.isHttps),
        now: clock.now().getTime(),
        fetch: inProcessFetch(app, request),
        requestId: request.id,
      }),
    );
    ready?.noteRule(request, rule);
    if (page.kind === 'redirect') return reply.redirect(page.location, page.status);
    const note = ({ failure }: { readonly failure?: unknown }): void => {
      if (failure !== undefined)
        log.error({ err: failure, request_id: request.id, url: redactUrl(request.url) }, 'a page could not be made');
    };
    reply.code(page.status).header('Content-Security-Policy', policy).type(HTML);
    // A page depends on visitor and theme, so browsers must revalidate it. Going back may use the browser's copy.
    reply.header('Cache-Control', 'private, no-cache').header('Vary', 'Cookie, Accept-Encoding');
    if (page.kind === 'begun') {
      page.rest.then(note, (failure: unknown) => note({ failure }));
      return sendInParts(request, reply, page);
    }
    note(page);
    // A kept page is compressed only once, when it is stored.
    return ready?.isMaking(request) ? reply.send(page.html) : sendCompressed(request, reply, page.html);
  };
}

async function sendCompressed(request: FastifyRequest, reply: FastifyReply, html: string): Promise<FastifyReply> {
  const encoding = chooseEncoding(request.headers['accept-encoding']);
  if (encoding === undefined) return reply.send(html);
  return reply.header('Content-Encoding', encoding).send(await compress(Buffer.from(html), encoding));
}

/** Sends the head at once, so that the browser fetches styles and scripts while the rest is rendered. */
function sendInParts(request: FastifyRequest, reply: FastifyReply, { html, rest }: Extract<RenderedPage, { kind: 'begun' }>): FastifyReply {
  const encoding = chooseEncoding(request.headers['accept-encoding']);
  const compressor = encoding && createCompressor(encoding);
  const stream = compressor ?? new PassThrough();
  stream.write(html);
  compressor?.flush();
  rest.then(
    (last) => stream.end(last.html),
    (error: unknown) => stream.destroy(error as Error),
  );
  if (encoding !== undefined) reply.header('Content-Encoding', encoding);
  return reply.send(stream);
}
