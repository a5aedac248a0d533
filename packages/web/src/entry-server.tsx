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
import { contextOf, headOf, loadPage, type PageFailure, type Place, type Surroundings, titleOf } from './router/place.ts';
import type { BuildManifest, RenderedPage, RenderRequest, SiteRenderer } from './site.ts';

/** Pages wait this long for the API; the browser can wait longer by itself. */
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
    const place = await reachPlace(request, surroundings);
    return writePage(place, request, surroundings, manifest);
  } catch (error) {
    if (error instanceof Moved) return { kind: 'redirect', status: error.permanent ? 308 : 302, location: error.location };
    const url = new URL(request.url, 'http://site');
    const match = matchRoute(url.pathname);
    const place: Place = {
      path: url.pathname,
      search: url.searchParams,
      params: match?.params ?? {},
      route: match?.route,
      page: undefined,
      failure: failureOf(error, request),
    };
    const page = writePage(place, request, surroundings, manifest);
    return page.kind === 'page' && page.status >= 500 ? { ...page, failure: error } : page;
  }
}

async function learnWhoIsLooking({ mayBeSignedIn }: RenderRequest, market: MarketClient, queries: QueryClient): Promise<void> {
  if (!mayBeSignedIn) return rememberNobody(queries);
  // Not knowing is a state of its own; the page says so and the browser asks again.
  await queries.prefetchQuery(askOptions(market, 'auth.whoami', {}));
}

async function reachPlace(request: RenderRequest, surroundings: Surroundings): Promise<Place> {
  const url = new URL(request.url, 'http://site');
  const match = matchRoute(url.pathname);
  const base = { path: url.pathname, search: url.searchParams };
  if (match === undefined) return { ...base, params: {}, route: undefined, page: undefined, failure: { status: 404 } };
  const page = await loadPage(match.route);
  const place: Place = { ...base, params: match.params, route: match.route, page, failure: undefined };
  if (match.route.access !== 'public') return place;
  const { market, queries } = surroundings;
  // The footer of every page; its absence is no failure.
  await Promise.all([page.load?.(contextOf(place, surroundings)), queries.prefetchQuery(askOptions(market, 'stats.held', {}))]);
  return place;
}

function failureOf(error: unknown, { requestId }: RenderRequest): PageFailure {
  if (!(error instanceof MarketApiError)) return { status: 500, requestId };
  // What the API finds wrong with an address is, to the visitor, an address that does not exist.
  const status = error.status === 400 || error.status === 404 ? 404 : error.status === 0 ? 503 : error.status;
  return { status, message: error.message, requestId: error.requestId ?? requestId };
}

function writePage(place: Place, request: RenderRequest, surroundings: Surroundings, manifest: BuildManifest): RenderedPage {
  const { facts, theme, now } = request;
  const body = renderToString(<App first={place} surroundings={surroundings} theme={theme} marketTime={{ renderedAt: now, aheadMs: 0 }} />);
  const html = writeDocument({
    body,
    head: headOf(place, surroundings),
    title: titleOf(place, surroundings),
    facts,
    path: place.path,
    theme,
    route: place.route,
    manifest,
    state: { facts, theme, now, failure: place.failure, answers: dehydrate(surroundings.queries) },
  });
  return { kind: 'page', status: place.failure?.status ?? 200, html };
}
