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
  /** The answer to `alongside`. */
  readonly alongside: string;
}

export interface RateLimiter {
  hit(endpoint: string, client: string, limit: RateLimit): Promise<LimitVerdict>;
  /**
   * Answers at once for a client that is far from its limit and was counted a few milliseconds ago; the hit goes to the database in the
   * background. Undefined, with nothing counted, for all other clients.
   */
  hitAtOnce(endpoint: string, client: string, limit: RateLimit): LimitVerdict | undefined;
}

export interface RateLimiterOptions {
  /** An SQL expression of type text, evaluated in the same round trip to save a second one per request. */
  readonly alongside?: string;
  /** Milliseconds that only grow. */
  readonly now?: () => number;
}

const NOTHING_ALONGSIDE = `''::text`;

/** Maximum age of the count and of `alongside` in an answer of `hitAtOnce`. */
const FRESH_MS = 10;
/** Longest delay of hits that no caller waits for. Shorter than `FRESH_MS`, so the count is refreshed before it is too old. */
const UNHURRIED_MS = 6;

interface Waiting {
  readonly limit: RateLimit;
  readonly resolve: (verdict: LimitVerdict) => void;
  readonly reject: (error: unknown) => void;
}

export function createRateLimiter(pool: pg.Pool, scale: number, options: RateLimiterOptions = {}): RateLimiter {
  const { alongside = NOTHING_ALONGSIDE, now = () => performance.now() } = options;
  let waiting = new Map<string, Waiting[]>();
  /** Counts of the last round trip, plus the hits since. */
  let known = new Map<string, Counted>();
  let knownAt = Number.NEGATIVE_INFINITY;
  /** How long the last round trip took. On a busy machine the next one starts earlier. */
  let tookMs = 0;
  let flushing = false;
  let unhurried: NodeJS.Timeout | undefined;

  async function flush(): Promise<void> {
    clearTimeout(unhurried);
    unhurried = undefined;
    while (waiting.size > 0) {
      const batch = waiting;
      waiting = new Map();
      await settle(batch);
    }
    flushing = false;
  }

  function flushSoon(): void {
    if (flushing) return;
    flushing = true;
    // Those that came in together go together.
    setImmediate(() => void flush());
  }

  async function settle(batch: Map<string, Waiting[]>): Promise<void> {
    try {
      const askedAt = now();
      const counted = await countHits(pool, batch, alongside);
      tookMs = now() - askedAt;
      for (const [key, hits] of batch) {
        const window = counted.get(key);
        if (window === undefined) throw new Error(`no window was counted for ${key}`);
        const before = window.hits - hits.length;
        hits.forEach(({ limit, resolve }, index) => {
          resolve(judge(window, before + index + 1, allowedRequests(limit, scale)));
        });
      }
      for (const [key, window] of counted) window.hits += waiting.get(key)?.length ?? 0;
      known = counted;
      knownAt = askedAt;
    } catch (error) {
      for (const hits of batch.values()) for (const hit of hits) hit.reject(error);
    }
  }

  function enqueue(key: string, hit: Waiting): void {
    const hits = waiting.get(key);
    if (hits === undefined) waiting.set(key, [hit]);
    else hits.push(hit);
  }

  return {
    hit: (endpoint, client, limit) =>
      new Promise((resolve, reject) => {
        enqueue(windowKey(endpoint, client), { limit, resolve, reject });
        flushSoon();
      }),

    hitAtOnce(endpoint, client, limit) {
      if (now() - knownAt > FRESH_MS) return undefined;
      const key = windowKey(endpoint, client);
      const window = known.get(key);
      // Other processes count as well: only the first half is given away on what was known a moment ago.
      if (window === undefined || window.hits >= allowedRequests(limit, scale) / 2) return undefined;
      window.hits += 1;
      enqueue(key, { limit, resolve: ignore, reject: ignore });
      unhurried ??= setTimeout(flushSoon, Math.max(0, Math.min(UNHURRIED_MS, FRESH_MS - 2 * tookMs)));
      return judge(window, window.hits, allowedRequests(limit, scale));
    },
  };
}

function judge({ endsAt, alongside }: Counted, ordinal: number, allowed: number): LimitVerdict {
  return { allowed: ordinal <= allowed, limit: allowed, remaining: Math.max(0, allowed - ordinal), resetsAt: endsAt, alongside };
}

function ignore(): void {}

function allowedRequests({ requests }: RateLimit, scale: number): number {
  return Math.max(1, Math.floor(requests * scale));
}

interface Counted {
  hits: number;
  readonly endsAt: Date;
  readonly alongside: string;
}

async function countHits(pool: pg.Pool, batch: Map<string, Waiting[]>, alongside: string): Promise<Map<string, Counted>> {
  // All processes lock rows in the same order, which prevents deadlocks.
  const keys = [...batch.keys()].sort();
  const { rows } = await pool.query<{ endpoint: string; client: string; hits: number; ends_at: Date; alongside: string }>({
    name: alongside === NOTHING_ALONGSIDE ? 'count-hits' : 'count-hits-alongside',
    text: `
      insert into rate_limit_windows as w (endpoint, client, hits, ends_at)
      select endpoint, client, hits, market_now() + make_interval(secs => seconds)
      from unnest($1::text[], $2::text[], $3::int[], $4::float8[]) as hit (endpoint, client, hits, seconds)
      on conflict (endpoint, client) do update set
        hits = case when w.ends_at <= market_now() then excluded.hits else least(w.hits + excluded.hits, 1000000000) end,
        ends_at = case when w.ends_at <= market_now() then excluded.ends_at else w.ends_at end
      returning endpoint, client, hits, ends_at, ${alongside} as alongside`,
    values: [
      keys.map((key) => key.split('\n')[0]),
      keys.map((key) => key.split('\n')[1]),
      keys.map((key) => batch.get(key)?.length ?? 0),
      keys.map((key) => batch.get(key)?.[0]?.limit.windowSeconds ?? 0),
    ],
  });
  return new Map(
    rows.map((row) => [windowKey(row.endpoint, row.client), { hits: row.hits, endsAt: row.ends_at, alongside: row.alongside }]),
  );
}

function windowKey(endpoint: string, client: string): string {
  return `${endpoint}\n${client}`;
}
