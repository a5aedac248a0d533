/** Codes and tokens that were stolen, copied, or sent to the wrong endpoint. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { registerOwnedAgent } from '../harness/agents.ts';
import { call, expectCall } from '../harness/http.ts';
import { openMarket, type TestMarket } from '../harness/market.ts';
import { envelope, postMcp } from '../harness/mcp.ts';
import {
  allow,
  Browser,
  beginConsent,
  type Connected,
  connectProgram,
  exchangeCode,
  newPkce,
  refresh,
  registerProgram,
} from '../harness/oauth.ts';
import { baseWallet, tokenFor } from '../harness/people.ts';

const listTools = envelope('tools/list');

describe('codes and tokens', () => {
  let market: TestMarket;
  let ines: string;
  before(async () => {
    market = await openMarket();
    ines = await tokenFor(market.url, { email: 'ines@example.com' });
  });
  after(() => market.close());

  const mcpStatus = async (token: string): Promise<number> =>
    (
      await postMcp(market.url, listTools, {
        authorization: `Bearer ${token}`,
        'mcp-method': 'tools/list',
        'mcp-protocol-version': '2026-07-28',
      })
    ).status;

  async function newCode(clientId: string): Promise<{ code: string; verifier: string }> {
    const { verifier, challenge } = newPkce();
    const browser = new Browser(market.url, { 'idp-token': ines });
    const sent = await allow(browser, await beginConsent(browser, { clientId, challenge }));
    return { code: sent.searchParams.get('code') ?? '', verifier };
  }

  test('O03: an authorization code works once; used again, it ends the connection and its tokens', async () => {
    const clientId = await registerProgram(market.url);
    const grant = await newCode(clientId);
    const first = await exchangeCode(market.url, { clientId, ...grant });
    assert.equal(await mcpStatus(first.body['access_token']), 200);
    const second = await exchangeCode(market.url, { clientId, ...grant });
    assert.deepEqual([second.status, second.body['error']], [400, 'invalid_grant']);
    assert.equal(await mcpStatus(first.body['access_token']), 401);
    assert.equal((await refresh(market.url, clientId, first.body['refresh_token'])).body['error'], 'invalid_grant');
    const { notifications } = await untilNotified(market, ines, 'connection_misused');
    assert.ok(notifications);
  });

  test('O03: of ten requests with one code at the same moment at most one gets tokens, and they are void', async () => {
    const clientId = await registerProgram(market.url);
    const grant = await newCode(clientId);
    const replies = await Promise.all(Array.from({ length: 10 }, () => exchangeCode(market.url, { clientId, ...grant })));
    const good = replies.filter(({ status }) => status === 200);
    assert.ok(good.length <= 1, `${good.length}`);
    for (const { body } of good) assert.equal(await mcpStatus(body['access_token']), 401);
  });

  test('O03: an authorization code of another program, or an old one, is refused', async () => {
    const [clientId, other] = [await registerProgram(market.url), await registerProgram(market.url)];
    const stolen = await newCode(clientId);
    assert.equal((await exchangeCode(market.url, { clientId: other, ...stolen })).body['error'], 'invalid_grant');
    const old = await newCode(clientId);
    await market.database.pool.query("update oauth_records set expires_at = clock_timestamp() where kind = 'AuthorizationCode'");
    assert.equal((await exchangeCode(market.url, { clientId, ...old })).body['error'], 'invalid_grant');
    const { rows } = await market.database.pool.query(
      "select 1 from oauth_records where kind = 'AuthorizationCode' and expires_at > clock_timestamp() + interval '61 seconds'",
    );
    assert.equal(rows.length, 0);
  });

  test('O05: a refresh token works once; used again, it ends all tokens of its family', async () => {
    const { clientId, refreshToken, accessToken } = await connectProgram(market.url, ines);
    const second = await refresh(market.url, clientId, refreshToken);
    const third = await refresh(market.url, clientId, second.body['refresh_token']);
    assert.equal(third.status, 200);
    const replayed = await refresh(market.url, clientId, refreshToken);
    assert.deepEqual([replayed.status, replayed.body['error']], [400, 'invalid_grant']);
    assert.equal((await refresh(market.url, clientId, third.body['refresh_token'])).body['error'], 'invalid_grant');
    for (const token of [accessToken, second.body['access_token'], third.body['access_token']]) assert.equal(await mcpStatus(token), 401);
  });

  test('O05: refreshing does not extend a connection: the last token ends with it', async () => {
    const { clientId, refreshToken, connectionId } = await connectProgram(market.url, ines);
    const { pool } = market.database;
    await pool.query("update connections set expires_at = clock_timestamp() + interval '100 seconds' where id = $1", [connectionId]);
    const next = await refresh(market.url, clientId, refreshToken);
    assert.equal(next.status, 200);
    const { rows } = await pool.query<{ seconds: number }>(
      `select max(extract(epoch from expires_at - clock_timestamp()))::int as seconds from oauth_records
       where connection_id = $1 and kind = 'RefreshToken' and consumed_at is null`,
      [connectionId],
    );
    assert.ok((rows[0]?.seconds ?? 1000) <= 100, JSON.stringify(rows));
    await pool.query('update connections set expires_at = clock_timestamp() where id = $1', [connectionId]);
    assert.equal((await refresh(market.url, clientId, next.body['refresh_token'])).body['error'], 'invalid_grant');
    assert.equal(await mcpStatus(next.body['access_token']), 401);
  });

  test('O05: a refresh token of another program is refused', async () => {
    const { refreshToken } = await connectProgram(market.url, ines);
    const other = await registerProgram(market.url);
    assert.equal((await refresh(market.url, other, refreshToken)).body['error'], 'invalid_grant');
  });

  test('O07: tokens of one surface are refused at the other, with the address of the right one', async () => {
    const program = await connectProgram(market.url, ines);
    assert.equal(await mcpStatus(program.accessToken), 200);
    const foreign = [ines, program.refreshToken, alter(program), 'order_0', 'admin_0', 'x'.repeat(9_000)];
    for (const token of foreign) {
      const reply = await postMcp(market.url, listTools, { authorization: `Bearer ${token}` });
      assert.equal(reply.status, 401, token.slice(0, 20));
      const challenge = reply.headers.get('www-authenticate') ?? '';
      assert.ok(challenge.includes(`resource_metadata="${market.url}/.well-known/oauth-protected-resource/mcp"`), challenge);
    }
    for (const route of ['GET /api/connections', 'GET /api/orders', 'GET /api/notifications', 'GET /api/agents/me'] as const) {
      const { status } = await call(market.url, route, { key: program.accessToken });
      assert.equal(status, 401, route);
    }
    const byCookie = await call(market.url, 'GET /api/notifications', { headers: { cookie: `idp-token=${program.accessToken}` } });
    assert.equal(byCookie.status, 401);
  });

  test('O07: an API key works at both surfaces, and a connection ends when its person disconnects it', async () => {
    const { key } = await registerOwnedAgent(market.url, baseWallet());
    assert.equal(await mcpStatus(key), 200);
    const { accessToken, connectionId } = await connectProgram(market.url, ines);
    await expectCall(market.url, 200, `DELETE /api/connections/${connectionId}`, { key: ines });
    assert.equal(await mcpStatus(accessToken), 401);
  });
});

/** Changes the audience of a token, and keeps the signature. */
function alter({ accessToken }: Connected): string {
  const [head = '', payload = '', signature = ''] = accessToken.split('.');
  const claims = { ...JSON.parse(Buffer.from(payload, 'base64url').toString()), scope: 'read hire work money custody' };
  return [head, Buffer.from(JSON.stringify(claims)).toString('base64url'), signature].join('.');
}

async function untilNotified({ url }: TestMarket, key: string, type: string): Promise<{ notifications: boolean }> {
  for (let n = 0; n < 100; n++) {
    const { body } = await call(url, 'GET /api/notifications', { key });
    if (body['data'].some((one: { type: string }) => one.type === type)) return { notifications: true };
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return { notifications: false };
}
