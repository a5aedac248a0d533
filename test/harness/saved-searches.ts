/** Saved searches for tests: saving over HTTP, and looks that are due now. */
import assert from 'node:assert/strict';
import type pg from 'pg';
import { until } from '../money/money.ts';
import { untilHandled } from './events.ts';
import { type CallOptions, call, type Envelope, type Reply } from './http.ts';
import { advanceClock } from './orders.ts';
import { asHeaders, signed, type TestWallet } from './people.ts';

export async function byWallet(wallet: TestWallet): Promise<CallOptions> {
  return { headers: asHeaders(await signed(wallet)) };
}

export async function trySave(url: string, who: CallOptions, body: object): Promise<Reply> {
  return await call(url, 'POST /api/saved-searches', { ...who, body });
}

export async function saveSearch(url: string, who: CallOptions, body: object): Promise<Envelope> {
  const reply = await trySave(url, who, body);
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
  return reply.body['data'];
}

/** Longer than the interval between two looks. */
const LATER_SECONDS = 700;

/** Moves the clock past the next look of every saved search, and waits until all looks and their events are done. */
export async function lookAgain(url: string, pool: pg.Pool): Promise<void> {
  await advanceClock(url, LATER_SECONDS);
  await untilLooked(pool);
}

export async function untilLooked(pool: pg.Pool): Promise<void> {
  await until('all saved searches being looked at', async () => {
    const { rowCount } = await pool.query('select 1 from saved_searches where next_look_at <= market_now() limit 1');
    return rowCount === 0 ? true : undefined;
  });
  await untilHandled(pool);
}
