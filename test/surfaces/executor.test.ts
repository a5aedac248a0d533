/** The checks of the executor, called by a transport without checks of its own, and shared with REST. */
import assert from 'node:assert/strict';
import { createHash, randomUUID } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { canonicalJson, MarketError, type OperationName } from '@market/contract';
import { createSecretBox } from '../../packages/server/src/platform/secrets/secret-box.ts';
import { registerAgent, registerOwnedAgent } from '../harness/agents.ts';
import { png } from '../harness/files.ts';
import { call, expectCall } from '../harness/http.ts';
import { callInProcess, operationNamed, REST_ADDRESS, requestFor } from '../harness/in-process.ts';
import { MASTER_KEY, openMarket, type TestMarket } from '../harness/market.ts';
import { agentBody, baseWallet, signed, signedFor, tokenFor } from '../harness/people.ts';
import { serviceBody } from '../harness/services.ts';

describe('rate limits', () => {
  let market: TestMarket;
  before(async () => {
    market = await openMarket({ RATE_LIMIT_SCALE: '1', JOBS: 'off' });
  });
  after(() => market.close());

  test('a rate limit used up in process is used up over REST', async () => {
    for (let n = 0; n < 60; n++) {
      const { code } = await callInProcess(market, 'auth.checkUsername', { u: 'ines' }, { from: REST_ADDRESS });
      assert.equal(code, 'ok');
    }
    const refused = await callInProcess(market, 'auth.checkUsername', { u: 'ines' }, { from: REST_ADDRESS });
    assert.equal(refused.code, 'too_many_requests');
    assert.ok((refused.refusal?.retryAfterSeconds ?? 0) > 0);
    const rest = await call(market.url, 'GET /api/auth/check-username?u=ines');
    assert.deepEqual([rest.status, rest.body['code'], rest.headers.get('x-ratelimit-remaining')], [429, 'too_many_requests', '0']);
  });

  test('a rate limit used up over REST is used up in process, and another client has its own', async () => {
    for (let n = 0; n < 10; n++) await call(market.url, 'POST /api/agents/recover', { body: {} });
    const [same, other] = [{ from: REST_ADDRESS }, { from: '203.0.113.20' }];
    assert.equal((await callInProcess(market, 'agents.recover', {}, same)).code, 'too_many_requests');
    assert.equal((await callInProcess(market, 'agents.recover', {}, other)).code, 'unauthenticated');
  });

  test('a rate limit count is valid for one call, of the same operation and client', async () => {
    const { executor } = market;
    const [operation, other] = [operationNamed('auth.checkUsername'), operationNamed('stats.board')];
    const source = { clientAddress: '203.0.113.21' };
    const counted = await executor.calls.count(operation, source);
    const request = { ...requestFor(operation, { u: 'ines' }, { from: source.clientAddress }), counted };
    const notItsOwn = /count that is not its own/;
    await assert.rejects(executor.execute({ ...request, operation: other }), notItsOwn);
    await assert.rejects(executor.execute({ ...request, credentials: { clientAddress: '203.0.113.22' } }), notItsOwn);
    await assert.rejects(executor.execute({ ...request, counted: { ...counted } }), notItsOwn);
    await executor.execute(request);
    await assert.rejects(executor.execute(request), notItsOwn);
  });

  test('a count beyond the rate limit is refused also when the transport ignored it', async () => {
    const { executor } = market;
    const operation = operationNamed('agents.recover');
    const source = { clientAddress: '203.0.113.23' };
    for (let n = 0; n < 10; n++) await executor.calls.count(operation, source);
    const counted = await executor.calls.count(operation, source);
    const request = { ...requestFor(operation, {}, { from: source.clientAddress }), counted };
    await assert.rejects(executor.execute(request), (error) => error instanceof MarketError && error.code === 'too_many_requests');
  });
});

describe('access, arguments and answers', () => {
  let market: TestMarket;
  before(async () => {
    market = await openMarket({ JOBS: 'off' });
  });
  after(() => market.close());

  test('access to an operation depends on the credentials of a call, not on its transport', async () => {
    const agent = await registerAgent(market.url);
    const stranger = await registerAgent(market.url);
    const change = { id: agent.id, description: 'Does the same work with more care than before.' };
    assert.equal((await callInProcess(market, 'agents.update', change)).code, 'unauthenticated');
    assert.equal((await callInProcess(market, 'agents.update', change, { key: `market_${'0'.repeat(48)}` })).code, 'invalid_api_key');
    assert.equal((await callInProcess(market, 'agents.update', change, { key: stranger.key })).code, 'forbidden');
    assert.equal((await callInProcess(market, 'agents.mine', {}, { key: agent.key })).code, 'wrong_credential');
    assert.equal((await callInProcess(market, 'agents.update', change, { key: agent.key })).code, 'ok');
    const shown = await expectCall(market.url, 200, `GET /api/agents/${agent.id}`, { key: agent.key });
    assert.equal(shown['agent'].description, change.description);
  });

  test('a banned wallet is refused in process as over REST', async () => {
    const wallet = baseWallet();
    const admin = await tokenFor(market.url, { email: 'ops@example.com', admin: true });
    const body = { kind: 'wallet', value: wallet.address, reason: 'Stolen pictures.' };
    await expectCall(market.url, 200, 'POST /api/admin/bans', { key: admin, body });
    assert.equal((await callInProcess(market, 'orders.list', {}, { signature: await signed(wallet) })).code, 'banned');
  });

  test('arguments in process are validated: types, bounds, depth and private links', async () => {
    const agent = await registerAgent(market.url);
    const create = (more: Record<string, unknown>) =>
      callInProcess(market, 'services.create', { id: agent.id, ...serviceBody(more) }, { key: agent.key });
    const wrong = await create({ price_usd: 'much', nonsense: 1 });
    assert.equal(wrong.code, 'invalid_input');
    assert.match(wrong.refusal?.message ?? '', /price_usd.*Unknown field: nonsense/);
    assert.equal((await create({ demo_url: 'http://10.0.0.1/demo' })).code, 'invalid_input');
    let deep: unknown = 'x';
    for (let n = 0; n < 40; n++) deep = [deep];
    assert.equal((await create({ deliverables: deep })).code, 'json_too_deep');
    assert.equal((await create({ title: 'NUL \u0000 inside' })).code, 'invalid_encoding');
    assert.equal((await create({})).code, 'ok');
  });

  test('a number and its text are the same argument where a URL would carry text', async () => {
    const [byNumber, byText] = await Promise.all(
      [2, '2'].map((limit) => callInProcess(market, 'services.list', { limit, sortBy: 'newest' })),
    );
    assert.equal(byNumber?.code, 'ok');
    assert.deepEqual(byNumber?.answer, byText?.answer);
  });

  test('a file argument is validated by the same rules', async () => {
    const { key } = await registerAgent(market.url);
    const file = new File([new Uint8Array(png(2, 2))], 'a.png', { type: 'image/png' });
    const sent = await callInProcess(market, 'uploads.upload', { file }, { key });
    assert.equal(sent.code, 'ok', sent.refusal?.message);
    const usage = await expectCall(market.url, 200, 'GET /api/upload', { key });
    assert.equal(usage['agent'].used_files, 1);
    assert.equal((await callInProcess(market, 'uploads.upload', {}, { key })).code, 'file_missing');
    assert.equal((await callInProcess(market, 'uploads.upload', { file: new Blob([]) }, { key })).code, 'file_empty');
    assert.equal((await callInProcess(market, 'uploads.upload', { file: 'a.png' }, { key })).code, 'invalid_input');
    const tooLarge = new Blob([Buffer.alloc(5 * 1024 * 1024 + 1)]);
    assert.equal((await callInProcess(market, 'uploads.briefImage', { file: tooLarge }, { key })).code, 'body_too_large');
  });

  test('a custody signature names the REST route on every transport', async () => {
    const owner = baseWallet();
    const { id, key } = await registerOwnedAgent(market.url, owner);
    const body = { payout_address_base: baseWallet().address };
    const update = async (signature: Awaited<ReturnType<typeof signed>>, args: Record<string, unknown> = body) =>
      await callInProcess(market, 'agents.update', { id, ...args }, { key, signature });
    const signedOther = await signedFor(market.url, owner, { method: 'PATCH', path: '/api/agents/other', body });
    assert.equal((await update(signedOther)).code, 'invalid_signature');
    const signature = await signedFor(market.url, owner, { method: 'PATCH', path: `/api/agents/${id}`, body });
    assert.equal((await update(signature, { payout_address_base: baseWallet().address })).code, 'invalid_signature');
    const done = await update(signature);
    assert.equal(done.code, 'ok', done.refusal?.message);
    assert.equal((await update(signature)).code, 'signature_already_used');
  });

  test('without credentials or payment an order answers its price, and so does a registration on request', async () => {
    const order = await callInProcess(market, 'orders.place', { service_id: 'svc_none', brief: 'A box for a round cheese.' });
    assert.equal(order.code, 'service_not_found');
    const { key } = await registerAgent(market.url);
    assert.equal(
      (await callInProcess(market, 'orders.place', { service_id: 'svc_none', brief: 'A box for a round cheese.' }, { key })).code,
      'service_not_found',
    );
    // This market has no chains, so there is nothing to pay on, and no agent is registered.
    assert.equal((await callInProcess(market, 'agents.register', agentBody({ pay: 'x402' }))).code, 'paid_registration_unavailable');
    assert.equal(
      (await callInProcess(market, 'agents.register', agentBody({ pay_to_register: true }))).code,
      'paid_registration_unavailable',
    );
    assert.equal((await callInProcess(market, 'agents.register', agentBody())).code, 'ok');
  });
});

describe('idempotency', () => {
  let market: TestMarket;
  before(async () => {
    market = await openMarket({ JOBS: 'off' });
  });
  after(() => market.close());

  const keyed = (idempotencyKey: string) => ({ 'idempotency-key': idempotencyKey });

  test('the same Idempotency-Key in process and over REST gives the same result once', async () => {
    const { id, key } = await registerAgent(market.url);
    const body = serviceBody();
    const [first, second] = [randomUUID(), randomUUID()];

    const made = await callInProcess(market, 'services.create', { id, ...body }, { key, idempotencyKey: first });
    const overRest = await call(market.url, `POST /api/agents/${id}/services`, { key, body, headers: keyed(first) });
    assert.deepEqual([overRest.status, overRest.headers.get('idempotent-replayed')], [201, 'true']);
    assert.deepEqual(overRest.body, { success: true, ...made.answer });

    const restFirst = await call(market.url, `POST /api/agents/${id}/services`, { key, body, headers: keyed(second) });
    const replay = await callInProcess(market, 'services.create', { id, ...body }, { key, idempotencyKey: second });
    assert.deepEqual([replay.code, replay.replayed], ['ok', true]);
    assert.deepEqual({ success: true, ...replay.answer }, restFirst.body);

    const other = await callInProcess(
      market,
      'services.create',
      { id, ...serviceBody({ title: 'Another title' }) },
      { key, idempotencyKey: first },
    );
    assert.equal(other.code, 'idempotency_key_reused');
    const { total } = (await call(market.url, `GET /api/agents/${id}/services`, { key })).body;
    assert.equal(total, 2);
  });

  test('calls without a body, with a query and with a file replay across transports', async () => {
    const { key } = await registerAgent(market.url);
    const none = randomUUID();
    const rotated = await callInProcess(market, 'agents.rotateKey', {}, { key, idempotencyKey: none });
    for (const body of [undefined, {}]) {
      const again = await call(market.url, 'POST /api/agents/me/rotate-key', { key, body, headers: keyed(none) });
      assert.deepEqual(again.body, { success: true, ...rotated.answer });
    }
    const newKey = rotated.answer['data'].api_key as string;
    assert.notEqual(newKey, key);

    const registration = agentBody();
    const asked = randomUUID();
    const registered = await call(market.url, 'POST /api/agents/register?x402Version=2', { body: registration, headers: keyed(asked) });
    const again = await callInProcess(
      market,
      'agents.register',
      { ...registration, x402Version: 2 },
      { from: REST_ADDRESS, idempotencyKey: asked },
    );
    assert.equal(again.code, 'invalid_input', 'the version is a text');
    const replay = await callInProcess(
      market,
      'agents.register',
      { ...registration, x402Version: '2' },
      { from: REST_ADDRESS, idempotencyKey: asked },
    );
    assert.deepEqual({ success: true, ...replay.answer }, registered.body);

    const upload = randomUUID();
    const bytes = new Uint8Array(png(3, 3));
    const file = new File([bytes], 'a.png', { type: 'image/png' });
    const sent = await callInProcess(market, 'uploads.upload', { file }, { key: newKey, idempotencyKey: upload });
    const form = new FormData();
    form.set('file', file);
    const response = await fetch(`${market.url}/api/upload`, {
      method: 'POST',
      body: form,
      headers: { authorization: `Bearer ${newKey}`, ...keyed(upload) },
    });
    assert.equal(response.headers.get('idempotent-replayed'), 'true');
    assert.deepEqual(await response.json(), { success: true, ...sent.answer });
  });

  test('an anonymous replay under a guessable Idempotency-Key omits secrets on both transports', async () => {
    const body = agentBody();
    const made = await callInProcess(market, 'agents.register', body, { from: REST_ADDRESS, idempotencyKey: 'retry-1' });
    assert.match(made.answer['data'].api_key, /^market_/);
    const again = await callInProcess(market, 'agents.register', body, { from: REST_ADDRESS, idempotencyKey: 'retry-1' });
    const overRest = await call(market.url, 'POST /api/agents/register', { body, headers: keyed('retry-1') });
    for (const replay of [again.answer, overRest.body]) {
      assert.equal(replay['data'].api_key, undefined);
      assert.match(replay['notice'], /Idempotency-Key/);
    }
  });

  /** Stores an answer as versions before migration 0027 did: the hashed parts of the HTTP request, the status and the envelope. */
  const storeAsBefore = async (row: {
    scope: string;
    key: string;
    parts: readonly [name: OperationName, path: object, query: object, body: unknown];
    status: number;
    envelope: object;
  }): Promise<void> => {
    const secrets = createSecretBox({ current: Buffer.from(MASTER_KEY, 'hex'), previous: [] });
    const hash = createHash('sha256').update(canonicalJson(row.parts)).digest();
    const sealed = secrets.seal(JSON.stringify(row.envelope), `idempotency_keys/${row.scope}/${row.key}`);
    await market.database.pool.query(
      `insert into idempotency_keys (scope, key, request_hash, lease_token, lease_until, expires_at, status, sealed_answer)
       values ($1, $2, $3, gen_random_uuid(), now(), market_now() + interval '1 hour', $4, $5)`,
      [row.scope, row.key, hash, row.status, sealed],
    );
  };

  test('answers stored before the shared executor are replayed on both transports', async () => {
    const { id, key } = await registerAgent(market.url);
    const scope = (name: OperationName) => `agent:${id} ${name}`;
    const body = serviceBody();
    const created = { data: { service_id: 'svc_before' } };
    await storeAsBefore({
      scope: scope('services.create'),
      key: 'before',
      parts: ['services.create', { id }, {}, body],
      status: 201,
      envelope: { success: true, ...created },
    });
    const replay = await callInProcess(market, 'services.create', { id, ...body }, { key, idempotencyKey: 'before' });
    assert.deepEqual([replay.code, replay.replayed, replay.answer], ['ok', true, created]);
    const overRest = await call(market.url, `POST /api/agents/${id}/services`, { key, body, headers: keyed('before') });
    assert.deepEqual([overRest.status, overRest.body], [201, { success: true, ...created }]);

    const rotated = { data: { api_key: 'kept' }, total: 1 };
    await storeAsBefore({
      scope: scope('agents.rotateKey'),
      key: 'before',
      parts: ['agents.rotateKey', {}, {}, undefined],
      status: 200,
      envelope: { success: true, ...rotated },
    });
    const bodiless = await call(market.url, 'POST /api/agents/me/rotate-key', { key, headers: keyed('before') });
    assert.deepEqual([bodiless.status, bodiless.body], [200, { success: true, ...rotated }]);

    await storeAsBefore({
      scope: scope('orders.accept'),
      key: 'before',
      parts: ['orders.accept', { id: 'ord_1' }, {}, { action: 'accept' }],
      status: 200,
      envelope: { success: true, data: { status: 'quoted' } },
    });
    const selected = await callInProcess(market, 'orders.accept', { id: 'ord_1' }, { key, idempotencyKey: 'before' });
    assert.deepEqual([selected.replayed, selected.answer], [true, { data: { status: 'quoted' } }]);
  });

  test('an Idempotency-Key left by a crashed process is taken over, in the old and the new storage form', async () => {
    const { id, key } = await registerAgent(market.url);
    for (const [idempotencyKey, body] of [
      ['crashed-before', undefined],
      ['crashed-now', {}],
    ] as const) {
      const hash = createHash('sha256')
        .update(canonicalJson(['webhooks.rotateSecret', { id }, {}, body]))
        .digest();
      await market.database.pool.query(
        `insert into idempotency_keys (scope, key, request_hash, lease_token, lease_until, expires_at)
         values ($1, $2, $3, gen_random_uuid(), now() - interval '1 second', market_now() + interval '1 hour')`,
        [`agent:${id} webhooks.rotateSecret`, idempotencyKey, hash],
      );
      const other = await callInProcess(market, 'webhooks.rotateSecret', { id, overlap_hours: 1 }, { key, idempotencyKey });
      assert.equal(other.code, 'idempotency_key_reused');
      const { code, replayed } = await callInProcess(market, 'webhooks.rotateSecret', { id }, { key, idempotencyKey });
      assert.deepEqual([code, replayed], ['endpoint_missing', false], 'it ran');
    }
  });

  test('answers stored under an Idempotency-Key are independent of the transport', async () => {
    const { id, key } = await registerAgent(market.url);
    const idempotencyKey = randomUUID();
    const data = await call(market.url, `POST /api/agents/${id}/services`, { key, body: serviceBody(), headers: keyed(idempotencyKey) });
    const { rows } = await market.database.pool.query('select * from idempotency_keys where key = $1', [idempotencyKey]);
    const secrets = createSecretBox({ current: Buffer.from(MASTER_KEY, 'hex'), previous: [] });
    const stored = JSON.parse(secrets.open(rows[0].sealed_answer, `idempotency_keys/${rows[0].scope}/${idempotencyKey}`));
    assert.equal(rows[0].status, null);
    assert.deepEqual(stored, { data: data.body['data'] });
  });
});
