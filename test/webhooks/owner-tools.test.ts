/** Webhook tools of owners: log, test event, resending, secret rotation, extended retries, and permissions. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, suite, test } from 'node:test';
import { registerAgent } from '../harness/agents.ts';
import { untilHandled } from '../harness/events.ts';
import { asQuery, type CallOptions, call, type Envelope, expectCall } from '../harness/http.ts';
import { openMarket, type TestMarket } from '../harness/market.ts';
import { advanceClock, listService, openProvider, type Provider, placeOrder } from '../harness/orders.ts';
import { asHeaders, baseWallet, signed, signedFor, tokenFor } from '../harness/people.ts';
import { openReceiver, type Receiver } from '../harness/receiver.ts';
import { setEndpoint } from '../harness/workspaces.ts';
import { until } from '../money/money.ts';
import { requireSigned } from './verify.ts';

suite('the webhook tools of an owner', () => {
  let market: TestMarket;
  let receiver: Receiver;
  let provider: Provider;
  let secret: string;
  const buyer = baseWallet();
  before(async () => {
    market = await openMarket({ OUTBOUND_ALLOW: '127.0.0.1' });
  });
  after(() => market.close());
  beforeEach(async (t) => {
    receiver = await openReceiver((response) => void response.end('thanks'));
    if ('after' in t) t.after(receiver.close);
    provider = await openProvider(market.url);
    secret = await setEndpoint(market.url, provider, `${receiver.url}/hook`);
  });

  const base = (): `/${string}` => `/api/agents/${provider.slug}/webhooks`;
  const byOwner = async (): Promise<CallOptions> => ({ headers: asHeaders(await signed(provider.owner)) });
  const byKey = (): CallOptions => ({ key: provider.key });

  async function ping(): Promise<string> {
    const { delivery_id: id } = await expectCall(market.url, 200, `POST ${base()}/ping`, byKey());
    return id;
  }

  async function read(id: string): Promise<Envelope> {
    return await expectCall(market.url, 200, `GET ${base()}/deliveries/${id}`, byKey());
  }

  async function untilState(id: string, state: string, seconds = 15): Promise<Envelope> {
    return await until(
      `${id} being ${state}`,
      async () => {
        const delivery = await read(id);
        return delivery['state'] === state ? delivery : undefined;
      },
      seconds,
    );
  }

  async function webhookNotices(who: CallOptions): Promise<Envelope[]> {
    const { body } = await call(market.url, 'GET /api/notifications', who);
    return body['data'].filter((row: Envelope) => row['type'] === 'provider_webhook_failed');
  }

  async function placeAndFind(): Promise<{ order: string; id: string }> {
    const order = await placeOrder(market.url, await listService(market.url, provider, { price_type: 'quote' }), buyer);
    const list = await expectCall(market.url, 200, `GET ${base()}/deliveries`, byKey());
    return { order, id: list[0]['delivery_id'] };
  }

  test('a webhook ping sends a test event like any other, and the log shows request and answer', async () => {
    const id = await ping();
    const delivery = await untilState(id, 'delivered');
    const [got] = receiver.received;
    assert.ok(got);
    assert.equal(got.text, '{"event":"ping","order_id":"","data":{"test":true}}');
    assert.equal(got.headers['x-market-delivery-id'], id);
    requireSigned(got, secret);
    const { attempts, body, created_at, finished_at, seq, ...rest } = delivery;
    assert.deepEqual(rest, {
      delivery_id: id,
      agent_id: provider.id,
      event: 'ping',
      order_id: null,
      state: 'delivered',
      is_test: true,
      redeliveries: 0,
      next_attempt_at: null,
    });
    assert.deepEqual([body, attempts.length, typeof seq], [got.text, 1, 'number']);
    const [{ at, duration_ms, headers, ...attempt }] = attempts;
    assert.deepEqual(attempt, { number: 1, status: 200, error: null, url: `${receiver.url}/hook`, answer: 'thanks' });
    assert.ok(Math.abs(Date.parse(at) - Date.now()) < 60_000 && duration_ms >= 0);
    for (const [name, value] of Object.entries(headers)) assert.equal(got.headers[name.toLowerCase()], value, name);
    assert.ok(created_at <= finished_at);
  });

  test('a webhook ping without an endpoint is refused, and a failed one sends no notification', async () => {
    receiver.answer((response) => void response.writeHead(500).end());
    await untilState(await ping(), 'failed');
    await untilHandled(market.database.pool);
    assert.deepEqual(await webhookNotices(await byOwner()), []);
    await expectCall(market.url, 200, 'PATCH /api/agents/me', { ...byKey(), body: { endpoint_url: null } });
    assert.equal((await expectCall(market.url, 400, `POST ${base()}/ping`, byKey()))['code'], 'endpoint_missing');
  });

  test('W09: the owner is notified once after the third failed webhook attempt, by wallet or by account', async () => {
    receiver.answer((response) => void response.writeHead(418).end('no'));
    const { order, id } = await placeAndFind();
    const delivery = await untilState(id, 'failed');
    assert.deepEqual(
      delivery['attempts'].map((attempt: Envelope) => [attempt['number'], attempt['status'], attempt['error'], attempt['answer']]),
      [1, 2, 3].map((number) => [number, 418, 'The endpoint answered with status 418.', 'no']),
    );
    await untilHandled(market.database.pool);
    const heard = await webhookNotices(await byOwner());
    assert.equal(heard.length, 1);
    assert.deepEqual([heard[0]?.['order_id'], heard[0]?.['wallet']], [order, provider.owner.address]);
    assert.match(heard[0]?.['body'], /did not take the event order\.created in 3 attempts\. The endpoint answered with status 418\./);

    const token = await tokenFor(market.url, { email: 'owner-by-account@example.com' });
    const owned = await registerAgent(market.url, { endpoint_url: receiver.url }, { key: token });
    const service = await listService(
      market.url,
      { id: owned.id, headers: { authorization: `Bearer ${owned.key}` } },
      { price_type: 'quote' },
    );
    await placeOrder(market.url, service, buyer);
    await until('the notification', async () => {
      return (await webhookNotices({ key: token })).some((row) => row['user_id'] !== null) ? true : undefined;
    });
  });

  test('the list of webhooks is filtered by state and event and paged by cursor without gap or repeat', async () => {
    const ids: string[] = [];
    for (let number = 0; number < 5; number++) ids.push(await ping());
    const { id: placed } = await placeAndFind();
    await Promise.all([...ids, placed].map((id) => untilState(id, 'delivered')));
    const list = async (query: object) => (await call(market.url, `GET ${base()}/deliveries${asQuery(query)}`, byKey())).body;
    const idsOf = (page: Envelope): string[] => page['data'].map((row: Envelope) => row['delivery_id']);
    assert.deepEqual(idsOf(await list({})), [...ids, placed].reverse());
    assert.deepEqual(idsOf(await list({ event: 'order.created' })), [placed]);
    assert.deepEqual((await list({ event: 'ping', state: 'failed' }))['total'], 0);
    const paged: string[] = [];
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const page = await list({ event: 'ping', state: 'delivered', limit: 2, ...(cursor !== undefined && { cursor }) });
      assert.equal(page['total'], 5);
      paged.push(...idsOf(page));
      cursor = page['next_cursor'];
    }
    assert.deepEqual(paged, ids.toReversed());
    assert.equal((await list({ state: 'lost' }))['code'], 'invalid_input');
    assert.equal((await list({ cursor: 'nonsense' }))['code'], 'invalid_cursor');
  });

  test('a webhook can be resent under its id, up to three times each round, to the agent’s current endpoint', async () => {
    receiver.answer((response) => void response.writeHead(500).end());
    const id = await ping();
    assert.equal((await expectCall(market.url, 409, `POST ${base()}/deliveries/${id}/redeliver`, byKey()))['code'], 'delivery_under_way');
    await untilState(id, 'failed');
    const moved = await openReceiver();
    await setEndpoint(market.url, provider, moved.url);
    const queued = await expectCall(market.url, 200, `POST ${base()}/deliveries/${id}/redeliver`, await byOwner());
    assert.deepEqual([queued['state'], queued['redeliveries'], queued['attempts'].length], ['retrying', 1, 3]);
    const delivery = await untilState(id, 'delivered');
    assert.deepEqual(
      delivery['attempts'].map((attempt: Envelope) => attempt['status']),
      [500, 500, 500, 200],
    );
    assert.deepEqual([moved.received.length, moved.received[0]?.headers['x-market-delivery-id']], [1, id]);
    await moved.close();
    await expectCall(market.url, 200, `POST ${base()}/deliveries/${id}/redeliver`, byKey());
    assert.equal((await untilState(id, 'failed'))['attempts'].length, 7);
    await expectCall(market.url, 404, `POST ${base()}/deliveries/${id.replace(/^.{8}/, '00000000')}/redeliver`, byKey());
  });

  test('a new webhook secret overlaps with the old one, by default for a day; then the old one is removed', async () => {
    const path = `${base()}/rotate-secret` as const;
    const rotate = async (body: object) =>
      await call(market.url, `POST ${path}`, {
        body: { ...body, ...(await signedFor(market.url, provider.owner, { method: 'POST', path, body: { ...body } })) },
      });
    const refused = await call(market.url, `POST ${path}`, { ...byKey(), body: {} });
    assert.deepEqual([refused.status, refused.body['code']], [403, 'owner_proof_required']);
    const reply = await rotate({});
    assert.equal(reply.status, 200, JSON.stringify(reply.body));
    const fresh: string = reply.body['data'].webhook_secret;
    assert.match(fresh, /^whsec_[0-9a-f]{64}$/);
    assert.notEqual(fresh, secret);
    const settings = await expectCall(market.url, 200, `GET ${base()}`, byKey());
    assert.equal(settings['previous_secret_until'], reply.body['data'].previous_secret_until);

    await untilState(await ping(), 'delivered');
    requireSigned(receiver.received[0] as never, fresh, secret);
    await advanceClock(market.url, 24 * 3600 + 1);
    await untilState(await ping(), 'delivered');
    requireSigned(receiver.received[1] as never, fresh);
    const last = (await rotate({ overlap_hours: 0 })).body['data'];
    assert.equal(last.previous_secret_until, null);
    await untilState(await ping(), 'delivered');
    requireSigned(receiver.received[2] as never, last.webhook_secret);
    assert.equal((await rotate({ overlap_hours: 200 })).status, 400);
  });

  test('W13: after a change of owner, endpoint and secret an older webhook goes to the new endpoint, signed with the new secret alone', async (t) => {
    const [former, current] = [receiver, await openReceiver()];
    t.after(current.close);
    const changed = Promise.withResolvers<void>();
    former.answer(async (response) => {
      await changed.promise;
      response.writeHead(500).end();
    });
    const lone = await registerAgent(market.url, { endpoint_url: former.url });
    const at = `/api/agents/${lone.id}/webhooks` as const;
    const { delivery_id: id } = await expectCall(market.url, 200, `POST ${at}/ping`, { key: lone.key });
    await until('the first attempt', async () => (former.received.length > 0 ? true : undefined), 15);

    const owner = baseWallet();
    const claim = { owner_wallet: owner.address, endpoint_url: current.url };
    const proof = await signedFor(market.url, owner, { method: 'PATCH', path: '/api/agents/me', body: claim });
    await expectCall(market.url, 200, 'PATCH /api/agents/me', { key: lone.key, body: { ...claim, ...proof } });
    const rotation = { overlap_hours: 0 };
    const consent = await signedFor(market.url, owner, { method: 'POST', path: `${at}/rotate-secret`, body: rotation });
    const rotated = await expectCall(market.url, 200, `POST ${at}/rotate-secret`, { body: { ...rotation, ...consent } });
    const tried = former.received.length;
    changed.resolve();

    await until('the next attempt', async () => (current.received.length > 0 ? true : undefined), 30);
    const [got] = current.received;
    assert.equal(got?.headers['x-market-delivery-id'], id);
    requireSigned(got as never, rotated['webhook_secret']);
    for (const before of former.received) requireSigned(before, lone.answer['webhook_secret']);
    assert.equal(former.received.length, tried, 'the former endpoint gets nothing more');
    const log = await expectCall(market.url, 200, `GET ${at}/deliveries/${id}`, { headers: asHeaders(await signed(owner)) });
    assert.equal(log['agent_id'], lone.id);
  });

  test('W12: a call whose event goes to a hanging endpoint is as fast as one whose endpoint answers', async (t) => {
    const hanging = await openReceiver(() => undefined);
    t.after(hanging.close);
    const busy = await openProvider(market.url);
    await setEndpoint(market.url, busy, hanging.url);
    const services = {
      answering: await listService(market.url, provider, { price_type: 'quote' }),
      hanging: await listService(market.url, busy, { price_type: 'quote' }),
    };
    const took = { answering: [] as number[], hanging: [] as number[] };
    // The kinds alternate, so that a busy machine slows both alike.
    for (let round = 0; round < 25; round++) {
      for (const kind of ['answering', 'hanging'] as const) {
        const started = performance.now();
        await placeOrder(market.url, services[kind], buyer);
        took[kind].push(performance.now() - started);
      }
    }
    assert.ok(hanging.received.length > 0, 'the hanging endpoint was called');
    const [answered, hung] = [took.answering, took.hanging].map((times) => times.sort((a, b) => a - b)[23] ?? 0) as [number, number];
    assert.ok(hung < 3 * answered + 100, `95 of 100 calls took ${answered.toFixed()} ms, with a hanging endpoint ${hung.toFixed()} ms`);
  });

  test('the key of an ownerless agent may change its webhook secret', async () => {
    const lone = await registerAgent(market.url, { endpoint_url: receiver.url });
    const rotated = await expectCall(market.url, 200, `POST /api/agents/${lone.id}/webhooks/rotate-secret`, { key: lone.key, body: {} });
    const me = await expectCall(market.url, 200, 'GET /api/agents/me', { key: lone.key });
    assert.equal(me['webhook_secret'], rotated['webhook_secret']);
  });

  test('extended webhook retries continue for a day under the same id, and notify at the end', async () => {
    receiver.answer((response) => void response.writeHead(503).end());
    const on = await expectCall(market.url, 200, `PATCH ${base()}`, { ...byKey(), body: { extended_retries: true } });
    assert.equal(on['extended_retries'], true);
    const { id } = await placeAndFind();
    const attemptsOf = async (count: number) =>
      await until(`attempt ${count}`, async () => ((await read(id))['attempts'].length >= count ? true : undefined));
    for (const [count, seconds] of [
      [3, 60],
      [4, 600],
      [5, 3_600],
      [6, 21_600],
      [7, 86_400],
    ] as const) {
      await attemptsOf(count);
      assert.equal((await read(id))['state'], 'retrying');
      await advanceClock(market.url, seconds);
    }
    const { attempts } = await untilState(id, 'failed');
    assert.equal(attempts.length, 8);
    assert.equal(new Set(receiver.received.map(({ headers }) => headers['x-market-delivery-id'])).size, 1);
    await untilHandled(market.database.pool);
    assert.equal((await webhookNotices(await byOwner())).length, 1);
  });

  test('strangers can neither read nor use any of the webhook tools', async () => {
    const id = await ping();
    const stranger = await openProvider(market.url);
    const asked: [`${string} /${string}`, object?][] = [
      [`GET ${base()}`],
      [`PATCH ${base()}`, { extended_retries: true }],
      [`GET ${base()}/deliveries`],
      [`GET ${base()}/deliveries/${id}`],
      [`POST ${base()}/deliveries/${id}/redeliver`],
      [`POST ${base()}/ping`],
      [`POST ${base()}/rotate-secret`, {}],
    ];
    for (const [route, body] of asked) {
      const sent = body === undefined ? {} : { body };
      assert.equal((await call(market.url, route, sent)).status, 401, route);
      assert.equal((await call(market.url, route, { ...sent, key: stranger.key })).status, 403, route);
      assert.equal((await call(market.url, route, { ...sent, headers: asHeaders(await signed(buyer)) })).status, 403, route);
    }
    const theirs = `/api/agents/${stranger.id}/webhooks/deliveries/${id}` as const;
    assert.equal((await call(market.url, `GET ${theirs}`, { key: stranger.key })).status, 404);
  });

  test('the webhook metrics show open deliveries, outcomes of attempts and waiting times', async () => {
    await untilState(await ping(), 'delivered');
    const figures = await (await fetch(`${market.url}/metrics`)).text();
    assert.match(figures, /^market_webhooks_open \d+$/m);
    assert.match(figures, /^market_webhook_attempt_seconds_count\{outcome="delivered"\} [1-9]\d*$/m);
    assert.match(figures, /^market_webhook_wait_seconds_count [1-9]\d*$/m);
  });

  test('the webhook log is kept for 30 days, and open deliveries until they end', async () => {
    const old = await ping();
    await untilState(old, 'delivered');
    await market.database.pool.query(`update webhook_deliveries set created_at = created_at - interval '31 days' where id = $1`, [old]);
    await market.database.pool.query(`update jobs set run_at = market_now() where kind = 'webhooks.clear'`);
    await market.database.pool.query(`select pg_notify('market_jobs', '')`);
    await until('it being cleared', async () =>
      (await call(market.url, `GET ${base()}/deliveries/${old}`, byKey())).status === 404 ? true : undefined,
    );
    const { rowCount } = await market.database.pool.query('select 1 from webhook_attempts where agent_id = $1', [provider.id]);
    assert.equal(rowCount, 0);
  });
});
