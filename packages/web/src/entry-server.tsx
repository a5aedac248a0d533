/** The server's side: one request becomes one page, with the answers it was made from inside for the browser to go on with. */
import { createMarketClient, MarketApiError, type MarketClient } from '@market/sdk';
import { dehydrate, type QueryClient } from '@tanstack/react-query';
import { renderToString } from 'react-dom/server';
import { App } from './app.tsx';
import { askOptions } from './data/answers.ts';
import { createQueries } from './data/create-queries.ts';
import { rememberNobody } from './data/session.ts';
import { writeDocument } from './document.ts';
import { Moved } from './page.ts';
import { matchRoute } from './router/match-route.ts';
import { contextOf, headOf, loadPage, type PageFailure, type PageVisit, type Surroundings, titleOf } from './router/page-visit.ts';
import type { BuildManifest, RenderedPage, RenderRequest, SiteRenderer } from './site.ts';

/** The server waits this long for the API; the browser can wait longer. */
const API_PATIENCE_MS = 5_000;

export function createRenderer(manifest: BuildManifest): SiteRenderer {
  return { render: (request) => renderRequest(request, manifest) };
}

async function renderRequest(request: RenderRequest, manifest: BuildManifest): Promise<RenderedPage> {
  const { facts } = request;
  const market = createMarketClient({ baseUrl: facts.apiUrl, fetch: request.fetch, retries: 0, timeoutMs: API_PATIENCE_MS });
  const surroundings: Surroundings = { facts, market, queries: createQueries() };
  await learnWhoIsLooking(request, market, surroundings.queries);
  try {
    const visit = await reachPage(request, surroundings);
    return writePage(visit, request, surroundings, manifest);
  } catch (error) {
    if (error instanceof Moved) return { kind: 'redirect', status: error.permanent ? 308 : 302, location: error.location };
    const url = new URL(request.url, 'http://site');
    const match = matchRoute(url.pathname);
    const visit: PageVisit = {
      path: url.pathname,
      search: url.searchParams,
      params: match?.params ?? {},
      route: match?.route,
      page: undefined,
      failure: failureOf(error, request),
    };
    const page = writePage(visit, request, surroundings, manifest);
    return page.kind === 'page' && page.status >= 500 ? { ...page, failure: error } : page;
  }
}

async function learnWhoIsLooking({ mayBeSignedIn }: RenderRequest, market: MarketClient, queries: QueryClient): Promise<void> {
  if (!mayBeSignedIn) return rememberNobody(queries);
  // Not knowing is a state of its own; the page says so and the browser asks again.
  await queries.prefetchQuery(askOptions(market, 'auth.whoami', {}));
}

async function reachPage(request: RenderRequest, surroundings: Surroundings): Promise<PageVisit> {
  const url = new URL(request.url, 'http://site');
  const match = matchRoute(url.pathname);
  const base = { path: url.pathname, search: url.searchParams };
  if (match === undefined) return { ...base, params: {}, route: undefined, page: undefined, failure: { status: 404 } };
  const page = await loadPage(match.route);
  const visit: PageVisit = { ...base, params: match.params, route: match.route, page, failure: undefined };
  if (match.route.access !== 'public') return visit;
  const { market, queries } = surroundings;
  // The footer of every page; its absence is no failure.
  await Promise.all([page.load?.(contextOf(visit, surroundings)), queries.prefetchQuery(askOptions(market, 'stats.held', {}))]);
  return visit;
}

function failureOf(error: unknown, { requestId }: RenderRequest): PageFailure {
  if (!(error instanceof MarketApiError)) return { status: 500, requestId };
  // What the API finds wrong with an address is, to the visitor, an address that does not exist.
  const status = error.status === 400 || error.status === 404 ? 404 : error.status === 0 ? 503 : error.status;
  return { status, message: error.message, requestId: error.requestId ?? requestId };
}

function writePage(visit: PageVisit, request: RenderRequest, surroundings: Surroundings, manifest: BuildManifest): RenderedPage {
  const { facts, theme, now } = request;
  const body = renderToString(<App first={visit} surroundings={surroundings} theme={theme} marketTime={{ renderedAt: now, aheadMs: 0 }} />);
  const html = writeDocument({
    body,
    head: headOf(visit, surroundings),
    title: titleOf(visit, surroundings),
    facts,
    path: visit.path,
    theme,
    route: visit.route,
    manifest,
    state: { facts, theme, now, failure: visit.failure, answers: dehydrate(surroundings.queries) },
  });
  return { kind: 'page', status: visit.failure?.status ?? 200, html };
}
