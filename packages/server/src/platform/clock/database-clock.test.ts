/** How the clock reads the database's time when answers come late. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { createDatabaseClock } from './database-clock.ts';

/** A pool that reads its time when asked, and answers after the next of these delays. */
function answeringAfter(delaysMs: number[], offset = () => 0n): pg.Pool {
  const query = async () => {
    const real = new Date();
    const read = offset();
    await sleep(delaysMs.shift() ?? 0);
    return { rows: [{ real, offset: read }] };
  };
  return { query } as unknown as pg.Pool;
}

test('the clock asks again after a late answer', async () => {
  const clock = await createDatabaseClock(answeringAfter([400]));
  const behindMs = Date.now() - clock.now().getTime();
  clock.stop();
  assert.ok(Math.abs(behindMs) < 100, `${behindMs} ms`);
});

test('when every answer comes late, the clock takes the least late of four', async () => {
  const delays = [300, 60, 300, 300, 300];
  const clock = await createDatabaseClock(answeringAfter(delays));
  const behindMs = Date.now() - clock.now().getTime();
  clock.stop();
  assert.equal(delays.length, 1);
  assert.ok(Math.abs(behindMs) < 120, `${behindMs} ms`);
});

test('an offset that moved between two answers counts, however late the later one', async () => {
  const offsets = [0n, 5_000n, 5_000n, 5_000n];
  const clock = await createDatabaseClock(answeringAfter([40, 300, 300, 300], () => offsets.shift() ?? 5_000n));
  const aheadMs = clock.now().getTime() - Date.now();
  clock.stop();
  assert.ok(aheadMs > 4_500 && aheadMs < 5_500, `${aheadMs} ms`);
});
