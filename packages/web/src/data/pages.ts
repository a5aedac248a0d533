/** A list read page after page; what is on the screen is kept fresh by live events as a whole. */
import type { MarketApiError } from '@market/sdk';
import { useInfiniteQuery } from '@tanstack/react-query';
import { type Answer, type Arguments, type AskName, callOperation, useMarket } from './answers.ts';

interface LeadsOn {
  readonly next_cursor: string | null;
}

/** Operations that lead on by cursor. */
type PagedName = { [N in AskName]: Answer<N> extends LeadsOn ? N : never }[AskName];
type Page<N extends PagedName> = Answer<N> & LeadsOn;

export function usePages<N extends PagedName>(name: N, args: Arguments<N>, limit: number) {
  const market = useMarket();
  return useInfiniteQuery<Page<N>, MarketApiError, { readonly pages: readonly Page<N>[] }, readonly unknown[], string | undefined>({
    // The third part keeps it apart from a single answer to the same question.
    queryKey: [name, args, 'pages'],
    initialPageParam: undefined,
    queryFn: ({ pageParam, signal }) => {
      const asked = { ...args, limit, ...(pageParam !== undefined && { cursor: pageParam }) } as Arguments<N>;
      return callOperation(market, name, asked, { signal }) as Promise<Page<N>>;
    },
    getNextPageParam: ({ next_cursor }) => next_cursor ?? undefined,
  });
}
