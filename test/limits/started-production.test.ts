/** A running production server: reachable parts of the sandbox, headers of answers, and details in errors. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openFamily, type ProcessFamily } from '../faults/market-processes.ts';
import { call, type Reply } from '../harness/http.ts';
import { sendRaw } from '../harness/raw-http.ts';

const SECRETS = {
  MASTER_KEY: '5c'.repeat(32),
  ADMIN_API_KEY: `admin_${'k3v9x1q7'.repeat(4)}`,
  METRICS_TOKEN: 'm4t8r2c6'.repeat(3),
};

let family: ProcessFamily;
let url: string;
before(async () => {
  family = await openFamily({ empty: true });
  ({ url } = await family.start({
    ...SECRETS,
    MARKET_PROFILE: 'production',
    BASE_URL: 'https://market.example',
    ADMIN_EMAILS: 'ops@example.com',
    RATE_LIMIT_SCALE: '1000',
    JOBS: 'off',
  }));
});
after(() => family.close());

/** A sample; `test/faults/refused-starts.test.ts` tries each operation of the sandbox. */
const helpers = ['/sandbox/clock', '/sandbox/idp/token'];

test('I18: production answers 404 under /sandbox in every spelling and method', async () => {
  for (const path of helpers)
    for (const spelling of [
      path,
      `${path}/`,
      path.toUpperCase(),
      path.replace('/', '//'),
      path.replace('s', '%73'),
      `/x/..${path}`,
      `/api${path}`,
    ])
      for (const method of ['GET', 'POST']) {
        const { status } = await sendRaw(url, { method, path: spelling, headers: [['Content-Type', 'application/json']], body: '{}' });
        assert.ok([400, 404].includes(status), `${method} ${spelling}: ${status}`);
      }
});

/** A token as the sandbox's identity provider makes it, and others that a careless production server would accept. */
const borrowed = [
  `Bearer ${Buffer.from('{"alg":"none"}').toString('base64url')}.${Buffer.from('{"sub":"ops","email":"ops@example.com","admin":true}').toString('base64url')}.`,
  'Bearer admin',
  `Bearer admin_${'0'.repeat(32)}`,
  'Bearer sandbox',
  'Bearer test',
];

test('I18: no default secret, unsigned token or sandbox pass opens any operation of operators in production', async () => {
  for (const route of ['GET /api/fees/balance', 'GET /api/admin/bans', 'GET /api/admin/stats', 'GET /metrics'] as const)
    for (const authorization of borrowed) {
      const { status } = await call(url, route, {
        headers: { authorization, 'x-market-sandbox-pass': 'demo', 'x-forwarded-for': '127.0.0.1' },
      });
      assert.ok([401, 403, 404, 503].includes(status), `${route} ${authorization}: ${status}`);
    }
});

function faultsOf(what: string, { status, headers, body }: Reply): string[] {
  const wanted: Record<string, RegExp> = {
    'strict-transport-security': /max-age=\d{8}/,
    'x-content-type-options': /^nosniff$/,
    'x-frame-options': /^DENY$/,
    'referrer-policy': /^no-referrer$|^strict-origin/,
    'content-security-policy': /default-src|script-src/,
    'x-request-id': /^req_/,
  };
  const faults = Object.entries(wanted).flatMap(([name, form]) => (form.test(headers.get(name) ?? '') ? [] : [`${what}: ${name}`]));
  for (const name of ['server', 'x-powered-by']) if (headers.get(name) !== null) faults.push(`${what}: ${name}`);
  const text = JSON.stringify(body);
  if (status >= 400 && /node_modules|\.ts:\d|\bat .+:\d+:\d+|postgres|\bselect .+ from\b|\/tmp\/|\/home\//i.test(text))
    faults.push(`${what}: internals`);
  for (const secret of Object.values(SECRETS)) if (text.includes(secret)) faults.push(`${what}: a secret`);
  if (status >= 500 && status !== 503) faults.push(`${what}: ${status}`);
  return faults;
}

test('I17, I18: every kind of answer of production carries the headers, and no error shows internals', async () => {
  const replies: [string, Reply][] = [];
  for (const route of [
    'GET /',
    'GET /readyz',
    'GET /api/agents',
    'GET /api/agents/none',
    'GET /reference',
    'GET /api/openapi.json',
    'GET /files/x',
    'GET /none',
    'POST /mcp',
    'POST /api/agents/register',
    'POST /api/orders',
    'POST /api/market',
    'POST /api/auth/user',
    'DELETE /api/agents',
  ] as const) {
    replies.push([route, await call(url, route, route.startsWith('GET') ? {} : { body: {} })]);
    replies.push([`${route} as a page`, await call(url, route, { headers: { accept: 'text/html' } })]);
  }
  for (const path of ['/%', '/%00', '/api/agents/%ff', '/api/agents?cursor=%27', `/${'a'.repeat(5_000)}`])
    replies.push([path.slice(0, 30), await sendRaw(url, { method: 'GET', path })]);
  assert.deepEqual(
    replies.flatMap(([what, reply]) => faultsOf(what, reply)),
    [],
  );
});

test('I17: with a broken database production answers 500 without a detail of it', async () => {
  await family.database.query('alter table agents rename to agents_away');
  try {
    const reply = await call(url, 'GET /api/agents/none-at-all');
    assert.equal(reply.status, 500);
    assert.deepEqual(faultsOf('a broken database', { ...reply, status: 503 }), []);
  } finally {
    await family.database.query('alter table agents_away rename to agents');
  }
});
