/** Guessing keys, and reading them from a copy of the database. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, test } from 'node:test';
import { registerAgent, registerOwnedAgent } from '../harness/agents.ts';
import { type CallOptions, call } from '../harness/http.ts';
import { openMarket, type TestMarket } from '../harness/market.ts';
import { agreed, signed, solanaWallet, tokenFor } from '../harness/people.ts';

let market: TestMarket;
before(async () => {
  market = await openMarket({ OUTBOUND_ALLOW: '127.0.0.1' });
});
after(() => market.close());

const send = (route: `${string} /${string}`, options?: CallOptions) => call(market.url, route, options);
const HOOK = { endpoint_url: 'http://127.0.0.1:9/hook' };

test('A06: a guessed or nearly right API key is refused with the same error as any other', async () => {
  const { key } = await registerAgent(market.url);
  const nearly = Array.from({ length: 48 }, (_, at) => {
    const digit = (Number.parseInt(key.charAt(7 + at), 16) ^ 1).toString(16);
    return key.slice(0, 7 + at) + digit + key.slice(8 + at);
  });
  const bent = [
    key.toUpperCase(),
    key.slice(0, -1),
    `${key}0`,
    ` ${key}`,
    `${key},${key}`,
    key.replace('market_', 'Market_'),
    key.slice(7),
  ];
  const random = Array.from({ length: 100 }, () => `market_${randomBytes(24).toString('hex')}`);
  const words = new Set<string>();
  for (const guess of [...nearly, ...random]) {
    const reply = await send('GET /api/agents/me', { key: guess });
    assert.equal(reply.status, 401, guess);
    words.add(`${reply.body['code']} ${reply.body['error']}`);
  }
  assert.equal(words.size, 1, [...words].join('\n'));
  for (const guess of bent.filter((text) => text.trim() !== key))
    assert.equal((await send('GET /api/agents/me', { key: guess })).status, 401);
  assert.equal((await send('GET /api/agents/me', { key })).status, 200);
});

test('A06: API keys carry 192 bits of randomness and are unique', async () => {
  const keys = await Promise.all(Array.from({ length: 20 }, async () => (await registerAgent(market.url)).key));
  assert.equal(new Set(keys).size, keys.length);
  for (const key of keys) assert.match(key, /^market_[0-9a-f]{48}$/);
});

test('A07: a dump of every table contains no API key, webhook secret, session or sign-in token in plain text', async () => {
  const secrets = await handOutSecrets();
  assert.equal(secrets.length, 9);
  assert.ok(
    secrets.every((secret) => secret.length >= 32),
    secrets.join(' '),
  );
  const dump = await dumpEverything();
  assert.ok(dump.includes('agent.key_rotated') && dump.includes('idempotency_keys'), 'the dump is not of this database');
  for (const secret of secrets) {
    for (const spelling of spellingsOf(secret)) assert.ok(!dump.includes(spelling), `the dump holds ${secret} as ${spelling}`);
  }
});

/** Every way in which the service gives out a secret, most with an Idempotency-Key, whose stored answer holds it as well. */
async function handOutSecrets(): Promise<string[]> {
  const keyed = (label: string) => ({ 'idempotency-key': `dump-${label}` });
  const wallet = solanaWallet();
  const token = await tokenFor(market.url, { email: 'dump@example.com' });
  await send('POST /api/auth/user', { key: token, headers: keyed('sign-in') });
  const bare = await registerAgent(market.url, HOOK, { headers: keyed('register') });
  const owned = await registerOwnedAgent(market.url, wallet, HOOK);
  const linked = await registerAgent(market.url);
  await send('POST /api/agents/link', { key: token, body: { api_key: linked.key }, headers: keyed('link') });
  const rotated = await send('POST /api/agents/me/rotate-key', { key: bare.key, headers: keyed('rotate') });
  const recovered = await send('POST /api/agents/recover', { body: await signed(wallet), headers: keyed('recover') });
  assert.equal(recovered.body['data'].agents[0].api_key, owned.key);
  const later = await registerAgent(market.url);
  const patched = await send('PATCH /api/agents/me', { key: later.key, body: HOOK, headers: keyed('patch') });
  const session = await send('POST /api/auth/session', {
    body: await agreed(market.url, wallet, { action: 'session' }),
    headers: keyed('session'),
  });
  const cookie = /market_session=([^;]+)/.exec(session.headers.get('set-cookie') ?? '')?.[1] ?? '';
  return [
    bare.key,
    bare.answer['webhook_secret'],
    owned.key,
    owned.answer['webhook_secret'],
    linked.key,
    rotated.body['data'].api_key,
    patched.body['data'].webhook_secret,
    cookie,
    token,
  ];
}

async function dumpEverything(): Promise<string> {
  const { pool } = market.database;
  const { rows } = await pool.query<{ name: string }>(`select tablename as name from pg_tables where schemaname = 'public'`);
  const parts = await Promise.all(
    rows.map(async ({ name }) => {
      const content = await pool.query<{ line: string }>(`select t::text as line from ${name} t`);
      return [name, ...content.rows.map(({ line }) => line)].join('\n');
    }),
  );
  return parts.join('\n');
}

/** The secret as text, without its prefix, and as a bytea column or base64 text would show its bytes. */
function spellingsOf(secret: string): string[] {
  const core = secret.replace(/^(market|whsec)_/, '');
  return [
    core,
    ...[secret, core].flatMap((text) => [Buffer.from(text).toString('hex'), Buffer.from(text).toString('base64').slice(0, -4)]),
  ];
}

test('A07: sealing the same secret twice gives different ciphertexts', async () => {
  const { rows } = await market.database.pool.query<{ sealed: string }>(
    `select api_key_sealed as sealed from agents union all select webhook_secret_sealed from agents where webhook_secret_sealed is not null`,
  );
  assert.equal(new Set(rows.map(({ sealed }) => sealed)).size, rows.length);
});

test('A07: a sealed key moved to another agent cannot be opened', async () => {
  const wallet = solanaWallet();
  const victim = await registerAgent(market.url);
  const own = await registerOwnedAgent(market.url, wallet);
  await market.database.pool.query(`update agents set api_key_sealed = (select api_key_sealed from agents where id = $1) where id = $2`, [
    victim.id,
    own.id,
  ]);
  const reply = await send('POST /api/agents/recover', { body: await signed(wallet) });
  assert.ok(reply.status >= 500, String(reply.status));
  assert.ok(!JSON.stringify(reply.body).includes(victim.key));
});
