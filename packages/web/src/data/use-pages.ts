/** A list of the API, page after page; what is on the screen is kept fresh by live events as a whole. */
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
    // The third part keeps it apart from a single answer to the same question.
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
