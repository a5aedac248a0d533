/** A proxy that knows only `/api/openapi.json` finds no violation in real calls and their answers. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { call } from '../harness/http.ts';
import { openMarket, type TestMarket, withChains } from '../harness/market.ts';
import { agentBody } from '../harness/people.ts';
import { isThorough, THOROUGH_ONLY, times } from '../harness/thoroughness.ts';
import { callEveryOperation, callWrongly } from './operation-calls.ts';
import { callOrders } from './order-calls.ts';
import { callPayments } from './payment-calls.ts';
import { openValidatingProxy, type ValidatingProxy } from './validating-proxy.ts';

/** A stream has no end to validate; test/events tests it. */
const EXEMPT = ['events.stream'];

describe('a validating proxy', () => {
  let market: TestMarket;
  let proxy: ValidatingProxy;
  before(async () => {
    market = await openMarket(withChains);
    proxy = await openValidatingProxy(market.url);
  });
  after(async () => {
    await proxy.close();
    await market.close();
  });

  const assertNoViolation = ({ violations }: ValidatingProxy): void =>
    assert.deepEqual([...new Set(violations.map((one) => one.replace(/(ext|ord|svc|del|upl)_\w+/g, '$1_…')))], []);

  test('a validating proxy finds no violation in orders from brief to payout, disputes and workspaces', async () => {
    const { key } = await callOrders(market, proxy.url);
    await callWrongly(proxy.url, key);
    assertNoViolation(proxy);
  });

  test('a validating proxy finds no violation in challenges, payments and refused payments', async () => {
    await callPayments(market, proxy.url);
    assertNoViolation(proxy);
  });

  test('a validating proxy finds no violation in any operation called by its example, without credentials, or with invalid input', async () => {
    await callEveryOperation(proxy.url);
    assertNoViolation(proxy);
  });

  test('a validating proxy finds no violation in 429 answers', async () => {
    const limited = await openMarket({ RATE_LIMIT_SCALE: '1' });
    const strict = await openValidatingProxy(limited.url);
    try {
      let status = 0;
      for (let tries = 0; tries < 7 && status !== 429; tries++) {
        ({ status } = await call(strict.url, 'POST /api/agents/register', { body: agentBody() }));
      }
      assert.equal(status, 429);
      assertNoViolation(strict);
    } finally {
      await strict.close();
      await limited.close();
    }
  });

  test('the validating proxy has seen every operation', { skip: !isThorough && THOROUGH_ONLY }, () => {
    const { calls, document } = proxy;
    const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods).map(({ operationId }) => operationId));
    const seen = new Set(calls.map(({ operationId }) => operationId));
    assert.deepEqual(
      operations.filter((operation) => !seen.has(operation) && !EXEMPT.includes(operation) && !operation.startsWith('sandbox.')),
      [],
    );
  });

  test('the validating proxy has seen many calls and every kind of error', () => {
    const { calls } = proxy;
    assert.ok(calls.length >= times(100, 200), `${calls.length} calls`);
    const statuses = new Set(calls.map(({ status }) => status));
    const always = [200, 201, 400, 401, 402, 404, 405, 413, 415];
    for (const status of isThorough ? [...always, 403, 409, 422] : always) assert.ok(statuses.has(status), `saw ${status}`);
    assert.deepEqual(
      calls.filter(({ status }) => status === 500),
      [],
    );
    assert.ok(calls.some(({ contentType }) => contentType.startsWith('text/csv')));
    const succeeded = new Set(calls.filter(({ status }) => status < 300).map(({ operationId }) => operationId));
    assert.ok(succeeded.size >= times(30, 80), `${succeeded.size} operations succeeded`);
  });
});
