import assert from 'node:assert/strict';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { custodySignedText, ordinarySignedText, siteSignedText } from '@market/contract';
import { createMarketClient, MarketApiError } from './index.ts';

interface Seen {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: unknown;
}

interface Reply {
  readonly status?: number;
  readonly headers?: Record<string, string>;
  readonly body?: unknown;
  /** Drop the connection instead of answering, or never answer. */
  readonly instead?: 'drop' | 'hang';
}

/** A real server that gives the prepared replies in turn (the last one for ever) and remembers what it saw. */
async function serve(t: TestContext, ...replies: Reply[]): Promise<{ baseUrl: string; seen: Seen[] }> {
  const seen: Seen[] = [];
  const server = createServer(async (request, response) => {
    const text = Buffer.concat(await request.toArray()).toString();
    const reply = replies[Math.min(seen.length, replies.length - 1)] ?? {};
    seen.push({
      method: request.method ?? '',
      url: request.url ?? '',
      headers: request.headers,
      body: text === '' ? undefined : request.headers['content-type'] === 'application/json' ? JSON.parse(text) : text,
    });
    if (reply.instead === 'drop') request.socket.destroy();
    if (reply.instead !== undefined) return;
    response.writeHead(reply.status ?? 200, { 'content-type': 'application/json', ...reply.headers });
    response.end(typeof reply.body === 'string' ? reply.body : JSON.stringify(reply.body ?? { success: true, data: {} }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen };
}

async function failureOf(call: Promise<unknown>): Promise<MarketApiError> {
  const error = await call.then(
    () => assert.fail('The call should have failed.'),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof MarketApiError, String(error));
  return error;
}

const refused = (status: number, code: string, more: object = {}) => ({
  status,
  body: { success: false, error: 'No.', code, request_id: 'req_1', ...more },
});

const wallet = {
  address: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
  asked: [] as string[],
  async signMessage(text: string) {
    this.asked.push(text);
    return `signed ${this.asked.length}`;
  },
};

function freshWallet(): typeof wallet {
  return { ...wallet, asked: [] };
}

test('flat arguments are split into path, query and body', async (t) => {
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

test('an answer is its typed data with the fields beside it', async (t) => {
  const { baseUrl } = await serve(t, { body: { success: true, data: [], total: 3, next_cursor: 'c' } });
  const page = await createMarketClient({ baseUrl }).agents.list();
  const total: number = page.total;
  assert.deepEqual(page, { data: [], total: 3, next_cursor: 'c' });
  assert.equal(total, 3);
});

test('an unknown argument, or a path argument that would change the path, is refused before sending', async (t) => {
  const { baseUrl, seen } = await serve(t);
  const client = createMarketClient({ baseUrl });
  const untyped = client.agents.get as (args: Record<string, unknown>) => Promise<unknown>;
  await assert.rejects(untyped({ id: 'a', nme: 'x' }), /agents\.get does not take "nme"\. It takes id\./);
  await assert.rejects(client.agents.get({ id: '..' }), /needs "id"/);
  await assert.rejects(untyped({}), /needs "id"/);
  assert.equal(seen.length, 0);
});

test('writes have an idempotency key, reads do not, and the caller may choose it', async (t) => {
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

test('a file is the last part of the form, also on a retry', async (t) => {
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

test('a write is retried with the same key after a lost connection and after 503', async (t) => {
  const done = { body: { success: true, data: { id: 'a', active: 1 } } };
  const { baseUrl, seen } = await serve(t, { instead: 'drop' }, { ...refused(503, 'unavailable'), headers: { 'retry-after': '0' } }, done);
  const client = createMarketClient({ baseUrl, apiKey: 'market_k' });
  assert.deepEqual(await client.agents.setActive({ id: 'a', active: true }), { data: { id: 'a', active: 1 } });
  assert.equal(seen.length, 3);
  assert.equal(new Set(seen.map(({ headers }) => headers['idempotency-key'])).size, 1);
});

test('retries are bounded, and the last error is thrown', async (t) => {
  const { baseUrl, seen } = await serve(t, { ...refused(503, 'unavailable'), headers: { 'retry-after': '0' } });
  const error = await failureOf(createMarketClient({ baseUrl, retries: 1 }).agents.list());
  assert.deepEqual([error.status, error.code, seen.length], [503, 'unavailable', 2]);
});

test('a 429 is retried after a short wait, and thrown when the wait is long or unknown', async (t) => {
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

test('a refusal is thrown once with every field of the envelope', async (t) => {
  const { baseUrl, seen } = await serve(t, refused(409, 'duplicate_agent', { data: { a: 1 }, existing_agent: { slug: 'x' } }));
  const error = await failureOf(createMarketClient({ baseUrl }).agents.register({ name: 'Tallyrook', description: 'Reconciles ledgers.' }));
  const { status, code, message, requestId, data, extras } = error;
  assert.deepEqual(
    { status, code, message, requestId, data, extras },
    { status: 409, code: 'duplicate_agent', message: 'No.', requestId: 'req_1', data: { a: 1 }, extras: { existing_agent: { slug: 'x' } } },
  );
  assert.equal(seen.length, 1);
});

test('an answer without our envelope is an error that says so', async (t) => {
  const { baseUrl } = await serve(t, { body: '<h1>Welcome</h1>', headers: { 'x-request-id': 'req_9' } });
  const error = await failureOf(createMarketClient({ baseUrl }).agents.list());
  assert.deepEqual([error.code, error.status, error.requestId], ['unexpected_answer', 200, 'req_9']);
});

test('a call without an answer in time is aborted', async (t) => {
  const { baseUrl } = await serve(t, { instead: 'hang' });
  const error = await failureOf(createMarketClient({ baseUrl, timeoutMs: 60, retries: 0 }).agents.list());
  assert.deepEqual([error.code, error.status], ['request_timed_out', 0]);
});

test("the caller's signal aborts the call with the caller's reason", async (t) => {
  const { baseUrl } = await serve(t, { instead: 'hang' });
  const stop = new AbortController();
  const call = createMarketClient({ baseUrl }).agents.list({}, { signal: stop.signal });
  setTimeout(() => stop.abort(new Error('Changed my mind.')), 30);
  await assert.rejects(call, /Changed my mind\./);
});

test('one ordinary wallet signature serves several calls', async (t) => {
  const { baseUrl, seen } = await serve(t);
  const signer = freshWallet();
  const client = createMarketClient({ baseUrl, wallet: signer });
  await client.profiles.update({ bio: 'One' });
  await client.profiles.update({ bio: 'Two' });
  assert.equal(signer.asked.length, 1);
  const [first, second] = seen.map(({ headers }) => headers);
  assert.equal(signer.asked[0], ordinarySignedText(signer.address, Number(first?.['x-market-wallet-sig-ts'])));
  assert.deepEqual(
    ['x-market-wallet', 'x-market-wallet-sig', 'x-market-wallet-chain'].map((name) => second?.[name]),
    [signer.address, 'signed 1', 'base'],
  );
});

test('a single-use call is signed anew each time, also on a retry', async (t) => {
  const { baseUrl, seen } = await serve(t, { instead: 'drop' }, {});
  const signer = freshWallet();
  const client = createMarketClient({ baseUrl, wallet: signer });
  await client.agents.recover({ agent_name: 'Tallyrook' });
  await client.agents.recover({ agent_name: 'Tallyrook' });
  const stamps = seen.map(({ headers }) => headers['x-market-wallet-sig-ts']);
  assert.equal(new Set(stamps).size, 3);
  assert.equal(new Set(signer.asked).size, 3);
  const { host } = new URL(baseUrl);
  const request = { wallet: signer.address, timestampMs: Number(stamps[0]), host, method: 'POST', path: '/api/agents/recover' };
  assert.equal(signer.asked[0], siteSignedText(request));
});

test('a custody proof names method, path and body', async (t) => {
  const { baseUrl, seen } = await serve(t);
  const signer = freshWallet();
  const client = createMarketClient({ baseUrl, wallet: signer, apiKey: 'market_k' });
  await client.agents.updateMe({ name: 'New name', payout_chain: 'base' }, { proof: 'custody' });
  const timestampMs = Number(seen[0]?.headers['x-market-wallet-sig-ts']);
  const body = { payout_chain: 'base', name: 'New name' };
  assert.deepEqual(signer.asked, [
    await custodySignedText({ host: new URL(baseUrl).host, wallet: signer.address, timestampMs, method: 'PATCH', path: '/api/agents/me', body }),
  ]);
});

test('a wallet signs only where a signature is accepted, and a proof without a wallet is refused', async (t) => {
  const { baseUrl, seen } = await serve(t);
  const signer = freshWallet();
  await createMarketClient({ baseUrl, wallet: signer, apiKey: 'market_k' }).agents.me();
  assert.equal(signer.asked.length, 0);
  await assert.rejects(createMarketClient({ baseUrl }).agents.me({}, { proof: 'custody' }), /needs a wallet/);
  assert.equal(seen.length, 1);
});

test('a wallet that refused once is asked again by the next call', async (t) => {
  const { baseUrl } = await serve(t);
  let asked = 0;
  const signMessage = async () => {
    asked += 1;
    if (asked === 1) throw new Error('Not now.');
    return 'signed';
  };
  const client = createMarketClient({ baseUrl, wallet: { address: wallet.address, signMessage } });
  await assert.rejects(client.profiles.update({ bio: 'One' }), /Not now\./);
  await client.profiles.update({ bio: 'One' });
});

test('a document without the envelope is data, and its refusal still an error', async (t) => {
  const document = { x402Version: 2, resources: [] };
  const { baseUrl } = await serve(t, { body: document }, refused(400, 'invalid_cursor'));
  const client = createMarketClient({ baseUrl });
  assert.deepEqual(await client.x402.manifest(), { data: document });
  assert.equal((await failureOf(client.x402.manifest({ cursor: 'x' }))).code, 'invalid_cursor');
});
