/** The site's pages and files, and the OpenAPI document. */
import { buildOpenApi } from '@market/contract';
import { type BuiltSite, pagePatterns, type SiteFacts } from '@market/web';
import type { FastifyInstance } from 'fastify';
import { type FinishedAnswer, finishAnswer } from '../ready/finished-answer.ts';
import { useCached } from '../ready/write-cached-response.ts';
import { addAssetRoutes } from './asset-routes.ts';
import { chooseEncoding } from './choose-encoding.ts';
import type { PageLimit } from './page-limit.ts';
import { createPageSender, type PageSenderOptions, type SendPage } from './send-page.ts';

export type PagesOptions = Omit<PageSenderOptions, 'app'> & {
  readonly site: BuiltSite | undefined;
  readonly facts: SiteFacts;
  readonly limit: PageLimit;
};

/** Returns the function that answers people at any other URL with the site's not-found page. */
export function addPages(app: FastifyInstance, options: PagesOptions): SendPage {
  const { serviceName, apiUrl, profile } = options.facts;
  if (options.site === undefined) options.log.warn('the site is not built: pages answer 503. Run "npm run build"');
  const sendPage = createPageSender({ ...options, app });
  for (const pattern of pagePatterns) {
    const readyRoute = { operation: undefined, pattern, isPage: true } as const;
    app.get(pattern, { config: { readyRoute } }, async (request, reply) => {
      if (await options.limit.refuses(request, reply)) return reply;
      if (await options.ready?.begin(request, reply, readyRoute)) return reply;
      return await sendPage(request, reply);
    });
  }
  addAssetRoutes(app, options.site);
  addOpenApi(app, () => buildOpenApi({ title: serviceName, baseUrl: apiUrl, profile }));
  return async (request, reply) => ((await options.limit.refuses(request, reply)) ? reply : await sendPage(request, reply));
}

/**
 * Serves the document. It never changes while the process runs, so it is built at first use, which takes half a second, and compressed
 * once.
 */
function addOpenApi(app: FastifyInstance, build: () => object): void {
  let document: FinishedAnswer | undefined;
  app.get('/api/openapi.json', async ({ headers }, reply) => {
    document ??= finishAnswer({
      status: 200,
      headers: { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'public, max-age=300' },
      body: Buffer.from(JSON.stringify(build())),
      onGrowth: () => {},
    });
    const cached = await document.toward(chooseEncoding(headers['accept-encoding']), headers['if-none-match']);
    return reply.send(useCached(reply, cached));
  });
}
