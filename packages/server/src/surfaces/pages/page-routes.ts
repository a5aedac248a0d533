/** Pages and documents made from the operation list: home, the browsable reference, OpenAPI. */
import { buildOpenApi } from '@market/contract';
import { renderHomePage, renderReferencePage, siteIcon } from '@market/web';
import type { FastifyInstance } from 'fastify';
import { sendPage } from './send-page.ts';

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
  app.get('/favicon.svg', async (_request, reply) =>
    reply.type('image/svg+xml').header('Cache-Control', 'public, max-age=86400').send(siteIcon),
  );
  app.get('/api/openapi.json', async (_request, reply) =>
    reply.type('application/json; charset=utf-8').header('Cache-Control', 'public, max-age=300').send(openApi),
  );
}
