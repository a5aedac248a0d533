/**
 * A clock anchored to the database: its time plus the market offset, carried forward by this process's monotonic
 * timer. A machine whose wall clock jumps, or several machines that disagree, therefore still share one market time.
 */
import type pg from 'pg';
import type { Clock } from './clock.ts';

export interface DatabaseClock extends Clock {
  /** Reads the database's time again; called on a timer and when the sandbox moves the clock. */
  synchronise(): Promise<void>;
  /** Moves market time forward for every process on this database. */
  advance(seconds: number): Promise<void>;
  stop(): void;
}

export const CLOCK_CHANNEL = 'market_clock';

/** Monotonic timers drift only by parts per million, so this mainly picks up offsets that other processes moved. */
const RESYNCHRONISE_MS = 60_000;

/** Beyond this uncertainty, read again: a busy process gets its answer late, and would be wrong by half of the delay. */
const SURE_MS = 10;
const MOST_MORE_READS = 3;

interface Anchor {
  readonly realMs: number;
  readonly offsetMs: number;
  readonly monotonicMs: number;
  readonly uncertainMs: number;
}

export async function createDatabaseClock(pool: pg.Pool): Promise<DatabaseClock> {
  let anchor: Anchor = { realMs: 0, offsetMs: 0, monotonicMs: 0, uncertainMs: 0 };

  async function synchronise(): Promise<void> {
    let best = await readAnchor();
    for (let more = 0; best.uncertainMs > SURE_MS && more < MOST_MORE_READS; more++) {
      const next = await readAnchor();
      // A reading with a new offset replaces the other one, which may have missed a move of the clock.
      best = next.offsetMs !== best.offsetMs || next.uncertainMs < best.uncertainMs ? next : best;
    }
    anchor = best;
  }

  async function readAnchor(): Promise<Anchor> {
    const asked = performance.now();
    const { rows } = await pool.query<{ real: Date; offset: bigint }>(
      'select clock_timestamp() as real, offset_ms as offset from market_clock',
    );
    const answered = performance.now();
    const row = rows[0];
    if (row === undefined) throw new Error('the market_clock row is missing');
    // The database read its clock between the two times; the middle halves the largest error.
    return {
      realMs: row.real.getTime(),
      offsetMs: Number(row.offset),
      monotonicMs: (asked + answered) / 2,
      uncertainMs: (answered - asked) / 2,
    };
  }

  const realMs = (): number => anchor.realMs + (performance.now() - anchor.monotonicMs);

  await synchronise();
  const timer = setInterval(() => {
    synchronise().catch(() => {
      // The database is unreachable: keep the last anchor, readiness reports the outage.
    });
  }, RESYNCHRONISE_MS);
  timer.unref();

  return {
    now: () => new Date(realMs() + anchor.offsetMs),
    realNow: () => new Date(realMs()),
    synchronise,
    async advance(seconds) {
      await pool.query('update market_clock set offset_ms = offset_ms + $1', [Math.round(seconds * 1000)]);
      await pool.query('select pg_notify($1, $2)', [CLOCK_CHANNEL, '']);
      await synchronise();
    },
    stop: () => clearInterval(timer),
  };
}
