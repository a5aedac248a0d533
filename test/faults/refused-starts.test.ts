/** Settings with which the program refuses to start, and features that the production profile lacks. */
import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { after, before, test } from 'node:test';
import { operationList } from '@market/contract';
import { call } from '../harness/http.ts';
import type { Settings } from '../harness/market.ts';
import { type DataFolder, listPostgres, makeDataFolder, survivorsOf } from './data-folder.ts';
import { startMain } from './main-process.ts';
import { openFamily, type ProcessFamily } from './market-processes.ts';

const MASTER_KEY = '5c'.repeat(32);

let folder: DataFolder;
let family: ProcessFamily;
let production: ProcessFamily;
before(async () => {
  [folder, family, production] = await Promise.all([makeDataFolder(), openFamily(), openFamily()]);
});
after(async () => {
  await survivorsOf(listPostgres(folder), 10_000);
  await Promise.all([folder.remove(), family.close(), production.close()]);
});

/** Starts with these settings, and requires that it ends by itself with code 1 and never says ready. */
async function refusalOf(settings: Settings): Promise<string> {
  const { ended } = startMain({ DATA_DIR: folder.path, SANDBOX_CHAINS: 'off', LOG_FORMAT: 'json', ...settings });
  const { code, output, ms } = await ended;
  assert.equal(code, 1, output);
  assert.doesNotMatch(output, /^ready /m);
  assert.ok(ms < 30_000, `${ms} ms`);
  return output;
}

test('I18: invalid settings are listed all at once, by name and without a stack trace', async () => {
  const output = await refusalOf({
    PORT: 'eighty',
    LOG_LEVEL: 'loud',
    MASTER_KEY: 'too-short',
    RATE_LIMIT_SCALE: '-1',
    BASE_URL: 'ftp://market.example',
    TRUSTED_PROXIES: 'anybody',
    JOBS: 'maybe',
    DATABASE_URL: 'mysql://nowhere',
    MARKET_PROFILE: 'staging',
    IDP_ISSUER: 'https://id.example',
    DATABASE_POOL_SIZE: '1',
  });
  const named = [...output.matchAll(/^ {2}- ([A-Z_]+) /gm)].map(([, name]) => name).sort();
  const expected = ['BASE_URL', 'DATABASE_POOL_SIZE', 'DATABASE_URL', 'IDP_AUDIENCE', 'JOBS', 'LOG_LEVEL', 'MARKET_PROFILE', 'MASTER_KEY'];
  assert.deepEqual(named, [...expected, 'PORT', 'RATE_LIMIT_SCALE', 'TRUSTED_PROXIES']);
  assert.doesNotMatch(output, /\n\s+at |too-short/, 'neither a stack nor the value of a secret');
  assert.deepEqual(listPostgres(folder), [], 'PostgreSQL was started for nothing');
});

test('I18: production does not start without a master key and its public address', async () => {
  const output = await refusalOf({ MARKET_PROFILE: 'production' });
  assert.match(output, /- MASTER_KEY or MASTER_KEY_COMMAND must be set/);
  assert.match(output, /- BASE_URL must be set/);
});

test('I18: production refuses an address without TLS, private outbound hosts, and metrics open to every client of a proxy', async () => {
  const output = await refusalOf({
    MARKET_PROFILE: 'production',
    MASTER_KEY,
    BASE_URL: 'http://market.example',
    OUTBOUND_ALLOW: '127.0.0.1',
    TRUSTED_PROXIES: '10.0.0.0/8',
  });
  for (const name of ['BASE_URL', 'OUTBOUND_ALLOW', 'METRICS_TOKEN']) assert.match(output, new RegExp(`- ${name} must`), name);
  assert.ok(!output.includes(MASTER_KEY));
});

test('a taken port and an unreachable database end the start with a clear message', async () => {
  const occupant = createServer();
  await new Promise<void>((resolve) => occupant.listen(0, '127.0.0.1', resolve));
  const { port } = occupant.address() as { port: number };
  const taken = await refusalOf({ PORT: String(port), DATABASE_URL: family.databaseUrl }).finally(() => occupant.close());
  assert.match(taken, /EADDRINUSE/);
  const away = await refusalOf({ PORT: '0', DATABASE_URL: `postgresql://nobody:hunter2hunter2@127.0.0.1:${port}/x` });
  assert.match(away, /ECONNREFUSED/);
  for (const output of [taken, away]) assert.match(output, /the service could not start/);
  assert.ok(!away.includes('hunter2'), 'the password of the database is in the log');
});

test('production has no sandbox: no operation, no identity provider, no mention in the documents', async () => {
  const { url } = await production.start({ MARKET_PROFILE: 'production', MASTER_KEY, BASE_URL: 'https://market.example', JOBS: 'off' });
  const helpers = operationList.filter(({ spec }) => spec.sandboxOnly);
  assert.ok(helpers.length > 0);
  for (const { name, spec } of helpers) {
    const body = spec.rest.method === 'GET' ? {} : { body: spec.examples[0]?.input ?? {} };
    const reply = await call(url, `${spec.rest.method} ${spec.rest.path}` as `GET /${string}`, body);
    assert.deepEqual([reply.status, reply.body['code']], [404, 'not_found'], name);
  }
  for (const path of [
    '/sandbox',
    '/sandbox/oidc/jwks',
    '/sandbox/oidc/.well-known/openid-configuration',
    '/sandbox/oidc/authorize',
  ] as const) {
    assert.equal((await call(url, `GET ${path}`)).status, 404, path);
  }
  const { text: page } = (await call(url, 'GET /reference')).body;
  assert.ok(!/\/sandbox\//.test(String(page)), 'the reference speaks of the sandbox');
  assert.ok(!JSON.stringify((await call(url, 'GET /api/openapi.json')).body).includes('/sandbox/'));
  const signIn = await call(url, 'POST /api/auth/user', { key: 'a.b.c' });
  assert.deepEqual([signIn.status, signIn.body['code']], [503, 'idp_not_configured']);
  assert.equal((await call(url, 'GET /readyz')).status, 200);
});
