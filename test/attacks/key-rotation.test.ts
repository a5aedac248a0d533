/** Master key rotation on a running market: all secrets are resealed, and the old key can be removed. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sealedColumns } from '../../packages/server/src/rotate-keys.ts';
import { callSigned } from '../agent-wallets/stage.ts';
import { FAMILY_HOST, openFamily, type ProcessFamily } from '../faults/market-processes.ts';
import { registerOwnedAgent } from '../harness/agents.ts';
import { call } from '../harness/http.ts';
import { runMarketCommand } from '../harness/market-command.ts';
import { listToolsAt } from '../harness/mcp.ts';
import {
  Browser,
  beginConsent,
  connectProgram,
  exchangeCode,
  follow,
  newPkce,
  readDecision,
  refresh,
  registerProgram,
} from '../harness/oauth.ts';
import { signed, solanaWallet, tokenFor } from '../harness/people.ts';
import { until } from '../money/money.ts';

const [OLD, NEW] = ['a1'.repeat(32), 'b2'.repeat(32)];

let family: ProcessFamily;
before(async () => {
  family = await openFamily();
});
after(() => family.close());

test('K04: key rotation covers every sealed column', async () => {
  const { rows } = await family.database.query<{ place: string }>(
    `select table_name || '.' || column_name as place from information_schema.columns
     where table_schema = 'public' and column_name like '%sealed%' and data_type = 'text'`,
  );
  assert.ok(rows.length >= 6);
  const known = new Set(sealedColumns.map(({ table, column }) => `${table}.${column}`));
  assert.deepEqual(
    rows.filter(({ place }) => !known.has(place)),
    [],
  );
});

test('K04: rotation reseals everything under the new key while the market serves; the old key can then be removed', async () => {
  const owner = solanaWallet();
  const hook = { endpoint_url: 'http://127.0.0.1:9/hook' };
  const first = await family.start({ MASTER_KEY: OLD, OUTBOUND_ALLOW: '127.0.0.1' });
  const agent = await registerOwnedAgent(first.url, owner, hook);
  const rename = {
    key: agent.key,
    headers: { 'idempotency-key': 'rotation-test-key' },
    body: { description: 'Renamed while keys rotate, once.' },
  };
  const answer = await call(first.url, 'PATCH /api/agents/me', rename);
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  const before = await call(first.url, 'GET /api/agents/me', { key: agent.key });
  const exportKey = async (url: string) =>
    (await callSigned(url, owner, `POST /api/agents/${agent.id}/export-key`, { chain: 'solana' }, `http://${FAMILY_HOST}`)).body['data']
      ?.private_key;
  const walletKey = await exportKey(first.url);
  assert.ok(walletKey);
  const program = await connectOverRotation(first.url);
  await first.kill('SIGTERM');

  const second = await family.start({ MASTER_KEY: NEW, MASTER_KEYS_OLD: OLD, OUTBOUND_ALLOW: '127.0.0.1' });
  assert.equal((await call(second.url, 'GET /api/agents/me', { key: agent.key })).status, 200, 'the former key still opens');
  await program.goOn(second.url);
  const rotation = runMarketCommand(['rotate-keys'], {
    DATABASE_URL: family.databaseUrl,
    MASTER_KEY: NEW,
    MASTER_KEYS_OLD: OLD,
    SANDBOX_CHAINS: 'off',
  });
  let code: number | null | undefined;
  void rotation.ended.then((ended) => {
    code = ended;
  });
  let served = 0;
  while (code === undefined) {
    assert.equal((await call(second.url, 'GET /api/agents/me', { key: agent.key })).status, 200, 'served meanwhile');
    assert.equal(await exportKey(second.url), walletKey, 'the wallet opens meanwhile');
    served += 1;
  }
  assert.equal(code, 0, rotation.output());
  assert.match(rotation.output(), /agents\.api_key_sealed: 1 sealed anew/);
  assert.match(rotation.output(), /agent_wallets\.sealed_key: 2 sealed anew/);
  assert.match(rotation.output(), /Nothing is left under a former key/);
  assert.ok(served > 0);
  await second.kill('SIGTERM');

  const third = await family.start({ MASTER_KEY: NEW, OUTBOUND_ALLOW: '127.0.0.1' });
  const after = await call(third.url, 'GET /api/agents/me', { key: agent.key });
  assert.equal(after.status, 200, JSON.stringify(after.body));
  assert.equal(after.body['data'].webhook_secret, before.body['data'].webhook_secret);
  assert.equal(await exportKey(third.url), walletKey, 'the same key under the new master key');
  const recovered = await call(third.url, 'POST /api/agents/recover', { body: await signed(owner) });
  assert.ok(JSON.stringify(recovered.body).includes(agent.key), JSON.stringify(recovered.body));
  const replay = await call(third.url, 'PATCH /api/agents/me', rename);
  assert.deepEqual(replay.body['data'], answer.body['data'], 'the stored answer is given again');
  await program.end(third.url);
});

/** Connects a program and leaves a consent open, under the first key. */
async function connectOverRotation(url: string) {
  const person = await tokenFor(url, { email: 'ines@example.com' });
  const { clientId, accessToken, refreshToken } = await connectProgram(url, person);
  const { verifier, challenge } = newPkce();
  const browser = new Browser(url, { 'idp-token': person });
  const openProgram = await registerProgram(url);
  const consent = await beginConsent(browser, { clientId: openProgram, challenge });
  const decision = await readDecision(browser, consent);
  const keys = (await call(url, 'GET /oauth/jwks')).body;
  let newest = refreshToken;
  const isOpen = async (at: string, token: string) => (await listToolsAt(at, FAMILY_HOST, token)) === 200;
  return {
    /** With both keys, earlier tokens and the open consent are valid. */
    async goOn(at: string) {
      assert.ok(await isOpen(at, accessToken), 'the access token of before');
      const renewed = await refresh(at, clientId, newest);
      assert.equal(renewed.status, 200, JSON.stringify(renewed.body));
      newest = renewed.body['refresh_token'];
      const decided = await browser.at(at).send(`POST ${consent}/decision`, { body: decision });
      assert.equal(decided.status, 200, JSON.stringify(decided.body));
      const code = (await follow(browser.at(at), decided)).searchParams.get('code') ?? '';
      assert.equal((await exchangeCode(at, { clientId: openProgram, code, verifier })).status, 200);
    },
    /** With the new key alone, the newest refresh token is valid, and a used one ends the connection. */
    async end(at: string) {
      assert.deepEqual((await call(at, 'GET /oauth/jwks')).body, keys, 'the same signing key');
      const renewed = await refresh(at, clientId, newest);
      assert.equal(renewed.status, 200, JSON.stringify(renewed.body));
      assert.ok(await isOpen(at, renewed.body['access_token']));
      assert.equal((await refresh(at, clientId, newest)).body['error'], 'invalid_grant');
      assert.ok(!(await isOpen(at, renewed.body['access_token'])), 'a token used twice ends the connection');
    },
  };
}

test('K02: a stored secret that was altered answers 503, not 500, and is logged', async () => {
  const server = await family.start({ MASTER_KEY: NEW, OUTBOUND_ALLOW: '127.0.0.1' });
  const agent = await registerOwnedAgent(server.url, solanaWallet(), { endpoint_url: 'http://127.0.0.1:9/hook' });
  await family.database.query(
    `update agents set webhook_secret_sealed = overlay(webhook_secret_sealed placing 'AAAA' from 60) where id = $1`,
    [agent.id],
  );
  const reply = await call(server.url, 'GET /api/agents/me', { key: agent.key });
  assert.equal(reply.status, 503, JSON.stringify(reply.body));
  // The log comes through a pipe, and may arrive after the answer.
  await until('the log naming the error', async () => (/SecretUnreadableError/.test(server.log()) ? true : undefined), 20);
});
