/** Asks the API, typed by the contract. The name of an operation and its arguments are the cache key of its answer. */
import type { OperationAnswer, OperationCall, OperationName, OperationOf } from '@market/contract';
import type { CallOptions, MarketApiError, MarketClient } from '@market/sdk';
import {
  type QueryClient,
  type QueryKey,
  type UseMutationResult,
  type UseQueryResult,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { createContext, useContext } from 'react';

export type AskName = OperationName;
export type Arguments<N extends AskName> = OperationCall<OperationOf<N>>;
export type Answer<N extends AskName> = OperationAnswer<OperationOf<N>>;

type Method = (args: unknown, options?: CallOptions) => Promise<unknown>;

export const MarketContext = createContext<MarketClient | undefined>(undefined);

export function useMarket(): MarketClient {
  const market = useContext(MarketContext);
  if (market === undefined) throw new Error('useMarket needs a MarketContext above it');
  return market;
}

export function callOperation<N extends AskName>(
  market: MarketClient,
  name: N,
  args: Arguments<N>,
  options?: CallOptions,
): Promise<Answer<N>> {
  const [group = '', method = ''] = name.split('.');
  const groups = market as unknown as Record<string, Record<string, Method>>;
  const call = groups[group]?.[method];
  if (call === undefined) return Promise.reject(new Error(`${name} does not exist here`));
  return call(args, options) as Promise<Answer<N>>;
}

export function keyOf<N extends AskName>(name: N, args: Arguments<N>): QueryKey {
  return [name, args];
}

export function askOptions<N extends AskName>(market: MarketClient, name: N, args: Arguments<N>) {
  return {
    queryKey: keyOf(name, args),
    queryFn: ({ signal }: { signal: AbortSignal }): Promise<Answer<N>> => callOperation(market, name, args, { signal }),
  };
}

export interface AnswerOptions {
  /** False: do not ask yet, for example while an argument is unknown. */
  readonly enabled?: boolean;
  /** Polling interval while the page is visible. */
  readonly everyMs?: number;
  /** Keep showing the answer to the previous arguments until the new one arrives. */
  readonly keepPrevious?: boolean;
}

/** An answer of the API: `isPending`, `error` or `data`. Shared by all components of the page that ask the same. */
export function useAnswer<N extends AskName>(
  name: N,
  args: Arguments<N>,
  { enabled = true, everyMs, keepPrevious = false }: AnswerOptions = {},
): UseQueryResult<Answer<N>, MarketApiError> {
  const market = useMarket();
  return useQuery<Answer<N>, MarketApiError>({
    ...askOptions(market, name, args),
    enabled,
    ...(everyMs !== undefined && { refetchInterval: everyMs }),
    ...(keepPrevious && { placeholderData: (previous: Answer<N> | undefined) => previous }),
  } as Parameters<typeof useQuery<Answer<N>, MarketApiError>>[0]);
}

export interface ActionOptions<N extends AskName> {
  /** Answers that the action outdates: operation names, with or without arguments. */
  readonly invalidates?: readonly (AskName | QueryKey)[];
  readonly onDone?: (answer: Answer<N>) => void;
}

/** An action that changes the market: `const approve = useAction('orders.approve'); approve.mutate({ id })`. */
export function useAction<N extends AskName>(
  name: N,
  { invalidates = [], onDone }: ActionOptions<N> = {},
): UseMutationResult<Answer<N>, MarketApiError, Arguments<N>> {
  const market = useMarket();
  const queries = useQueryClient();
  return useMutation<Answer<N>, MarketApiError, Arguments<N>>({
    mutationFn: (args) => callOperation(market, name, args),
    onSuccess: async (answer) => {
      await invalidate(queries, invalidates);
      onDone?.(answer);
    },
  });
}

/** Refetches the visible answers of these operations. */
export async function invalidate(queries: QueryClient, names: readonly (AskName | QueryKey)[]): Promise<void> {
  await Promise.all(names.map((name) => queries.invalidateQueries({ queryKey: typeof name === 'string' ? [name] : name })));
}
