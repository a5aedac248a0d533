/** Entry point on the server: renders a request as a page that contains the API's answers, from which the browser continues. */
import { createMarketClient, MarketApiError, type MarketClient } from '@market/sdk';
import { dehydrate, type QueryClient } from '@tanstack/react-query';
import { renderToString } from 'react-dom/server';
import { App } from './app.tsx';
import { askOptions } from './data/answers.ts';
import { createQueries } from './data/create-queries.ts';
import { rememberNobody } from './data/session.ts';
import { beginDocument, type DocumentBody, type DocumentHead, endDocument } from './document.ts';
import { Moved } from './page.ts';
import { matchRoute } from './router/match-route.ts';
import { contextOf, headOf, loadPage, type PageFailure, type PageVisit, type Surroundings, titleOf } from './router/page-visit.ts';
import type { BuildManifest, RenderedPage, RenderRequest, RestOfPage, SiteRenderer } from './site.ts';

/** The server waits this long for the API; the browser can wait longer. */
const API_PATIENCE_MS = 5_000;

export function createRenderer(manifest: BuildManifest): SiteRenderer {
  return { render: (request) => renderRequest(request, manifest) };
}

async function renderRequest(request: RenderRequest, manifest: BuildManifest): Promise<RenderedPage> {
  const { facts } = request;
  const market = createMarketClient({ baseUrl: facts.apiUrl, fetch: request.fetch, retries: 0, timeoutMs: API_PATIENCE_MS });
  const surroundings: Surroundings = { facts, market, queries: createQueries() };
  const making: Making = { request, surroundings, manifest };
  // Never fails. The page's own answers need not wait for it.
  const known = learnWhoIsLooking(request, market, surroundings.queries);
  try {
    const visit = await reachPage(request, surroundings);
    if (request.mayBeSignedIn && visit.route !== undefined && visit.route.access !== 'public') return beginPage(visit, making, known);
    await known;
    return writePage(visit, making);
  } catch (error) {
    if (error instanceof Moved) return { kind: 'redirect', status: error.permanent ? 308 : 302, location: error.location };
    await known;
    const page = writePage(failedVisit(error, request), making);
    return page.kind === 'page' && page.status >= 500 ? { ...page, failure: error } : page;
  }
}

function failedVisit(error: unknown, request: RenderRequest): PageVisit {
  const url = new URL(request.url, 'http://site');
  const match = matchRoute(url.pathname);
  return {
    path: url.pathname,
    search: url.searchParams,
    params: match?.params ?? {},
    route: match?.route,
    page: undefined,
    failure: failureOf(error, request),
  };
}

async function learnWhoIsLooking({ mayBeSignedIn }: RenderRequest, market: MarketClient, queries: QueryClient): Promise<void> {
  if (!mayBeSignedIn) return rememberNobody(queries);
  // A failed lookup of the visitor is no error of the page: the page says so, and the browser asks again.
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
  // Data of the footer on every page; a failure of it does not fail the page.
  await Promise.all([page.load?.(contextOf(visit, surroundings)), queries.prefetchQuery(askOptions(market, 'stats.held', {}))]);
  return visit;
}

function failureOf(error: unknown, { requestId }: RenderRequest): PageFailure {
  if (!(error instanceof MarketApiError)) return { status: 500, requestId };
  // An argument in the URL that the API refuses means, for the visitor, a page that does not exist.
  const status = error.status === 400 || error.status === 404 ? 404 : error.status === 0 ? 503 : error.status;
  return { status, message: error.message, requestId: error.requestId ?? requestId };
}

interface Making {
  readonly request: RenderRequest;
  readonly surroundings: Surroundings;
  readonly manifest: BuildManifest;
}

function writePage(visit: PageVisit, making: Making): RenderedPage {
  const html = beginDocument(headParts(visit, making)) + endDocument(bodyParts(visit, making));
  return { kind: 'page', status: visit.failure?.status ?? 200, html };
}

/** The URL alone decides status and head of a signed-in page; the browser fetches its contents. */
function beginPage(visit: PageVisit, making: Making, known: Promise<void>): RenderedPage {
  const finish = async (): Promise<RestOfPage> => {
    await known;
    try {
      return { html: endDocument(bodyParts(visit, making)) };
    } catch (error) {
      // The visitor’s own data may be the cause, so render without it.
      rememberNobody(making.surroundings.queries);
      return { html: endDocument(bodyParts(failedVisit(error, making.request), making)), failure: error };
    }
  };
  return { kind: 'begun', status: 200, html: beginDocument(headParts(visit, making)), rest: finish() };
}

function headParts(visit: PageVisit, { request: { facts, theme }, surroundings, manifest }: Making): DocumentHead {
  const [head, title] = [headOf(visit, surroundings), titleOf(visit, surroundings)];
  return { head, title, facts, path: visit.path, theme, route: visit.route, manifest };
}

function bodyParts(visit: PageVisit, { request: { facts, theme, now }, surroundings }: Making): DocumentBody {
  const body = renderToString(<App first={visit} surroundings={surroundings} theme={theme} marketTime={{ renderedAt: now, aheadMs: 0 }} />);
  return { body, state: { facts, theme, now, failure: visit.failure, answers: dehydrate(surroundings.queries) } };
}
