/** Registration of programs: floods, hostile metadata, documents inside our network, and cleanup of unused registrations. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { connectionLimits } from '@market/contract';
import { connectionJobs } from '../../packages/server/src/features/accounts/connections/index.ts';
import { call, expectCall } from '../harness/http.ts';
import { openMarket, type TestMarket } from '../harness/market.ts';
import { authorizePath, connectProgram, exchangeToken, newPkce, REDIRECT, registerProgram } from '../harness/oauth.ts';
import { tokenFor } from '../harness/people.ts';

async function forgetOld({ database }: TestMarket): Promise<void> {
  const job = connectionJobs({ database } as Parameters<typeof connectionJobs>[0]).find(({ kind }) => kind === 'connections.forget');
  assert.ok(job);
  await job.run({}, {} as never);
}

const register = (url: string, body: unknown) => call(url, 'POST /api/oauth/register', { body });

describe('registration', () => {
  let market: TestMarket;
  before(async () => {
    market = await openMarket({ JOBS: 'off' });
  });
  after(() => market.close());

  test('O06: redirect addresses that are neither https nor this computer are refused', async () => {
    const hostile = [
      'http://assistant.example/callback',
      'javascript:alert(1)',
      'data:text/html,x',
      'file:///etc/passwd',
      'cursor://callback',
      'com.example.app:/callback',
      'https://assistant.example/callback#fragment',
      'https://user:pass@assistant.example/callback',
      'https://*.example/callback',
      'https://assistant.example\\@evil.example/',
      'http://127.0.0.1.evil.example/callback',
      'http://localhost.evil.example/callback',
      'ftp://assistant.example/',
      '//assistant.example',
      'callback',
      '',
      `https://assistant.example/${'a'.repeat(2000)}`,
    ];
    for (const uri of hostile) {
      const { status, body } = await register(market.url, { redirect_uris: [REDIRECT, uri] });
      assert.equal(status, 400, uri);
      assert.match(body['error'], /^invalid_(redirect_uri|client_metadata)$/, uri);
    }
    for (const uri of ['http://127.0.0.1:33418/callback', 'http://localhost:9/cb', 'http://[::1]:9/cb', 'https://a.example/cb']) {
      assert.equal((await register(market.url, { redirect_uris: [uri] })).status, 201, uri);
    }
  });

  test('O06: huge or malformed metadata of a program is refused, and only the fields we use are stored', async () => {
    const misshapen: unknown[] = [
      {},
      [],
      'text',
      null,
      { redirect_uris: [] },
      { redirect_uris: REDIRECT },
      { redirect_uris: Array.from({ length: 11 }, (_, n) => `https://assistant.example/${n}`) },
      { redirect_uris: [REDIRECT], client_name: 'x'.repeat(201) },
      { redirect_uris: [REDIRECT], client_name: { toString: 'x' } },
      { redirect_uris: [REDIRECT], grant_types: ['client_credentials'] },
      { redirect_uris: [REDIRECT], response_types: ['token'] },
    ];
    for (const body of misshapen) assert.equal((await register(market.url, body)).status, 400, JSON.stringify(body)?.slice(0, 60));
    assert.equal((await call(market.url, 'POST /api/oauth/register', { raw: '{"redirect_uris":' })).status, 400);
    const huge = await register(market.url, { redirect_uris: [REDIRECT], client_name: 'x'.repeat(60_000) });
    assert.equal(huge.status, 413);
    const full = await register(market.url, {
      redirect_uris: [REDIRECT],
      client_name: 'Desk Assistant',
      client_secret: 'mine',
      token_endpoint_auth_method: 'client_secret_post',
      jwks_uri: 'http://169.254.169.254/latest',
      sector_identifier_uri: 'http://169.254.169.254/latest',
      logo_uri: 'https://evil.example/logo.svg',
      client_uri: 'javascript:alert(1)',
      scope: 'admin',
      __proto__: { admin: true },
    });
    assert.equal(full.status, 201, JSON.stringify(full.body));
    for (const field of ['client_secret', 'jwks_uri', 'sector_identifier_uri', 'logo_uri', 'client_uri', 'scope'])
      assert.equal(full.body[field], undefined, field);
    assert.equal(full.body['token_endpoint_auth_method'], 'none');
  });

  test('O06: text that the database cannot store is refused in every OAuth request', async () => {
    for (const bad of ['\u0000', 'Desk \ud800']) {
      const named = await register(market.url, { redirect_uris: [REDIRECT], client_name: bad });
      assert.deepEqual([named.status, named.body['error']], [400, 'invalid_client_metadata'], JSON.stringify(named.body));
      assert.equal((await register(market.url, { redirect_uris: [`${REDIRECT}?${bad}`] })).status, 400);
    }
    const { challenge } = newPkce();
    for (const clientId of ['\u0000', 'a\u0000b', 'Ä', 'x'.repeat(3000)]) {
      assert.equal((await call(market.url, `GET ${authorizePath({ clientId, challenge })}`)).status, 400, clientId.slice(0, 9));
      const tokens = await exchangeToken(market.url, { grant_type: 'refresh_token', client_id: clientId, refresh_token: '\u0000' });
      assert.equal(tokens.body['error'], 'invalid_client', JSON.stringify(tokens.body));
    }
    const clientId = await registerProgram(market.url);
    const tokens = await exchangeToken(market.url, { grant_type: 'refresh_token', client_id: clientId, refresh_token: '\u0000' });
    assert.equal(tokens.body['error'], 'invalid_grant', JSON.stringify(tokens.body));
  });

  test('O06: the description of a program is fetched from public addresses only', async () => {
    const { challenge } = newPkce();
    const walled = [
      'https://127.0.0.1/p.json',
      'https://localhost/p.json',
      'https://169.254.169.254/p.json',
      'https://[::1]/p.json',
      'https://10.0.0.1/p.json',
      'http://a.example/p.json',
    ];
    for (const clientId of walled) {
      const reply = await call(market.url, `GET ${authorizePath({ clientId, challenge })}`);
      assert.equal(reply.status, 400, clientId);
      assert.equal(reply.headers.get('location'), null);
      assert.doesNotMatch(JSON.stringify(reply.body), /ECONN|169\.254|10\.0\.0\.1/);
    }
  });

  test('O06: a program that nobody connected is deleted after a day; one that is used stays', async () => {
    const { pool } = market.database;
    const unused = await registerProgram(market.url);
    const { clientId: used } = await connectProgram(market.url, await tokenFor(market.url, { email: 'ines@example.com' }));
    await pool.query('update oauth_clients set expires_at = expires_at - make_interval(hours => $1)', [
      connectionLimits.unusedClientHours + 1,
    ]);
    const { challenge } = newPkce();
    assert.equal((await call(market.url, `GET ${authorizePath({ clientId: unused, challenge })}`)).status, 400);
    assert.equal((await call(market.url, `GET ${authorizePath({ clientId: used, challenge })}`)).status, 303);
    await forgetOld(market);
    const { rows } = await pool.query<{ id: string }>('select id from oauth_clients');
    assert.ok(rows.some(({ id }) => id === used) && !rows.some(({ id }) => id === unused));
  });

  test('V11: the spending rules of a program outlive its connections, which are deleted after a while', async () => {
    const { pool } = market.database;
    const key = await tokenFor(market.url, { email: 'noor@example.com' });
    const [old, live] = [
      await connectProgram(market.url, key, { daily_limit_usd: '2.00' }),
      await connectProgram(market.url, key, { daily_limit_usd: '3.00' }),
    ];
    await expectCall(market.url, 200, `DELETE /api/connections/${old.connectionId}`, { key });
    await pool.query("update connections set expires_at = clock_timestamp() - interval '61 days' where id = $1", [old.connectionId]);
    await forgetOld(market);
    const { rows: left } = await pool.query<{ id: string }>('select id from connections where id = any($1)', [
      [old.connectionId, live.connectionId],
    ]);
    assert.deepEqual(left, [{ id: live.connectionId }]);
    const { rows } = await pool.query<{ limit: bigint }>(
      `select per_day_micros as limit from spend_policies s join connected_programs p on p.id = s.subject_id
       where p.client_id = any($1) order by 1`,
      [[old.clientId, live.clientId]],
    );
    assert.deepEqual(
      rows.map(({ limit }) => limit),
      [2_000_000n, 3_000_000n],
    );
  });
});

describe('a flood of registrations', () => {
  let market: TestMarket;
  before(async () => {
    market = await openMarket({ JOBS: 'off', RATE_LIMIT_SCALE: '1' });
  });
  after(() => market.close());

  test('O06: one address registers ten programs an hour, then gets 429 with the time to wait', async () => {
    for (let n = 0; n < 10; n++) assert.equal((await register(market.url, { redirect_uris: [REDIRECT] })).status, 201);
    const reply = await register(market.url, { redirect_uris: [REDIRECT] });
    assert.deepEqual([reply.status, reply.body['error']], [429, 'too_many_requests']);
    const seconds = Number(reply.headers.get('retry-after'));
    assert.ok(seconds > 3500 && seconds <= 3600, String(seconds));
    assert.equal((await market.database.pool.query('select 1 from oauth_clients')).rowCount, 10);
  });
});
