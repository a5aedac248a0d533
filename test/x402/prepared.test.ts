/** Cached challenges equal new ones, and are faster. */
import assert from 'node:assert/strict';
import http from 'node:http';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { expectCall } from '../harness/http.ts';
import { type MachineStage, openMachineStage } from '../harness/machine-buyers.ts';
import { listService } from '../harness/orders.ts';

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Sends none of the headers that `fetch` adds by itself. */
async function ask(url: string, headers: Record<string, string> = {}, agent?: http.Agent): Promise<Answer> {
  return await new Promise((resolve, reject) => {
    http
      .get(url, { headers, agent: agent ?? false }, (response) => {
        let body = '';
        response.setEncoding('utf8').on('data', (chunk: string) => {
          body += chunk;
        });
        response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers as Record<string, string>, body }));
      })
      .on('error', reject);
  });
}

/** A process answers from counts of at most 10 ms ago (`hitAtOnce`), so a change through another process shows that late. */
const untilCountsAreOld = () => sleep(15);

const ofItself = ['date', 'x-request-id', 'x-ratelimit-remaining'];
const shared = ({ headers }: Answer) => Object.fromEntries(Object.entries(headers).filter(([name]) => !ofItself.includes(name)));
const asked = ({ body }: Answer) => JSON.parse(body).accepts[0].maxAmountRequired as string;

describe('a cached challenge', () => {
  let stage: MachineStage;
  let address: (server?: 0 | 1) => string;
  before(async () => {
    stage = await openMachineStage({ RATE_LIMIT_SCALE: '0.25' });
    address = (server = 0) => `${stage.urls[server]}/api/x402/discover/${stage.serviceId}`;
  });
  after(async () => {
    await stage.close();
  });

  test('a cached challenge has the same body and headers as the first, its own request id, and counts toward the rate limit', async () => {
    const first = await ask(address());
    const again = await ask(address(), { 'x-request-id': 'my-own-request-1' });
    assert.deepEqual([first.status, again.status], [402, 402]);
    assert.equal(again.body, first.body);
    assert.deepEqual(shared(again), shared(first));
    assert.equal(again.headers['x-request-id'], 'my-own-request-1');
    assert.match(first.headers['x-request-id'] ?? '', /^req_/);
    assert.equal(Number(again.headers['x-ratelimit-remaining']), Number(first.headers['x-ratelimit-remaining']) - 1);
  });

  test('a cached challenge is the same over a keep-alive connection, in sequence and in parallel', async (t) => {
    const agent = new http.Agent({ keepAlive: true, maxSockets: 2 });
    t.after(() => agent.destroy());
    // An unknown header makes the server skip the cache.
    const first = await ask(address(), { 'x-stranger': '1' }, agent);
    await ask(address());
    const others = await Promise.all(Array.from({ length: 6 }, () => ask(address(), {}, agent)));
    for (const other of others) {
      assert.deepEqual([other.status, other.body], [402, first.body]);
      assert.deepEqual(shared(other), shared(first));
      assert.equal(other.headers['keep-alive'], 'timeout=130');
      assert.ok(Math.abs(Date.parse(other.headers['date'] ?? '') - Date.now()) < 5_000);
    }
  });

  test('a cached challenge is not used for requests with a payment, credentials or an Origin', async () => {
    await ask(address());
    const paying = await ask(address(), { 'x-payment': `0x${'ab'.repeat(32)}` });
    assert.deepEqual([paying.status, JSON.parse(paying.body).code], [400, 'brief_required']);
    const known = await ask(address(), { authorization: 'Bearer market_nonsense' });
    assert.equal(known.status, 401);
    const fromPage = await ask(address(), { origin: 'https://elsewhere.example' });
    assert.deepEqual([fromPage.status, fromPage.headers['access-control-allow-origin']], [402, '*']);
  });

  test('a cached challenge is not used after a price change through any process', async () => {
    const { provider, urls } = stage;
    for (const [index, price] of ['2.00', '3.00', '4.00'].entries()) {
      for (const server of [0, 1] as const) assert.equal((await ask(address(server))).status, 402);
      await expectCall(urls[index % 2] ?? '', 200, `PATCH /api/services/${stage.serviceId}`, {
        key: provider.key,
        body: { price_usd: price },
      });
      await untilCountsAreOld();
      for (const server of [0, 1] as const) assert.equal(asked(await ask(address(server))), String(Number(price) * 1_100_000));
    }
  });

  test('a cached challenge is not used after the service was deleted', async () => {
    const { provider, urls } = stage;
    const other = await listService(urls[0], provider, { price_usd: '1.00' });
    const url = `${urls[0]}/api/x402/discover?service_id=${other}`;
    for (const _ of [1, 2]) assert.equal((await ask(url)).status, 402);
    await expectCall(urls[1], 200, `DELETE /api/services/${other}`, { key: provider.key });
    await untilCountsAreOld();
    assert.equal((await ask(url)).status, 404);
  });

  test('a cached challenge is refused beyond the rate limit at exactly the same request', async () => {
    const { remaining } = { remaining: Number((await ask(address())).headers['x-ratelimit-remaining']) };
    const statuses = await Promise.all(
      Array.from({ length: remaining + 5 }, async (_, n) => (await ask(address(n % 2 === 0 ? 0 : 1))).status),
    );
    assert.deepEqual(
      [statuses.filter((status) => status === 402).length, statuses.filter((status) => status === 429).length],
      [remaining, 5],
    );
  });
});
