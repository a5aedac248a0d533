/** The delivery log, refetched while a delivery is under way. */
import type { MarketApiError } from '@market/sdk';
import { type UseQueryResult, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { type Answer, askOptions, callOperation, useMarket } from '../../../data/answers.ts';
import { type DeliveryState, isUnderWay } from './delivery-words.ts';

type ListPage = Answer<'webhooks.list'>;
interface Pages {
  readonly pages: readonly ListPage[];
}

const UNDER_WAY_MS = 1_500;
const QUIET_MS = 15_000;

export function useDeliveries(agent: string, state: DeliveryState | undefined) {
  const market = useMarket();
  const filter = { id: agent, ...(state !== undefined && { state }) };
  return useInfiniteQuery<ListPage, MarketApiError, Pages, readonly unknown[], string | undefined>({
    queryKey: ['webhooks.list', filter, 'pages'],
    initialPageParam: undefined,
    queryFn: ({ pageParam, signal }) =>
      callOperation(market, 'webhooks.list', { ...filter, ...(pageParam !== undefined && { cursor: pageParam }) }, { signal }),
    getNextPageParam: ({ next_cursor }) => next_cursor ?? undefined,
    refetchInterval: ({ state: { data } }) => (data?.pages.some((page) => page.data.some(isUnderWay)) === true ? UNDER_WAY_MS : QUIET_MS),
  });
}

/** The newest delivery, polled until it has ended. */
export function useLatestDelivery(agent: string, enabled: boolean): UseQueryResult<ListPage, MarketApiError> {
  const market = useMarket();
  return useQuery<ListPage, MarketApiError>({
    ...askOptions(market, 'webhooks.list', { id: agent, limit: 1 }),
    enabled,
    refetchInterval: ({ state: { data } }) => (data?.data.some(isUnderWay) === true ? UNDER_WAY_MS : false),
  } as Parameters<typeof useQuery<ListPage, MarketApiError>>[0]);
}
