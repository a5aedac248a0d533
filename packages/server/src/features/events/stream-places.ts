/** How many may hang on this process at once: each costs memory and a file handle for as long as it likes. */
import { MarketError } from '@market/contract';

export interface StreamPlaces {
  /** Throws when there is none left; the answer gives the place back. */
  take(principal: string): () => void;
  readonly taken: number;
}

export interface PlaceBounds {
  readonly perCaller: number;
  readonly total: number;
}

const RETRY_SECONDS = 10;

export function createStreamPlaces({ perCaller, total }: PlaceBounds): StreamPlaces {
  const byCaller = new Map<string, number>();
  let taken = 0;
  return {
    take(principal) {
      const own = byCaller.get(principal) ?? 0;
      if (own >= perCaller) throw new MarketError('too_many_streams', { retryAfterSeconds: RETRY_SECONDS, data: { limit: perCaller } });
      if (taken >= total) throw new MarketError('streams_full', { retryAfterSeconds: RETRY_SECONDS });
      taken += 1;
      byCaller.set(principal, own + 1);
      let given = false;
      return () => {
        if (given) return;
        given = true;
        taken -= 1;
        const left = (byCaller.get(principal) ?? 1) - 1;
        if (left === 0) byCaller.delete(principal);
        else byCaller.set(principal, left);
      };
    },
    get taken() {
      return taken;
    },
  };
}
