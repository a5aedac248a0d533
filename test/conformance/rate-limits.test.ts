/** The rate-limit table: its numbers, and the rows with endpoints tried with the published figures. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { describeLimit, operationList, rateLimitTable } from '@market/contract';
import { bountyBody } from '../harness/bounties.ts';
import { call, type Reply } from '../harness/http.ts';
import { openMarket, type TestMarket } from '../harness/market.ts';
import { agentBody, agreed, signed, solanaWallet } from '../harness/people.ts';
import { specRateLimits } from './spec-tables.ts';

test('the contract has the sixteen rate limits of the specification', () => {
  const ours = Object.values(rateLimitTable).map(({ endpoints, requests, windowSeconds }) => ({ endpoints, requests, windowSeconds }));
  assert.equal(specRateLimits.length, 16);
  assert.deepEqual(ours, specRateLimits);
});

for (const { endpoints, requests, windowSeconds } of specRateLimits) {
  for (const endpoint of endpoints) {
    const served = operationList.find(({ spec }) => `${spec.rest.method} ${spec.rest.path}` === endpoint);
    if (served === undefined) continue;
    test(`L01: ${endpoint} is served with its row: ${requests} per ${windowSeconds} s`, () => {
      assert.deepEqual([served.spec.limit?.requests, served.spec.limit?.windowSeconds], [requests, windowSeconds]);
      assert.ok(served.spec.limit && describeLimit(served.spec.limit).includes(String(requests)));
    });
  }
}

interface LimitedEndpoint {
  readonly title: string;
  readonly requests: number;
  readonly windowSeconds: number;
  readonly send: (url: string, headers?: Record<string, string>) => Promise<Reply>;
  readonly success: number;
}

const wallet = solanaWallet();
const NO_BOUNTY = 'bnty_1700000000000_nonenonen';
const limited: readonly LimitedEndpoint[] = [
  {
    title: 'POST /api/agents/register',
    requests: 5,
    windowSeconds: 3600,
    success: 201,
    send: (url, headers = {}) => call(url, 'POST /api/agents/register', { body: agentBody(), headers }),
  },
  {
    title: 'PUT /api/profile',
    requests: 60,
    windowSeconds: 600,
    success: 200,
    send: async (url, headers = {}) => call(url, 'PUT /api/profile', { body: await signed(wallet), headers }),
  },
  {
    title: 'POST /api/bounties',
    requests: 30,
    windowSeconds: 3600,
    success: 201,
    send: async (url, headers = {}) => call(url, 'POST /api/bounties', { body: await bountyBody(wallet), headers }),
  },
  {
    title: 'POST /api/bounties/{id}/claim',
    requests: 30,
    windowSeconds: 3600,
    success: 404,
    send: async (url, headers = {}) => call(url, `POST /api/bounties/${NO_BOUNTY}/claim`, { body: await signed(wallet), headers }),
  },
  {
    title: 'POST /api/bounties/{id}/accept',
    requests: 30,
    windowSeconds: 3600,
    success: 404,
    send: async (url, headers = {}) => {
      const body = { claim_id: 'clm_none', client_wallet: wallet.address, escrow_tx_hash: 'x', ...(await signed(wallet)) };
      return await call(url, `POST /api/bounties/${NO_BOUNTY}/accept`, { body, headers });
    },
  },
  // Not in the specification's table: limits of the earlier service for calls that help guessing.
  {
    title: 'POST /api/agents/recover',
    requests: 10,
    windowSeconds: 3600,
    success: 401,
    send: (url, headers = {}) => call(url, 'POST /api/agents/recover', { body: {}, headers }),
  },
  {
    title: 'POST /api/auth/session',
    requests: 60,
    windowSeconds: 600,
    success: 200,
    send: async (url, headers = {}) =>
      call(url, 'POST /api/auth/session', { body: await agreed(url, wallet, { action: 'session' }), headers }),
  },
  {
    title: 'GET /api/auth/check-username',
    requests: 60,
    windowSeconds: 60,
    success: 200,
    send: (url, headers = {}) => call(url, 'GET /api/auth/check-username?u=ines', { headers }),
  },
];

for (const { title, requests, windowSeconds, send, success } of limited) {
  describe(title, () => {
    let market: TestMarket;
    before(async () => {
      market = await openMarket({ RATE_LIMIT_SCALE: '1' });
    });
    after(() => market.close());
    const advance = (seconds: number) => call(market.url, 'POST /sandbox/clock', { body: { advance_seconds: seconds } });
    const marketSeconds = async () => Date.parse((await call(market.url, 'GET /sandbox/clock')).body['data'].now) / 1000;

    test(`F08: of ${title} exactly ${requests} pass, counting down, and the next is 429 with its four headers`, async () => {
      for (let left = requests - 1; left >= 0; left--) {
        const reply = await send(market.url);
        assert.equal(reply.status, success, JSON.stringify(reply.body));
        assert.equal(reply.headers.get('x-ratelimit-limit'), String(requests));
        assert.equal(reply.headers.get('x-ratelimit-remaining'), String(left));
        assertReset(reply, await marketSeconds(), windowSeconds);
      }
      const over = await send(market.url);
      assert.equal(over.status, 429);
      assert.deepEqual([over.body['success'], over.body['code']], [false, 'too_many_requests']);
      assert.match(over.body['error'], /too many requests/i);
      assert.equal(over.headers.get('x-request-id'), over.body['request_id']);
      assert.equal(over.headers.get('x-ratelimit-limit'), String(requests));
      assert.equal(over.headers.get('x-ratelimit-remaining'), '0');
      assertReset(over, await marketSeconds(), windowSeconds);
      const retryAfter = Number(over.headers.get('retry-after'));
      assert.ok(retryAfter > windowSeconds - 30 && retryAfter <= windowSeconds, String(retryAfter));
    });

    test(`a forwarding header set by the client does not give ${title} a new budget`, async () => {
      for (const name of ['x-forwarded-for', 'x-real-ip', 'forwarded', 'cf-connecting-ip', 'true-client-ip']) {
        const reply = await send(market.url, { [name]: name === 'forwarded' ? 'for=203.0.113.9' : '203.0.113.9' });
        assert.equal(reply.status, 429, name);
      }
    });

    test(`requests of ${title} over the limit do not extend the window, which ends as announced`, async () => {
      const over = await send(market.url);
      await advance(Number(over.headers.get('retry-after')) - 5);
      assert.equal((await send(market.url)).status, 429);
      await advance(6);
      assert.equal((await send(market.url)).status, success);
    });

    test(`the window of ${title} starts at its first request`, async () => {
      await advance(windowSeconds + 1);
      assert.equal((await send(market.url)).status, success);
      await advance(windowSeconds / 2);
      for (let i = 1; i < requests; i++) assert.equal((await send(market.url)).status, success);
      const over = await send(market.url);
      assert.equal(over.status, 429);
      const retryAfter = Number(over.headers.get('retry-after'));
      assert.ok(Math.abs(retryAfter - windowSeconds / 2) < 30, `${retryAfter} s left after half the window`);
      await advance(retryAfter + 1);
      assert.equal((await send(market.url)).headers.get('x-ratelimit-remaining'), String(requests - 1));
    });
  });
}

function assertReset(reply: Reply, marketSeconds: number, windowSeconds: number): void {
  const reset = Number(reply.headers.get('x-ratelimit-reset'));
  assert.ok(Number.isInteger(reset));
  assert.ok(reset > marketSeconds && reset <= marketSeconds + windowSeconds + 1, `${reset} against ${marketSeconds}`);
}
