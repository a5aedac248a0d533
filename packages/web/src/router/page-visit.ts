/** One visit of a page: its URL, its route, and the loaded page or the reason why there is none. */
import type { MarketClient } from '@market/sdk';
import type { QueryClient } from '@tanstack/react-query';
import { type Answer, type Arguments, type AskName, askOptions, keyOf } from '../data/answers.ts';
import type { PageContext, PageDefinition, PageHead } from '../page.ts';
import type { Route } from '../routes.ts';
import type { SiteFacts } from '../site.ts';
import { words } from '../words.ts';

/** Why another page is shown instead. */
export interface PageFailure {
  readonly status: number;
  readonly message?: string | undefined;
  readonly requestId?: string | undefined;
}

export interface PageVisit {
  readonly path: string;
  readonly search: URLSearchParams;
  readonly params: Readonly<Record<string, string>>;
  readonly route: Route | undefined;
  readonly page: PageDefinition | undefined;
  readonly failure: PageFailure | undefined;
}

export interface Surroundings {
  readonly facts: SiteFacts;
  readonly market: MarketClient;
  readonly queries: QueryClient;
}

/** All page files; the build makes one chunk of each. */
const pageModules = import.meta.glob<{ readonly page: PageDefinition }>('../pages/**/*-page.tsx');

export async function loadPage({ page }: Route): Promise<PageDefinition> {
  const load = pageModules[`../pages/${page}.tsx`];
  if (load === undefined) throw new Error(`pages/${page}.tsx does not exist`);
  return (await load()).page;
}

export function contextOf({ params, search }: PageVisit, { facts, market, queries }: Surroundings): PageContext {
  return {
    params,
    search,
    facts,
    queries,
    ask: <N extends AskName>(name: N, args: Arguments<N>) => queries.ensureQueryData(askOptions(market, name, args)) as Promise<Answer<N>>,
    known: <N extends AskName>(name: N, args: Arguments<N>) => queries.getQueryData<Answer<N>>(keyOf(name, args)),
  };
}

export function headOf(visit: PageVisit, surroundings: Surroundings): PageHead {
  if (visit.failure !== undefined) return visit.failure.status === 404 ? words.notFoundHead : words.failedHead;
  return visit.page?.head(contextOf(visit, surroundings)) ?? words.notFoundHead;
}

export function titleOf(visit: PageVisit, surroundings: Surroundings): string {
  const { title } = headOf(visit, surroundings);
  const { serviceName } = surroundings.facts;
  return title.includes(serviceName) ? title : `${title} | ${serviceName}`;
}
