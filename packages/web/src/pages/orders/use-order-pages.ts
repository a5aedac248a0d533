/** A list of orders, page after page; what is on the screen is kept fresh by live events as a whole. */
import type { MarketApiError } from '@market/sdk';
import { useInfiniteQuery } from '@tanstack/react-query';
import { type Answer, callOperation, useMarket } from '../../data/answers.ts';
import type { ListQuestion } from './order-groups.ts';

type ListPage = Answer<'orders.list'>;

export function useOrderPages(question: ListQuestion, limit: number) {
  const market = useMarket();
  return useInfiniteQuery<ListPage, MarketApiError, { readonly pages: readonly ListPage[] }, readonly unknown[], string | undefined>({
    // The third part keeps it apart from a single answer to the same question.
    queryKey: ['orders.list', question, 'pages'],
    initialPageParam: undefined,
    queryFn: ({ pageParam, signal }) =>
      callOperation(market, 'orders.list', { ...question, limit, ...(pageParam !== undefined && { cursor: pageParam }) }, { signal }),
    getNextPageParam: ({ next_cursor }) => next_cursor ?? undefined,
  });
}
