import assert from 'node:assert/strict';
import { test } from 'node:test';
import { failureOf, refused, serve } from './client-test-service.ts';
import { createMarketClient } from './index.ts';

test('the client splits flat arguments into path, query and body', async (t) => {
  const { baseUrl, seen } = await serve(t);
  const client = createMarketClient({ baseUrl: `${baseUrl}/` });
  await client.agents.setActive({ id: 'tally/rook', active: false });
  await client.agents.list({ category: 'coding', search: 'a b', limit: 1 });
  await client.agents.register({ name: 'Tallyrook', description: 'Reconciles ledgers.', pay: 'x402' });
  assert.deepEqual(
    seen.map(({ method, url, body }) => [method, url, body]),
    [
      ['PATCH', '/api/agents/tally%2Frook/active', { active: false }],
      ['GET', '/api/agents?category=coding&search=a+b&limit=1', undefined],
      ['POST', '/api/agents/register?pay=x402', { name: 'Tallyrook', description: 'Reconciles ledgers.' }],
    ],
  );
});

test('a client call returns the typed data with the fields beside it', async (t) => {
  const { baseUrl } = await serve(t, { body: { success: true, data: [], total: 3, next_cursor: 'c' } });
  const page = await createMarketClient({ baseUrl }).agents.list();
  const total: number = page.total;
  assert.deepEqual(page, { data: [], total: 3, next_cursor: 'c' });
  assert.equal(total, 3);
});

test('the client refuses unknown arguments, and path arguments that would change the path, before sending', async (t) => {
  const { baseUrl, seen } = await serve(t);
  const client = createMarketClient({ baseUrl });
  const untyped = client.agents.get as (args: Record<string, unknown>) => Promise<unknown>;
  await assert.rejects(untyped({ id: 'a', nme: 'x' }), /agents\.get does not take "nme"\. It takes id\./);
  await assert.rejects(client.agents.get({ id: '..' }), /needs "id"/);
  await assert.rejects(untyped({}), /needs "id"/);
  assert.equal(seen.length, 0);
});

test('client writes have an idempotency key, which the caller may choose; reads have none', async (t) => {
  const { baseUrl, seen } = await serve(t);
  const client = createMarketClient({ baseUrl, apiKey: 'market_k' });
  await client.agents.updateMe({ name: 'New name' });
  await client.agents.updateMe({ name: 'New name' }, { idempotencyKey: 'mine' });
  await client.agents.me();
  const keys = seen.map(({ headers }) => headers['idempotency-key']);
  assert.match(String(keys[0]), /^[0-9a-f-]{36}$/);
  assert.deepEqual(keys.slice(1), ['mine', undefined]);
});

test("a call gets the credential it accepts, and the owner's token goes in the body beside an API key", async (t) => {
  const { baseUrl, seen } = await serve(t);
  const client = createMarketClient({ baseUrl, apiKey: 'market_k', accessToken: 'jwt' });
  await client.agents.me();
  await client.auth.user();
  await client.agents.rotateKey();
  await client.agents.register({ name: 'Tallyrook', description: 'Reconciles ledgers.' });
  await createMarketClient({ baseUrl, apiKey: 'market_k' }).agents.register({ name: 'Tallyrook', description: 'Reconciles ledgers.' });
  await createMarketClient({ baseUrl, apiKey: 'market_k' }).auth.user();
  assert.deepEqual(
    seen.map(({ headers }) => headers.authorization),
    ['Bearer market_k', 'Bearer jwt', 'Bearer market_k', 'Bearer jwt', undefined, 'Bearer market_k'],
  );
  assert.deepEqual(seen[2]?.body, { idp_access_token: 'jwt' });
});

test('the client sends a file as the last part of the form, also on a retry', async (t) => {
  const { baseUrl, seen } = await serve(t, { instead: 'drop' }, {});
  const client = createMarketClient({ baseUrl, apiKey: 'market_k', accessToken: 'jwt' });
  await client.uploads.upload({ file: new File(['a,b'], 'sums.csv', { type: 'text/csv' }) });
  assert.equal(seen.length, 2);
  for (const { headers, body } of seen) {
    assert.match(String(headers['content-type']), /^multipart\/form-data; boundary=/);
    assert.match(String(body), /name="idp_access_token"\r\n\r\njwt\r\n[\s\S]+name="file"; filename="sums.csv"\r\n[\s\S]+\r\n\r\na,b\r\n/);
  }
  const untyped = client.uploads.upload as (args: Record<string, unknown>) => Promise<unknown>;
  await assert.rejects(untyped({ file: 'sums.csv' }), /needs "file": a File or Blob/);
});

test('the client retries a write with the same key after a lost connection and after 503', async (t) => {
  const done = { body: { success: true, data: { id: 'a', active: 1 } } };
  const { baseUrl, seen } = await serve(t, { instead: 'drop' }, { ...refused(503, 'unavailable'), headers: { 'retry-after': '0' } }, done);
  const client = createMarketClient({ baseUrl, apiKey: 'market_k' });
  assert.deepEqual(await client.agents.setActive({ id: 'a', active: true }), { data: { id: 'a', active: 1 } });
  assert.equal(seen.length, 3);
  assert.equal(new Set(seen.map(({ headers }) => headers['idempotency-key'])).size, 1);
});

test('the client bounds its retries and throws the last error', async (t) => {
  const { baseUrl, seen } = await serve(t, { ...refused(503, 'unavailable'), headers: { 'retry-after': '0' } });
  const error = await failureOf(createMarketClient({ baseUrl, retries: 1 }).agents.list());
  assert.deepEqual([error.status, error.code, seen.length], [503, 'unavailable', 2]);
});

test('the client retries a 429 after a short wait, and throws it when the wait is long or unknown', async (t) => {
  const limited = refused(429, 'too_many_requests');
  const short = await serve(t, { ...limited, headers: { 'retry-after': '0' } }, {});
  await createMarketClient({ baseUrl: short.baseUrl }).agents.list();
  assert.equal(short.seen.length, 2);
  const long = await serve(t, { ...limited, headers: { 'retry-after': '3000' } });
  assert.equal((await failureOf(createMarketClient({ baseUrl: long.baseUrl }).agents.list())).retryAfterSeconds, 3000);
  const unknown = await serve(t, limited);
  await failureOf(createMarketClient({ baseUrl: unknown.baseUrl }).agents.list());
  assert.deepEqual([long.seen.length, unknown.seen.length], [1, 1]);
});

test('the client throws a refusal without a retry, with every field of the envelope', async (t) => {
  const { baseUrl, seen } = await serve(t, refused(409, 'duplicate_agent', { data: { a: 1 }, existing_agent: { slug: 'x' } }));
  const error = await failureOf(createMarketClient({ baseUrl }).agents.register({ name: 'Tallyrook', description: 'Reconciles ledgers.' }));
  const { status, code, message, requestId, data, extras } = error;
  assert.deepEqual(
    { status, code, message, requestId, data, extras },
    { status: 409, code: 'duplicate_agent', message: 'No.', requestId: 'req_1', data: { a: 1 }, extras: { existing_agent: { slug: 'x' } } },
  );
  assert.equal(seen.length, 1);
});

test('the client throws unexpected_answer for an answer without the envelope', async (t) => {
  const { baseUrl } = await serve(t, { body: '<h1>Welcome</h1>', headers: { 'x-request-id': 'req_9' } });
  const error = await failureOf(createMarketClient({ baseUrl }).agents.list());
  assert.deepEqual([error.code, error.status, error.requestId], ['unexpected_answer', 200, 'req_9']);
});

test('the client aborts a call that gets no answer in time', async (t) => {
  const { baseUrl } = await serve(t, { instead: 'hang' });
  const error = await failureOf(createMarketClient({ baseUrl, timeoutMs: 60, retries: 0 }).agents.list());
  assert.deepEqual([error.code, error.status], ['request_timed_out', 0]);
});

test("the caller's signal aborts a client call with the caller's reason", async (t) => {
  const { baseUrl } = await serve(t, { instead: 'hang' });
  const stop = new AbortController();
  const call = createMarketClient({ baseUrl }).agents.list({}, { signal: stop.signal });
  setTimeout(() => stop.abort(new Error('Changed my mind.')), 30);
  await assert.rejects(call, /Changed my mind\./);
});

test('the client returns a document without the envelope as data, and throws its refusal', async (t) => {
  const document = { x402Version: 2, resources: [] };
  const { baseUrl } = await serve(t, { body: document }, refused(400, 'invalid_cursor'));
  const client = createMarketClient({ baseUrl });
  assert.deepEqual(await client.x402.manifest(), { data: document });
  assert.equal((await failureOf(client.x402.manifest({ cursor: 'x' }))).code, 'invalid_cursor');
});
