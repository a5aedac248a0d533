/**
 * Counts requests per endpoint and client address in a window that opens with the first of them. Counters live in the
 * database, so that several processes share them. While one round trip is under way further hits wait and go together
 * in the next, which keeps the limiter cheap under load without losing exactness.
 */
import type { RateLimit } from '@market/contract';
import type pg from 'pg';

export interface LimitVerdict {
  readonly allowed: boolean;
  readonly limit: number;
  readonly remaining: number;
  /** Market time at which the window ends. */
  readonly resetsAt: Date;
}

export interface RateLimiter {
  hit(endpoint: string, client: string, limit: RateLimit): Promise<LimitVerdict>;
}

interface Waiting {
  readonly limit: RateLimit;
  readonly resolve: (verdict: LimitVerdict) => void;
  readonly reject: (error: unknown) => void;
}

export function createRateLimiter(pool: pg.Pool, scale: number): RateLimiter {
  let waiting = new Map<string, Waiting[]>();
  let flushing = false;

  async function flush(): Promise<void> {
    flushing = true;
    while (waiting.size > 0) {
      const batch = waiting;
      waiting = new Map();
      await settle(batch);
    }
    flushing = false;
  }

  async function settle(batch: Map<string, Waiting[]>): Promise<void> {
    try {
      const counted = await countHits(pool, batch);
      for (const [key, hits] of batch) {
        const window = counted.get(key);
        if (window === undefined) throw new Error(`no window was counted for ${key}`);
        hits.forEach((hit, index) => {
          const allowedRequests = Math.max(1, Math.floor(hit.limit.requests * scale));
          const ordinal = window.hits - hits.length + index + 1;
          hit.resolve({
            allowed: ordinal <= allowedRequests,
            limit: allowedRequests,
            remaining: Math.max(0, allowedRequests - ordinal),
            resetsAt: window.endsAt,
          });
        });
      }
    } catch (error) {
      for (const hits of batch.values()) for (const hit of hits) hit.reject(error);
    }
  }

  return {
    hit: (endpoint, client, limit) =>
      new Promise((resolve, reject) => {
        const key = windowKey(endpoint, client);
        const hits = waiting.get(key) ?? [];
        hits.push({ limit, resolve, reject });
        waiting.set(key, hits);
        if (!flushing) void flush();
      }),
  };
}

async function countHits(pool: pg.Pool, batch: Map<string, Waiting[]>): Promise<Map<string, { hits: number; endsAt: Date }>> {
  // One order for everybody, or two processes could lock each other's rows.
  const keys = [...batch.keys()].sort();
  const { rows } = await pool.query<{ endpoint: string; client: string; hits: number; ends_at: Date }>({
    name: 'count-hits',
    text: `
      insert into rate_limit_windows as w (endpoint, client, hits, ends_at)
      select endpoint, client, hits, market_now() + make_interval(secs => seconds)
      from unnest($1::text[], $2::text[], $3::int[], $4::float8[]) as hit (endpoint, client, hits, seconds)
      on conflict (endpoint, client) do update set
        hits = case when w.ends_at <= market_now() then excluded.hits else least(w.hits + excluded.hits, 1000000000) end,
        ends_at = case when w.ends_at <= market_now() then excluded.ends_at else w.ends_at end
      returning endpoint, client, hits, ends_at`,
    values: [
      keys.map((key) => key.split('\n')[0]),
      keys.map((key) => key.split('\n')[1]),
      keys.map((key) => batch.get(key)?.length ?? 0),
      keys.map((key) => batch.get(key)?.[0]?.limit.windowSeconds ?? 0),
    ],
  });
  return new Map(rows.map((row) => [windowKey(row.endpoint, row.client), { hits: row.hits, endsAt: row.ends_at }]));
}

function windowKey(endpoint: string, client: string): string {
  return `${endpoint}\n${client}`;
}
