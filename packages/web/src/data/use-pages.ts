/** A list of the API, page by page; live events refresh all loaded pages. */
import type { MarketApiError } from '@market/sdk';
import { useInfiniteQuery } from '@tanstack/react-query';
import { type Answer, type Arguments, type AskName, callOperation, useMarket } from './answers.ts';

/** Operations that answer with `next_cursor`. */
type PagedName = { [N in AskName]: Answer<N> extends { readonly next_cursor: string | null } ? N : never }[AskName];

interface PagesOptions<N extends PagedName> {
  /** Polling interval while the page is visible. */
  readonly everyMs?: (pages: readonly Answer<N>[]) => number | undefined;
}

export function usePages<N extends PagedName>(name: N, args: Arguments<N>, { everyMs }: PagesOptions<N> = {}) {
  const market = useMarket();
  return useInfiniteQuery<Answer<N>, MarketApiError, { readonly pages: readonly Answer<N>[] }, readonly unknown[], string | undefined>({
    // The third element distinguishes this key from that of a single answer.
    queryKey: [name, args, 'pages'],
    initialPageParam: undefined,
    queryFn: ({ pageParam, signal }) =>
      callOperation(market, name, { ...args, ...(pageParam !== undefined && { cursor: pageParam }) } as Arguments<N>, { signal }),
    getNextPageParam: (page) => cursorOf(page),
    ...(everyMs !== undefined && { refetchInterval: ({ state }) => everyMs(state.data?.pages ?? []) ?? false }),
  });
}

function cursorOf(page: object): string | undefined {
  return 'next_cursor' in page && typeof page.next_cursor === 'string' ? page.next_cursor : undefined;
}
