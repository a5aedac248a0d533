/** The current page and navigation. Links are plain `<a href>`: one listener turns those within the site into navigation. */
import { useQueryClient } from '@tanstack/react-query';
import { createContext, type ReactNode, startTransition, useCallback, useContext, useEffect, useMemo, useRef, useState } from 'react';
import { useMarket } from '../data/answers.ts';
import { useFacts } from '../data/site-facts.ts';
import { Moved } from '../page.ts';
import { arriveAt } from './arrive.ts';
import { followLinks } from './follow-links.ts';
import { matchRoute } from './match-route.ts';
import { contextOf, loadPage, type PageVisit, titleOf } from './page-visit.ts';

export interface Navigation {
  readonly visit: PageVisit;
  /** True while the next page loads. */
  readonly moving: boolean;
  /** `to`: path, query and hash within the site. */
  navigate(to: string, options?: { readonly replace?: boolean; readonly keepScroll?: boolean }): Promise<void>;
}

const NavigationContext = createContext<Navigation | undefined>(undefined);

export function useNavigation(): Navigation {
  const navigation = useContext(NavigationContext);
  if (navigation === undefined) throw new Error('useNavigation needs a Router above it');
  return navigation;
}

/** A page whose answers take longer is shown with its skeleton. */
const PATIENCE_MS = 350;

export function Router({ first, children }: { readonly first: PageVisit; readonly children: ReactNode }) {
  const facts = useFacts();
  const market = useMarket();
  const queries = useQueryClient();
  const [visit, setVisit] = useState(first);
  const [moving, setMoving] = useState(false);
  const latest = useRef(0);

  const show = useCallback(
    async (url: URL): Promise<boolean> => {
      latest.current += 1;
      const turn = latest.current;
      setMoving(true);
      try {
        const next = await prepare(url, { facts, market, queries });
        if (turn !== latest.current) return false;
        startTransition(() => setVisit(next));
        return true;
      } catch {
        // The files of this version are gone, or the network is: a full load brings the new version or an error page.
        location.assign(url.href);
        return false;
      } finally {
        if (turn === latest.current) setMoving(false);
      }
    },
    [facts, market, queries],
  );

  const navigate = useCallback<Navigation['navigate']>(
    async (to, { replace = false, keepScroll = false } = {}) => {
      const url = new URL(to, location.href);
      const match = matchRoute(url.pathname);
      if (url.origin !== location.origin || match === undefined || match.route.reload === true) return location.assign(url.href);
      const samePage = url.pathname === location.pathname;
      if (!(await show(url))) return;
      history[replace ? 'replaceState' : 'pushState'](null, '', url.href);
      if (!keepScroll) arriveAt(url, samePage);
    },
    [show],
  );

  useEffect(() => followLinks((url) => void navigate(url)), [navigate]);
  useEffect(() => {
    const goBack = () => void show(new URL(location.href));
    addEventListener('popstate', goBack);
    return () => removeEventListener('popstate', goBack);
  }, [show]);
  // Answers may arrive after the page is shown, so its title is updated.
  useEffect(() => {
    const write = () => {
      document.title = titleOf(visit, { facts, market, queries });
    };
    write();
    return queries.getQueryCache().subscribe(write);
  }, [visit, facts, market, queries]);

  const navigation = useMemo(() => ({ visit, moving, navigate }), [visit, moving, navigate]);
  return <NavigationContext value={navigation}>{children}</NavigationContext>;
}

async function prepare(url: URL, surroundings: Parameters<typeof contextOf>[1]): Promise<PageVisit> {
  const match = matchRoute(url.pathname);
  const search = new URLSearchParams(url.search);
  if (match === undefined) return { path: url.pathname, search, params: {}, route: undefined, page: undefined, failure: undefined };
  const page = await loadPage(match.route);
  const visit: PageVisit = { path: url.pathname, search, params: match.params, route: match.route, page, failure: undefined };
  const loading = page.load?.(contextOf(visit, surroundings)) ?? Promise.resolve();
  const moved = await Promise.race([
    loading.then(
      () => undefined,
      (error: unknown) => (error instanceof Moved ? error : undefined),
    ),
    new Promise<undefined>((resolve) => setTimeout(() => resolve(undefined), PATIENCE_MS)),
  ]);
  if (moved === undefined) return visit;
  history.replaceState(null, '', moved.location);
  return await prepare(new URL(moved.location, location.href), surroundings);
}
