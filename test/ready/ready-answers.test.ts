/** Signed-out callers get cached bytes: the same answer, counted the same, and never another caller's. */
import assert from 'node:assert/strict';
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { after, before, suite, test } from 'node:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { operationList } from '@market/contract';
import { isSameForAll, readyRuleOf } from '../../packages/server/src/surfaces/ready/ready-operations.ts';
import { call, type Envelope, expectCall } from '../harness/http.ts';
import { openMarket, type TestMarket } from '../harness/market.ts';
import { listService, openProvider, type Provider } from '../harness/orders.ts';
import { asHeaders, baseWallet, openSession, signed, tokenFor } from '../harness/people.ts';
import { recordStatements, type Statement, type StatementLog } from '../harness/statements.ts';

interface Raw {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
}

suite('answers to signed-out callers', () => {
  let market: TestMarket;
  let provider: Provider;
  let serviceId: string;
  let statements: StatementLog;
  before(async () => {
    market = await openMarket({ JOBS: 'off', RATE_LIMIT_SCALE: '1' });
    statements = recordStatements(market.database.pool);
    provider = await openProvider(market.url);
    serviceId = await listService(market.url, provider, { description: 'Reads a text twice, “slowly”, and marks every slip. '.repeat(15) });
  });
  after(async () => {
    statements.stop();
    await market.close();
  });

  /** Sends only these headers, unlike `fetch`. */
  function send(method: string, path: string, headers: Record<string, string> = {}): Promise<Raw> {
    return new Promise((resolve, reject) => {
      httpRequest(market.url + path, { method, headers }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, bytes: Buffer.concat(chunks) }));
      })
        .on('error', reject)
        .end();
    });
  }
  /** Other tests in this market may change data between both reads: then ask again. */
  async function askTwice(path: string): Promise<{ made: Raw; kept: Raw }> {
    for (let tries = 1; ; tries++) {
      const made = await send('GET', path);
      const kept = await send('GET', path);
      if (kept.headers.etag === made.headers.etag || tries === 20) return { made, kept };
    }
  }
  /** An unknown header skips the cache. */
  const anew = (path: string) => send('GET', path, { 'x-made': 'anew' });
  const changeTitle = (title: string) =>
    expectCall(market.url, 200, `PATCH /api/services/${serviceId}`, { headers: provider.headers, body: { title } });
  const list = '/api/services?limit=20';

  test('a cached answer has the bytes and headers of a new one, except its own request id, date and remaining limit', async () => {
    for (const path of [list, `/api/agents/${provider.slug}`, `/api/services/${serviceId}`, '/api/stats/held', '/browse', '/']) {
      const { made, kept } = await askTwice(path);
      const fresh = await anew(path);
      assert.deepEqual([made.status, kept.status, fresh.status], [200, 200, 200], path);
      assert.ok(kept.bytes.equals(made.bytes), path);
      if (path.startsWith('/api/')) assert.ok(kept.bytes.equals(fresh.bytes), path);
      const shared = ({ headers: { 'x-request-id': _id, date: _date, 'x-ratelimit-remaining': _remaining, ...rest } }: Raw) => rest;
      assert.deepEqual(shared(kept), shared(made), path);
      assert.match(String(kept.headers.etag), /^"[\w-]{27}"$/);
      assert.notEqual(kept.headers['x-request-id'], made.headers['x-request-id']);
      for (const name of ['content-security-policy', 'x-content-type-options', 'referrer-policy', 'content-type'])
        assert.equal(kept.headers[name], fresh.headers[name], `${path} ${name}`);
    }
  });

  test('a cached answer is compressed for clients that accept it, each encoding with its own tag', async () => {
    const plain = await send('GET', list);
    const open = { br: brotliDecompressSync, gzip: gunzipSync } as const;
    for (const encoding of ['br', 'gzip'] as const) {
      for (const round of ['made', 'kept']) {
        const { headers, bytes } = await send('GET', list, { 'accept-encoding': encoding });
        assert.equal(headers['content-encoding'], encoding, round);
        assert.ok(open[encoding](bytes).equals(plain.bytes));
        assert.equal(headers.etag, `${String(plain.headers.etag).slice(0, -1)}-${encoding}"`);
        assert.match(String(headers.vary), /Accept-Encoding/);
      }
    }
    assert.equal((await send('GET', list, { 'accept-encoding': 'gzip;q=0' })).headers['content-encoding'], undefined);
  });

  test('a client that has a cached answer gets 304 until it changes', async () => {
    for (const encoding of ['identity', 'br']) {
      const { headers } = await send('GET', list, { 'accept-encoding': encoding });
      const again = { 'accept-encoding': encoding, 'if-none-match': `"other", W/${headers.etag}` };
      const same = await send('GET', list, again);
      assert.deepEqual([same.status, same.bytes.length, same.headers.etag], [304, 0, headers.etag]);
      assert.equal(same.headers['content-length'], undefined);
      await changeTitle(`Proofreading for ${encoding}`);
      const changed = await send('GET', list, again);
      assert.equal(changed.status, 200);
      assert.notEqual(changed.headers.etag, headers.etag);
      // The same if the request itself renews the answer.
      await changeTitle(`Proofreading ${encoding} again`);
      const tag = (await anewTag(encoding)) ?? '';
      assert.equal((await send('GET', list, { ...again, 'if-none-match': tag })).status, 304);
    }
    async function anewTag(encoding: string): Promise<string | undefined> {
      const other = await send('GET', `${list}&sortBy=popular`, { 'accept-encoding': encoding });
      return other.headers.etag;
    }
  });

  test('HEAD of a cached answer has the head of GET and no body', async () => {
    const get = await send('GET', list);
    const head = await send('HEAD', list);
    assert.deepEqual([head.status, head.bytes.length], [200, 0]);
    assert.deepEqual([head.headers.etag, head.headers['content-length']], [get.headers.etag, get.headers['content-length']]);
  });

  test('a cached read of unchanged data runs no statement except that for the versions', async () => {
    await send('GET', list);
    statements.take();
    await send('GET', list);
    assert.deepEqual(statements.take().map(nameOf), ['versions']);
    await Promise.all(Array.from({ length: 40 }, () => send('GET', list)));
    const shared = statements.take();
    assert.ok(shared.length <= 40 && shared.every((statement) => nameOf(statement) === 'versions'));
    await send('GET', '/api/stats/held');
    statements.take();
    await send('GET', '/api/stats/held');
    assert.deepEqual(statements.take().map(nameOf), ['count']);
    await send('GET', '/browse');
    statements.take();
    await send('GET', '/browse');
    assert.deepEqual(statements.take().map(nameOf), ['versions']);
  });

  const nameOf = ({ text }: Statement): string =>
    text.includes('rate_limit_windows') ? 'count' : text.includes('data_versions') ? 'versions' : text;

  test('a page for a signed-in visitor is rendered from cached answers that are the same for everybody', async () => {
    const session = await openSession(market.url, baseWallet());
    const visit = () => send('GET', '/browse', { cookie: session, accept: 'text/html' });
    await visit();
    statements.take();
    const { status, bytes } = await visit();
    assert.equal(status, 200);
    assert.match(bytes.toString(), /Your account/);
    const asked = statements.take().map(nameOf);
    // Figures are read anew every second.
    const ofVisitor = asked.filter(
      (name) => !['versions', 'count'].includes(name) && !/figures|agent_presence|"orders"|from orders/.test(name),
    );
    assert.ok(
      ofVisitor.length > 0 && ofVisitor.every((text) => /sessions|banned_identities|user_wallets/.test(text)),
      ofVisitor.join('\n'),
    );
  });

  test('answers marked as the same for everybody are the same for an owner', async () => {
    const hidden = await listService(market.url, provider, { title: 'Not offered any more' });
    await expectCall(market.url, 200, `PATCH /api/services/${hidden}`, { headers: provider.headers, body: { active: false } });
    let compared = 0;
    for (const operation of operationList) {
      const { sameForAll } = readyRuleOf(operation) ?? {};
      if (sameForAll === undefined) continue;
      // One search needs a query.
      const path = `${operation.spec.rest.path}${operation.name === 'search.everything' ? '?q=proofreading' : ''}`;
      assert.equal(isSameForAll(new URL(path, market.url)), true, path);
      const own = await send('GET', path, provider.headers);
      const plain = await anew(path);
      assert.deepEqual([own.status, own.bytes.toString()], [200, plain.bytes.toString()], path);
      compared++;
    }
    assert.ok(compared >= 10);
    assert.equal(isSameForAll(new URL('/api/agents?owner_wallet=x', market.url)), false);
  });

  test('of fifty readers after a change one makes the new answer', async () => {
    for (const path of [list, '/browse']) {
      await send('GET', path);
      await changeTitle(`Proofreading, read at once ${path.length}`);
      const before = await outcomes();
      const replies = await Promise.all(Array.from({ length: 50 }, () => send('GET', path)));
      const now = await outcomes();
      assert.equal(new Set(replies.map(({ headers }) => headers.etag)).size, 1);
      assert.match(replies[0]?.bytes.toString() ?? '', /read at once/);
      // A page makes its parts in process; each of those is made at most once, too.
      const own = path === list ? 1 : 3;
      assert.ok(now.made - before.made <= own, `${path}: ${now.made - before.made} were made`);
      assert.ok(now.kept + now.waited - before.kept - before.waited >= 49);
    }
  });

  async function outcomes(): Promise<Record<'kept' | 'waited' | 'made', number>> {
    const text = (await send('GET', '/metrics')).bytes.toString();
    const read = (outcome: string) =>
      Number(new RegExp(`market_ready_requests_total\\{outcome="${outcome}"\\} (\\d+)`).exec(text)?.[1] ?? 0);
    assert.match(text, /market_ready_bytes [1-9]/);
    return { kept: read('kept'), waited: read('waited'), made: read('made') };
  }

  test('every read is counted against its limit, also of a cached answer', async () => {
    const remaining = ({ headers }: Raw) => Number(headers['x-ratelimit-remaining']);
    await market.database.pool.query('delete from rate_limit_windows');
    const replies: Raw[] = [];
    for (let n = 0; n < 122; n++) replies.push(await send('GET', '/api/stats/held'));
    assert.deepEqual(
      replies.slice(0, 120).map(remaining),
      Array.from({ length: 120 }, (_, n) => 119 - n),
    );
    assert.deepEqual(replies.map(({ status }) => status).slice(118), [200, 200, 429, 429]);
    assert.ok(replies.slice(0, 120).every(({ headers }) => headers['x-ratelimit-limit'] === '120'));
    const { rows } = await market.database.pool.query(`select hits from rate_limit_windows where endpoint = 'GET /api/stats/held'`);
    assert.equal(rows[0]?.['hits'], 122);
    // A caller over the limit gets a page without that part, and no one else gets that page.
    await send('GET', `/browse?q=${Date.now()}`);
    await market.database.pool.query('delete from rate_limit_windows');
  });

  test('an answer to a signed-in caller never reaches the next anonymous one', async () => {
    const path = `/api/agents/${provider.slug}` as const;
    const token = await tokenFor(market.url, { email: 'reader@example.com' });
    const session = await openSession(market.url, provider.owner);
    const first = await send('GET', path);
    const owner = await call(market.url, `GET ${path}`, { headers: asHeaders(await signed(provider.owner)) });
    assert.equal(owner.body['data'].agent.is_owner, true);
    for (const headers of [
      { authorization: `Bearer ${provider.key}` },
      { authorization: `Bearer ${token}` },
      { cookie: session },
      asHeaders(await signed(provider.owner)),
    ]) {
      await changeTitle(`Proofreading beside ${Object.keys(headers).join(' ')}`);
      // The signed-in caller reads first after a change.
      const seen = await send('GET', path, headers);
      assert.equal(seen.headers.etag, undefined, JSON.stringify(headers));
      const query = await signed(provider.owner);
      await send('GET', `${path}?${new URLSearchParams(query as unknown as Record<string, string>)}`);
      const stranger = JSON.parse((await send('GET', path)).bytes.toString()) as Envelope;
      assert.equal(stranger['data'].agent.is_owner, false);
      assert.equal(stranger['data'].agent.moderation, undefined);
    }
    const last = JSON.parse((await send('GET', path)).bytes.toString()) as Envelope;
    assert.deepEqual(Object.keys(last['data'].agent), Object.keys((JSON.parse(first.bytes.toString()) as Envelope)['data'].agent));

    const pageOfSomebody = await send('GET', '/browse', { cookie: session });
    assert.deepEqual([pageOfSomebody.status, pageOfSomebody.headers.etag], [200, undefined]);
    const pageOfNobody = await send('GET', '/browse', { cookie: 'theme=dark; unrelated=1' });
    assert.match(pageOfNobody.bytes.toString(), /data-theme="dark"/);
    assert.doesNotMatch((await send('GET', '/browse')).bytes.toString(), /data-theme/);
    for (const { bytes } of [pageOfNobody, await send('GET', '/browse')]) assert.ok(!bytes.includes(provider.owner.address));
  });

  test('an answer to a signature in the query is never cached, however its name is written', async () => {
    const { wallet, wallet_sig: signature, wallet_sig_ts: at } = await signed(provider.owner);
    const path = `/api/agents/${provider.slug}?wallet=${wallet}&wallet%5Fsig=${encodeURIComponent(String(signature))}&wallet_sig_ts=${at}`;
    for (let round = 0; round < 2; round++) assert.equal((await send('GET', path)).headers.etag, undefined);
  });

  test('refusals are not cached', async () => {
    for (const path of ['/api/agents/nobody-has-this', '/agents/nobody-has-this', '/api/services?limit=0']) {
      for (let round = 0; round < 2; round++) {
        const { status, headers } = await send('GET', path);
        assert.ok(status >= 400);
        assert.equal(headers.etag, undefined);
      }
    }
  });

  test('a cached answer gives other sites their own headers, and none of our own site’s', async () => {
    const foreign = { origin: 'https://elsewhere.example' };
    for (let round = 0; round < 2; round++) {
      const { headers } = await send('GET', list, foreign);
      assert.deepEqual([headers['access-control-allow-origin'], headers['access-control-allow-credentials']], ['*', undefined]);
      const own = await send('GET', list, { origin: market.url });
      assert.deepEqual([own.headers['access-control-allow-origin'], own.headers['access-control-allow-credentials']], [market.url, 'true']);
      assert.equal((await send('GET', list)).headers['access-control-allow-origin'], undefined);
    }
  });

  test('moving the market’s clock drops cached answers that depend on time', async () => {
    const state = async () =>
      (JSON.parse((await send('GET', `/api/agents/${provider.slug}`)).bytes.toString()) as Envelope)['data'].agent.presence;
    await expectCall(market.url, 200, 'GET /api/agents/me', { key: provider.key });
    for (let n = 0; n < 100 && (await state()).state !== 'alive'; n++) await new Promise((resolve) => setTimeout(resolve, 50));
    assert.equal((await state()).state, 'alive');
    await expectCall(market.url, 200, 'POST /sandbox/clock', { body: { advance_seconds: 600 } });
    assert.equal((await state()).state, 'quiet');
  });
});

test('without memory for it no answer is cached', async () => {
  const market = await openMarket({ JOBS: 'off', READY_ANSWERS_MB: '0' });
  try {
    const reply = await call(market.url, 'GET /api/services');
    assert.deepEqual([reply.status, reply.headers.get('etag'), reply.headers.get('cache-control')], [200, null, 'no-store']);
  } finally {
    await market.close();
  }
});
