/** The site's pages and files, and the document made from the operation list. */
import { buildOpenApi } from '@market/contract';
import { type BuiltSite, pagePatterns, type SiteFacts } from '@market/web';
import type { FastifyInstance } from 'fastify';
import { addAssetRoutes } from './asset-routes.ts';
import type { PageLimit } from './page-limit.ts';
import { createPageSender, type PageSenderOptions, type SendPage } from './send-page.ts';

export type PagesOptions = Omit<PageSenderOptions, 'app'> & {
  readonly site: BuiltSite | undefined;
  readonly facts: SiteFacts;
  readonly limit: PageLimit;
};

/** Returns how any other address is answered to a person: with the site's own page for what is not there. */
export function addPages(app: FastifyInstance, options: PagesOptions): SendPage {
  const { serviceName, apiUrl, profile } = options.facts;
  if (options.site === undefined) options.log.warn('the site is not built: pages answer 503. Run "npm run build"');
  // Building it takes half a second, so build it on first use.
  let openApi: string | undefined;
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
  app.get('/api/openapi.json', async (_request, reply) => {
    openApi ??= JSON.stringify(buildOpenApi({ title: serviceName, baseUrl: apiUrl, profile }));
    return reply.type('application/json; charset=utf-8').header('Cache-Control', 'public, max-age=300').send(openApi);
  });
  return async (request, reply) => ((await options.limit.refuses(request, reply)) ? reply : await sendPage(request, reply));
}
