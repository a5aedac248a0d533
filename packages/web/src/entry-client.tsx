/** Entry point in the browser: takes over the page that the server rendered. */
import '@fontsource-variable/schibsted-grotesk/index.css';
import '@fontsource-variable/spline-sans-mono/index.css';
import './design/tokens.css';
import './design/base.css';
import { createMarketClient } from '@market/sdk';
import { hydrate } from '@tanstack/react-query';
import { hydrateRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { createQueries } from './data/create-queries.ts';
import { matchRoute } from './router/match-route.ts';
import { loadPage, type PageVisit } from './router/page-visit.ts';
import type { PageState } from './state.ts';

async function start(): Promise<void> {
  const root = document.getElementById('root');
  const written = document.getElementById('state')?.textContent;
  if (root === null || written == null) return;
  const state = JSON.parse(written) as PageState;
  const { facts, theme, now, failure } = state;
  const queries = createQueries();
  hydrate(queries, state.answers);
  const market = createMarketClient({ baseUrl: location.origin, fetch: (...request) => fetch(...request) });
  const match = matchRoute(location.pathname);
  const visit: PageVisit = {
    path: location.pathname,
    search: new URLSearchParams(location.search),
    params: match?.params ?? {},
    route: match?.route,
    page: match === undefined || failure !== undefined ? undefined : await loadPage(match.route),
    failure,
  };
  const marketTime = { renderedAt: now, aheadMs: now - Date.now() };
  hydrateRoot(root, <App first={visit} surroundings={{ facts, market, queries }} theme={theme} marketTime={marketTime} />);
  document.documentElement.dataset['ready'] = '';
}

void start();
