/**
 * Counts requests per endpoint and client address in a window that opens with the first request. The database holds the counters, so that
 * several processes share them. During a round trip, further hits wait and share the next one: this keeps the limiter cheap under load and
 * exact. All IPv6 clients of one /48 share a second, larger limit; hits that their own limit refuses do not use it up.
 */
import type { RateLimit } from '@market/contract';
import type pg from 'pg';
import { siteOf } from './client-address.ts';

export interface LimitVerdict {
  readonly allowed: boolean;
  readonly limit: number;
  readonly remaining: number;
  /** Market time at which the window ends. */
  readonly resetsAt: Date;
  /** The value of `alongside`. */
  readonly alongside: string;
}

export interface RateLimiter {
  hit(endpoint: string, client: string, limit: RateLimit): Promise<LimitVerdict>;
  /**
   * Answers at once for a client that is far below its limit and was counted a few milliseconds ago; the database counts the hit later.
   * Undefined for all other clients, whose hit is not counted.
   */
  hitAtOnce(endpoint: string, client: string, limit: RateLimit): LimitVerdict | undefined;
}

export interface RateLimiterOptions {
  /** An SQL expression of type text, evaluated in the same round trip, which saves a second one per request. */
  readonly alongside?: string;
  /** The limit of an IPv6 /48, as a multiple of the limit of one /64. */
  readonly siteTimes?: number;
  /** Milliseconds of a monotonic clock. */
  readonly now?: () => number;
}

const NOTHING_ALONGSIDE = `''::text`;

const USUAL_SITE_TIMES = 16;

/** Maximum age of the count and of `alongside` in an answer of `hitAtOnce`. */
const FRESH_MS = 10;
/** Longest delay of hits that no caller waits for. Shorter than `FRESH_MS`, so that the count is refreshed in time. */
const UNHURRIED_MS = 6;

interface Waiting {
  readonly limit: RateLimit;
  readonly resolve: (verdict: LimitVerdict) => void;
  readonly reject: (error: unknown) => void;
}

export function createRateLimiter(pool: pg.Pool, scale: number, options: RateLimiterOptions = {}): RateLimiter {
  const { alongside = NOTHING_ALONGSIDE, siteTimes = USUAL_SITE_TIMES, now = () => performance.now() } = options;
  let waiting = new Map<string, Waiting[]>();
  /** Counts of the last round trip, plus later hits. */
  let known = new Map<string, Counted>();
  let knownAt = Number.NEGATIVE_INFINITY;
  /** Duration of the last round trip. On a busy machine the next one starts earlier. */
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
    // Starts after this turn of the event loop, so that its hits share a round trip.
    setImmediate(() => void flush());
  }

  async function settle(batch: Map<string, Waiting[]>): Promise<void> {
    try {
      const askedAt = now();
      const counted = await countHits(pool, batch, { alongside, scale });
      tookMs = now() - askedAt;
      answerHits(batch, counted, { scale, siteTimes });
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
      // Other processes count as well, so counts from memory decide only the first half of the limit.
      const allowed = allowedRequests(limit, scale);
      if (window === undefined || window.hits >= allowed / 2) return undefined;
      const siteKey = siteKeyOf(key);
      if (siteKey !== undefined) {
        const site = known.get(siteKey);
        if (site === undefined || site.hits >= allowedRequests(limit, scale * siteTimes) / 2) return undefined;
        site.hits += 1;
      }
      window.hits += 1;
      enqueue(key, { limit, resolve: ignore, reject: ignore });
      unhurried ??= setTimeout(flushSoon, Math.max(0, Math.min(UNHURRIED_MS, FRESH_MS - 2 * tookMs)));
      return judge(window, window.hits, allowed);
    },
  };
}

function ignore(): void {}

interface Sizes {
  readonly scale: number;
  readonly siteTimes: number;
}

/** Hits on one site within a round trip are judged in the order of their clients. */
function answerHits(batch: Map<string, Waiting[]>, counted: Map<string, Counted>, { scale, siteTimes }: Sizes): void {
  const atSites = new Map<string, number>();
  for (const [key, hits] of batch) {
    const window = counted.get(key);
    if (window === undefined) throw new Error(`no window was counted for ${key}`);
    const siteKey = siteKeyOf(key) ?? '';
    const site = counted.get(siteKey);
    const before = window.hits - hits.length;
    hits.forEach(({ limit, resolve }, index) => {
      const verdict = judge(window, before + index + 1, allowedRequests(limit, scale));
      if (!verdict.allowed || site === undefined) {
        resolve(verdict);
        return;
      }
      const ordinal = (atSites.get(siteKey) ?? site.hits - site.counted) + 1;
      atSites.set(siteKey, ordinal);
      resolve(narrower(verdict, judge(site, ordinal, allowedRequests(limit, scale * siteTimes))));
    });
  }
}

function judge({ endsAt, alongside }: Counted, ordinal: number, allowed: number): LimitVerdict {
  return { allowed: ordinal <= allowed, limit: allowed, remaining: Math.max(0, allowed - ordinal), resetsAt: endsAt, alongside };
}

function allowedRequests({ requests }: RateLimit, scale: number): number {
  return Math.max(1, Math.floor(requests * scale));
}

/** The stricter verdict of address and /48. The answer shows the limit of the address. */
function narrower(own: LimitVerdict, site: LimitVerdict): LimitVerdict {
  if (site.allowed && site.remaining >= own.remaining) return own;
  return { ...site, limit: own.limit };
}

interface Counted {
  hits: number;
  /** For a /48: its hits in this round trip. */
  counted: number;
  readonly endsAt: Date;
  readonly alongside: string;
}

const MOST_HITS = 1_000_000_000;
/** Adds to a window, or restarts it when it has ended. */
const COUNT = `on conflict (endpoint, client) do update set
        hits = case when w.ends_at <= market_now() then excluded.hits else least(w.hits + excluded.hits, ${MOST_HITS}) end,
        ends_at = case when w.ends_at <= market_now() then excluded.ends_at else w.ends_at end
      returning endpoint, client, hits, ends_at`;
const OWN = `insert into rate_limit_windows as w (endpoint, client, hits, ends_at)
      select endpoint, client, hits, market_now() + make_interval(secs => seconds)
      from unnest($1::text[], $2::text[], $3::int[], $4::float8[]) as hit (endpoint, client, hits, seconds)
      ${COUNT}`;
/** Sites follow all clients, so that every process locks rows in the same order. */
const WITH_SITES = `with own as (${OWN}), sites as (
      insert into rate_limit_windows as w (endpoint, client, hits, ends_at)
      select endpoint, site, sum(passed), market_now() + make_interval(secs => max(seconds)) from (
        select h.endpoint, h.site, h.seconds, least(h.hits, greatest(0, h.allowed - (own.hits - h.hits))) as passed
        from unnest($1::text[], $2::text[], $3::int[], $4::float8[], $5::text[], $6::int[]) as h (endpoint, client, hits, seconds, site, allowed)
        join own using (endpoint, client) where h.site is not null) as hit
      where passed > 0 group by endpoint, site order by endpoint, site
      ${COUNT})`;

async function countHits(
  pool: pg.Pool,
  batch: Map<string, Waiting[]>,
  { alongside, scale }: { readonly alongside: string; readonly scale: number },
): Promise<Map<string, Counted>> {
  // All processes lock rows in the same order, which prevents deadlocks.
  const keys = [...batch.keys()].sort();
  const [endpoints, clients] = [keys.map((key) => key.split('\n')[0] ?? ''), keys.map((key) => key.split('\n')[1] ?? '')];
  const sites = clients.map((client) => siteOf(client) ?? null);
  const hasSites = sites.some((site) => site !== null);
  const hits = keys.map((key) => batch.get(key)?.length ?? 0);
  const limits = keys.map((key) => batch.get(key)?.[0]?.limit ?? { requests: 0, windowSeconds: 0 });
  const allowed = limits.map((limit) => Math.min(allowedRequests(limit, scale), MOST_HITS));
  const name = `count-hits${hasSites ? '-of-sites' : ''}${alongside === NOTHING_ALONGSIDE ? '' : '-alongside'}`;
  const { rows } = await pool.query<{ endpoint: string; client: string; hits: number; ends_at: Date; alongside: string }>({
    name,
    text: hasSites
      ? `${WITH_SITES} select c.*, ${alongside} as alongside from (select * from own union all select * from sites) c`
      : `${OWN}, ${alongside} as alongside`,
    values: [endpoints, clients, hits, limits.map(({ windowSeconds }) => windowSeconds), ...(hasSites ? [sites, allowed] : [])],
  });
  const found = new Map(
    rows.map((row): [string, Counted] => [
      windowKey(row.endpoint, row.client),
      { hits: row.hits, counted: 0, endsAt: row.ends_at, alongside: row.alongside },
    ]),
  );
  for (const [index, key] of keys.entries()) {
    const [own, site] = [found.get(key), found.get(siteKeyOf(key) ?? '')];
    const count = hits[index] ?? 0;
    if (own !== undefined && site !== undefined) site.counted += passedOf(own.hits, count, allowed[index] ?? 0);
  }
  return found;
}

/** How many of the last `count` hits, the newest with the ordinal `last`, are within the limit. */
function passedOf(last: number, count: number, allowed: number): number {
  return Math.min(count, Math.max(0, allowed - (last - count)));
}

function windowKey(endpoint: string, client: string): string {
  return `${endpoint}\n${client}`;
}

function siteKeyOf(key: string): string | undefined {
  const at = key.indexOf('\n');
  const site = siteOf(key.slice(at + 1));
  return site && `${key.slice(0, at)}\n${site}`;
}
