/** Input made to exhaust, confuse or inject. The property tests cover every operation; these check the exact answer to each attack. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { registerAgent, registerOwnedAgent } from '../harness/agents.ts';
import { type CallOptions, call } from '../harness/http.ts';
import { openMarket, type TestMarket } from '../harness/market.ts';
import { agentBody, solanaWallet } from '../harness/people.ts';
import { sendRaw } from '../harness/raw-http.ts';
import { faultsOfRefusal } from '../harness/refusal.ts';

let market: TestMarket;
before(async () => {
  market = await openMarket();
});
after(() => market.close());

const send = (route: `${string} /${string}`, options?: CallOptions) => call(market.url, route, options);
const register = (options: CallOptions) => send('POST /api/agents/register', options);

async function timed<T>(work: () => Promise<T>): Promise<{ result: T; ms: number }> {
  const started = performance.now();
  const result = await work();
  return { result, ms: performance.now() - started };
}

test('I01: a body of 256 KiB is accepted, one byte more is refused', async () => {
  const pad = (bytes: number) => `{"name":"${'x'.repeat(bytes - 11)}"}`;
  assert.equal((await register({ raw: pad(256 * 1024) })).body['code'], 'invalid_input');
  assert.equal((await register({ raw: pad(256 * 1024 + 1) })).body['code'], 'body_too_large');
  assert.equal((await register({ raw: pad(8 * 1024 * 1024) })).body['code'], 'body_too_large');
});

test('I02: JSON with 32 levels is accepted, 33 levels are refused, and 100,000 levels are refused quickly', async () => {
  const nested = (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
  assert.equal((await register({ raw: nested(32) })).body['code'], 'invalid_input');
  assert.equal((await register({ raw: nested(33) })).body['code'], 'json_too_deep');
  const { result, ms } = await timed(() => register({ raw: '['.repeat(130_000) + ']'.repeat(130_000) }));
  assert.equal(result.body['code'], 'json_too_deep');
  assert.ok(ms < 2_000, `${ms} ms`);
});

test('I03: no key of a body or query pollutes an object prototype', async () => {
  const bodies = [
    '{"__proto__":{"polluted":1},"name":"Proto One","description":"Tries to be everybody."}',
    '{"name":"Proto Two","description":"Tries to be everybody.","constructor":{"prototype":{"polluted":1}}}',
    '{"name":"Proto Three","description":"Tries to be everybody.","capabilities":[{"__proto__":{"polluted":1}}]}',
    '{"name":"Proto Four","description":"Tries to be everybody.","\\u005f_proto__":{"polluted":1}}',
  ];
  for (const raw of bodies) assert.equal((await register({ raw })).status, 400, raw);
  for (const query of ['__proto__[polluted]=1', '__proto__.polluted=1', 'constructor[prototype][polluted]=1', '__proto__=1']) {
    const { status } = await send(`GET /api/agents?${query}`);
    assert.ok(status === 200 || status === 400, `${query}: ${status}`);
  }
  assert.equal(({} as Record<string, unknown>)['polluted'], undefined);
});

test('I04: a JSON field given twice is refused', async () => {
  const { name, description } = agentBody();
  const raw = `{"name":"Shown To The Guard","name":${JSON.stringify(name)},"description":${JSON.stringify(description)}}`;
  assert.equal((await register({ raw })).status, 400);
});

test('I04: repeated query parameters, and lists in place of single values, are refused', async () => {
  for (const query of [
    'limit=1&limit=2',
    'search=a&search=b',
    'sortBy=newest&sortBy=rating',
    'cursor=a&cursor=b',
    'category=seo&category=ugc',
  ]) {
    assert.equal((await send(`GET /api/agents?${query}`)).status, 400, query);
  }
  const { description } = agentBody();
  for (const name of [['Listed Name'], { toString: 'x' }, 7, true, null, [[]]]) {
    assert.equal((await register({ body: { name, description } })).status, 400, JSON.stringify(name));
  }
});

const SQL = [
  `'`,
  `''`,
  `' or 1=1 --`,
  `'; drop table agents cascade; --`,
  `' union select api_key_sealed, 1, 1 from agents --`,
  `'||(select pg_sleep(3))||'`,
  `1; select pg_sleep(3)`,
  `\\' or 1=1 --`,
  `$1`,
  `$$; drop table agents; $$`,
  `name desc; drop table agents`,
  `(select version())`,
  `%27%20or%201=1`,
  `\u02bc or 1=1`,
  `ext_1'::text`,
];

test('I06: SQL in any parameter matches nothing, delays nothing and changes nothing', async () => {
  await registerOwnedAgent(market.url, solanaWallet());
  const everything = (await send('GET /api/agents')).body['total'];
  assert.ok(everything > 0);
  for (const text of SQL) {
    const encoded = encodeURIComponent(text);
    for (const name of [
      'search',
      'category',
      'sortBy',
      'source',
      'model',
      'services',
      'tokenized',
      'owner_wallet',
      'limit',
      'offset',
      'cursor',
    ]) {
      const { result, ms } = await timed(() => send(`GET /api/agents?${name}=${encoded}`));
      const free = name === 'search' || name === 'model';
      assert.equal(result.status, free ? 200 : 400, `${name}=${text}`);
      if (free) assert.equal(result.body['total'], 0, `${name}=${text}`);
      assert.ok(ms < 2_500, `${name}=${text} took ${ms} ms`);
    }
    for (const path of [`/api/agents/${encoded}`, `/api/profile/${encoded}`] as const)
      assert.equal((await send(`GET ${path}`)).status, 404, path);
  }
  assert.equal((await send('GET /api/agents')).body['total'], everything);
});

test('I07: wildcards in a search are literal characters, and no page or search term is slow', async () => {
  await registerOwnedAgent(market.url, solanaWallet(), { description: 'Gives 100%_certain answers, a rare wording.' });
  const total = async (search: string) => (await send(`GET /api/agents?search=${encodeURIComponent(search)}`)).body['total'];
  assert.equal(await total('100%_certain'), 1);
  for (const term of ['100%%certain', '%%%%%', '____', '1_0', '%', '\\', '\\%', '100\\%']) {
    assert.equal(await total(term), ['%'].includes(term) ? 1 : 0, term);
  }
  const { ms } = await timed(() => send(`GET /api/agents?search=${'%25a'.repeat(3_000)}`));
  assert.ok(ms < 2_000, `${ms} ms`);
  const pages: [string, number][] = [
    ['limit=1000000000', 200],
    ['limit=1e9', 200],
    ['limit=0', 400],
    ['limit=-1', 400],
    ['limit=1.5', 400],
    ['limit=Infinity', 400],
    ['limit=', 400],
    ['offset=-1', 400],
    ['offset=1e18', 400],
    ['sortBy=price', 400],
  ];
  for (const [query, status] of pages) assert.equal((await send(`GET /api/agents?${query}`)).status, status, query);
});

test('I08: a look-alike of an existing name is refused', async () => {
  const original = await registerAgent(market.url, { name: 'Kestrel Audits' });
  const description = 'Looks like somebody else on purpose.';
  const sameToReaders = [
    'kestrel audits',
    'KESTREL AUDITS',
    'Kestrel  Audits',
    'Kestrel-Audits',
    'K3strel Audit5',
    'Kestre1 Audits',
    'KestreI Audits',
  ];
  const invisible = [
    'Kestrel\u200b Audits',
    '\u202eKestrel Audits',
    'Kestrel\u00ad Audits',
    '\ufeffKestrel Audits',
    'Kestrel\u2060 Audits',
  ];
  for (const name of [...sameToReaders, ...invisible]) {
    assert.equal((await register({ body: { name, description } })).status, 409, JSON.stringify(name));
  }
  const foreign = [
    'Kеstrel Audits',
    '\u212aestrel Audits',
    'Ｋestrel Audits',
    'Ke\u0301strel Audits',
    'Kestrel Audits\u0661',
    'Kestrel\u3000\u0410udits',
    '🦅 Kestrel',
  ];
  for (const name of foreign) assert.equal((await register({ body: { name, description } })).status, 400, JSON.stringify(name));
  const { rows } = await market.database.pool.query(`select id from agents where name ilike '%kes%' or description = $1`, [description]);
  assert.deepEqual(rows, [{ id: original.id }]);
});

test('I09: NUL and lone surrogates are refused in every text field', async () => {
  const { name, description } = agentBody();
  const bodies = [
    `{"name":${JSON.stringify(name)},"description":"ten letters \\u0000"}`,
    `{"name":${JSON.stringify(name)},"description":"ten letters \\ud83d"}`,
    `{"name":${JSON.stringify(name)},"description":"ten letters \\ude00 more"}`,
    `{"name":${JSON.stringify(name)},"description":${JSON.stringify(description)},"ai_models":["\\u0000"]}`,
    `{"name":${JSON.stringify(name)},"description":${JSON.stringify(description)},"\\u0000":1}`,
  ];
  for (const raw of bodies) assert.equal((await register({ raw })).body['code'], 'invalid_encoding', raw);
  for (const path of ['/api/agents?search=a%00b', '/api/agents?%00=1', '/api/agents/a%00b', '/api/profile/%00'] as const) {
    assert.equal((await send(`GET ${path}`)).status, 400, path);
  }
  assert.equal((await send(`POST /api/agents/recover?pay=%00`, { body: {} })).status, 400);
});

test('I15: base58 of any length is refused within milliseconds', async () => {
  const long = '2'.repeat(250_000);
  const wallet = solanaWallet().address;
  for (const body of [
    { wallet: long, wallet_sig: '1', wallet_sig_ts: Date.now() },
    { wallet, wallet_sig: long, wallet_sig_ts: Date.now() },
    { wallet: `0x${long}`, wallet_sig: '1', wallet_sig_ts: Date.now() },
    { wallet, wallet_sig: `0x${'ab'.repeat(120_000)}`, wallet_sig_ts: Date.now() },
  ]) {
    const { result, ms } = await timed(() => send('POST /api/auth/session', { body }));
    assert.equal(result.status, 401);
    assert.ok(ms < 1_000, `${ms} ms`);
  }
  for (const field of ['wallet', 'wallet_sig']) {
    const reply = await send('POST /api/auth/session', {
      raw: JSON.stringify({ wallet, wallet_sig: '1', wallet_sig_ts: 1, [field]: '2'.repeat(1 << 20) }),
    });
    assert.equal(reply.status, 413);
  }
  assert.equal((await register({ body: { ...agentBody(), owner_wallet: long } })).status, 400);
});

test('I17, F09: an internal error reveals only a request id to the caller', async () => {
  const { pool } = market.database;
  await pool.query('alter table agents rename column slug to slug_hidden');
  try {
    for (const [method, path] of [
      ['GET', '/api/agents'],
      ['GET', '/api/agents/anything'],
      ['POST', '/api/agents/register'],
    ] as const) {
      const body = method === 'POST' ? JSON.stringify(agentBody()) : undefined;
      const headers = [['Content-Type', 'application/json']] as const;
      const reply = await sendRaw(market.url, { method, path, ...(body !== undefined && { body, headers }) });
      assert.equal(reply.status, 500);
      assert.deepEqual(Object.keys(reply.body).sort(), ['code', 'error', 'request_id', 'success']);
      assert.deepEqual(faultsOfRefusal(reply), ['the service fell over']);
    }
  } finally {
    await pool.query('alter table agents rename column slug_hidden to slug');
  }
  assert.equal((await send('GET /api/agents')).status, 200);
});

test('I17: the 404 for an unknown address does not echo its content', async () => {
  const path = '/nowhere/<script>alert(1)</script>?x="><svg/onload=alert(1)>';
  for (const accept of ['text/html', 'application/json', '*/*']) {
    const reply = await sendRaw(market.url, { method: 'GET', path, headers: [['Accept', accept]] });
    assert.equal(reply.status, 404);
    const isPage = reply.headers.get('content-type')?.startsWith('text/html') === true;
    if (isPage) assert.ok(!/<script>alert|<svg\/onload/.test(reply.text), 'the page runs what the address says');
    else assert.deepEqual(faultsOfRefusal(reply), []);
    assert.equal(reply.headers.get('x-content-type-options'), 'nosniff');
  }
});
