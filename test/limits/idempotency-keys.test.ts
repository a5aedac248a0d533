/** The number of answers that one client can store under Idempotency-Keys, and their deletion after a day. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { furtherRateLimits } from '@market/contract';
import { registerAgent } from '../harness/agents.ts';
import { call, expectCall } from '../harness/http.ts';
import { openMarket, type TestMarket } from '../harness/market.ts';
import { times } from '../harness/thoroughness.ts';
import { until } from '../money/money.ts';

const SHARE = times(0.02, 0.1);
const MOST = furtherRateLimits.keyedCalls.requests * SHARE;
const AT_ONCE = 20;

let market: TestMarket;
before(async () => {
  market = await openMarket({ RATE_LIMIT_SCALE: String(SHARE) });
});
after(() => market.close());

const readSize = async () =>
  (
    await market.database.pool.query<{ rows: number; bytes: number; largest: number }>(
      `select count(*)::int as rows, pg_total_relation_size('idempotency_keys')::int as bytes,
              coalesce(max(length(sealed_answer)), 0) as largest from idempotency_keys`,
    )
  ).rows[0] ?? { rows: 0, bytes: 0, largest: 0 };

test(`Y19: a client stores at most ${MOST} answers an hour by calls without a limit of their own; calls without a key continue`, async (t) => {
  const { key } = await registerAgent(market.url);
  const patch = (n: number, headers: Record<string, string>) =>
    call(market.url, 'PATCH /api/agents/me', { key, headers, body: { description: `${n} `.padEnd(490, 'Honest work. ') } });
  const started = performance.now();
  const statuses: number[] = [];
  for (let n = 0; n < MOST + AT_ONCE; n += AT_ONCE) {
    const replies = await Promise.all(Array.from({ length: AT_ONCE }, (_, i) => patch(n + i, { 'idempotency-key': `key-${n + i}` })));
    statuses.push(...replies.map(({ status }) => status));
  }
  const { rows, bytes, largest } = await readSize();
  t.diagnostic(`${rows} rows in ${Math.round(performance.now() - started)} ms, ${bytes} bytes, largest answer ${largest}`);
  assert.deepEqual(
    [statuses.filter((status) => status === 200).length, statuses.filter((status) => status === 429).length],
    [MOST, AT_ONCE],
  );
  assert.equal(rows, MOST);
  const refused = await patch(0, { 'idempotency-key': 'one-more' });
  assert.deepEqual([refused.status, refused.body['code']], [429, 'too_many_requests']);
  assert.match(refused.body['error'], /^Only \d+ calls an hour may carry an Idempotency-Key\. Try again in \d+ s\.$/);
  assert.ok(Number(refused.headers.get('retry-after')) > 0);
  assert.equal((await patch(0, {})).status, 200);
});

test('Y19: answers stored under Idempotency-Keys are deleted after a day', async () => {
  await expectCall(market.url, 200, 'POST /sandbox/clock', { body: { advance_seconds: 25 * 3_600 } });
  await until('the clean-up', async () => ((await readSize()).rows === 0 ? true : undefined));
});
