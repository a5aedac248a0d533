import { MarketApiError } from '@market/sdk';
import { QueryClient } from '@tanstack/react-query';

const FRESH_MS = 15_000;

/** No retries here, because the SDK retries. */
export function createQueries(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: { staleTime: FRESH_MS, retry: false, refetchOnWindowFocus: true, networkMode: 'always' },
      mutations: { retry: false, networkMode: 'always' },
    },
  });
}

export function statusOf(error: unknown): number | undefined {
  return error instanceof MarketApiError ? error.status : undefined;
}
