/**
 * A buyer who hired by paying has no account and uses the order's read token. The token arrives in the URL fragment, which browsers never
 * send, and is removed from the URL at once. It only reads: to act, the buyer signs in with the wallet that paid.
 */
import { createMarketClient, type MarketClient } from '@market/sdk';
import { type ReactNode, useEffect, useState } from 'react';
import { MarketContext, useMarket } from '../../../../data/answers.ts';
import { orderTokenFetch } from './order-token-fetch.ts';
import { readTokenHash } from './read-token-hash.ts';

const kept = (orderId: string): string => `order-token:${orderId}`;

/** How the page asks for the order. */
export interface AccessWay {
  /** False until the browser has looked for a token, because earlier calls would be anonymous. */
  readonly enabled: boolean;
  /** Polling interval for token holders, who have no event stream here. */
  readonly everyMs?: number;
}

const LOOK_AGAIN_MS = 20_000;

/** Children use the API as the holder of the order's token, if there is one. */
export function OrderAccess({ orderId, children }: { readonly orderId: string; readonly children: (way: AccessWay) => ReactNode }) {
  const market = useMarket();
  const [found, setFound] = useState<{ readonly client: MarketClient | undefined }>();
  useEffect(() => {
    const token = takeToken(orderId);
    const client =
      token === null
        ? undefined
        : createMarketClient({ baseUrl: location.origin, fetch: orderTokenFetch((...request) => fetch(...request)), apiKey: token });
    setFound({ client });
  }, [orderId]);
  const way: AccessWay = { enabled: found !== undefined, ...(found?.client !== undefined && { everyMs: LOOK_AGAIN_MS }) };
  return <MarketContext value={found?.client ?? market}>{children(way)}</MarketContext>;
}

/** The token from the URL, which then loses it, or from earlier in this tab. */
function takeToken(orderId: string): string | null {
  const given = readTokenHash(location.hash);
  if (given === undefined) return sessionStorage.getItem(kept(orderId));
  sessionStorage.setItem(kept(orderId), given);
  history.replaceState(history.state, '', `${location.pathname}${location.search}`);
  return given;
}
