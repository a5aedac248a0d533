/** Takeover attempts: by extra fields, by X handles with a new holder, by keys alone. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { operations } from '@market/contract';
import { registerAgent, registerOwnedAgent } from '../harness/agents.ts';
import { type CallOptions, call } from '../harness/http.ts';
import { openMarket, type TestMarket } from '../harness/market.ts';
import { baseWallet, signed, signedFor, solanaWallet, tokenFor } from '../harness/people.ts';

let market: TestMarket;
before(async () => {
  market = await openMarket();
});
after(() => market.close());

const send = (route: `${string} /${string}`, options?: CallOptions) => call(market.url, route, options);

/** Columns of the tables that these operations write to, in both spellings. */
async function columnNames(): Promise<string[]> {
  const { rows } = await market.database.pool.query<{ name: string }>(
    `select distinct column_name as name from information_schema.columns
     where table_schema = 'public' and table_name in ('agents', 'agent_figures', 'users', 'user_wallets', 'wallet_profiles') order by 1`,
  );
  return [...new Set(rows.flatMap(({ name }) => [name, name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase())]))];
}

const rowOf = async (table: string, id: string) =>
  (await market.database.pool.query(`select *, xmin from ${table} where id = $1`, [id])).rows[0];

test('A05: no database column can be written by naming it in a request', async () => {
  const agent = await registerAgent(market.url);
  const token = await tokenFor(market.url, { email: 'column@example.com' });
  const { body } = await send('POST /api/auth/user', { key: token });
  const userId: string = body['data'].user.idp_user_id;
  const agentBefore = await rowOf('agents', agent.id);
  const userBefore = await rowOf('users', userId);
  const doors = [
    { route: 'PATCH /api/agents/me', shape: operations.agents.updateMe.input.body.shape, key: agent.key },
    { route: `PATCH /api/agents/${agent.id}`, shape: operations.agents.update.input.body.shape, key: agent.key },
    { route: 'PATCH /api/auth/user', shape: operations.auth.updateUser.input.body.shape, key: token },
    { route: 'PUT /api/profile', shape: operations.profiles.update.input.body.shape, key: token },
  ] as const;
  for (const name of [...(await columnNames()), 'marketable', 'role', 'is_admin', 'price', 'total_orders']) {
    for (const { route, shape, key } of doors) {
      if (name in shape || isCredential(name)) continue;
      assert.equal((await send(route, { key, body: { [name]: 'other' } })).status, 400, `${route} ${name}`);
    }
  }
  assert.deepEqual(await rowOf('agents', agent.id), agentBefore);
  assert.deepEqual(await rowOf('users', userId), userBefore);
});

/** Fields that every call reads as credentials, and none writes. */
const isCredential = (name: string) => ['wallet', 'idp_access_token'].includes(name);

test('A05: a registration that names a privileged column is refused', async () => {
  const shape = operations.agents.register.input.body.shape;
  for (const name of await columnNames()) {
    if (name in shape || isCredential(name)) continue;
    const reply = await send('POST /api/agents/register', {
      body: { name: 'Mass Assigned', description: 'Wants more than it gets.', [name]: true },
    });
    assert.equal(reply.status, 400, name);
  }
  const { rows } = await market.database.pool.query(`select 1 from agents where name = 'Mass Assigned'`);
  assert.equal(rows.length, 0);
});

test('A05: naming an owner without that owner’s proof attaches no owner', async () => {
  const victim = solanaWallet();
  const agent = await registerAgent(market.url, { owner_wallet: victim.address });
  assert.equal(agent.answer['marketable'], false);
  const claim = { owner_wallet: victim.address };
  const claims: [Record<string, unknown>, number, string][] = [
    [{ owner_wallet: victim.address }, 401, 'custody_signature_required'],
    [{ owner_wallet: victim.address, ...(await signed(solanaWallet())) }, 401, 'custody_signature_required'],
    [
      { ...claim, ...(await signedFor(market.url, solanaWallet(), { method: 'PATCH', path: '/api/agents/me', body: claim })) },
      401,
      'wallet_mismatch',
    ],
    [{ idp_user_id: 'usr_somebody' }, 403, 'owner_proof_required'],
  ];
  for (const [body, status, code] of claims) {
    const reply = await send('PATCH /api/agents/me', { key: agent.key, body });
    assert.deepEqual([reply.status, reply.body['code']], [status, code], JSON.stringify(body));
  }
  assert.equal((await rowOf('agents', agent.id)).owner_wallet, null);
});

test('A05: the API key of an owned agent cannot change its payout, its owner or its key', async () => {
  const agent = await registerOwnedAgent(market.url, solanaWallet());
  const changes = [
    { payout_wallet: solanaWallet().address },
    { payout_address_base: baseWallet().address },
    { payout_chain: 'base', payout_address_base: baseWallet().address },
    { payout_wallet: null },
    { owner_wallet: solanaWallet().address },
    { name: 'Innocent Rename', payout_wallet: solanaWallet().address },
  ];
  const row = await rowOf('agents', agent.id);
  for (const body of changes) {
    for (const route of ['PATCH /api/agents/me', `PATCH /api/agents/${agent.id}`] as const) {
      if ('owner_wallet' in body && route !== 'PATCH /api/agents/me') continue;
      const reply = await send(route, { key: agent.key, body });
      assert.equal(reply.status, 403, `${route} ${JSON.stringify(body)}`);
    }
  }
  assert.equal((await send('POST /api/agents/me/rotate-key', { key: agent.key })).body['code'], 'owner_proof_required');
  assert.deepEqual(await rowOf('agents', agent.id), row);
});

test('A18: strangers cannot edit, link, deactivate or re-key an agent, with or without an owner', async () => {
  const thief = solanaWallet();
  const thiefToken = await tokenFor(market.url, { email: 'thief@example.com', wallets: [{ chain: 'solana', address: thief.address }] });
  await send('POST /api/auth/user', { key: thiefToken });
  const thiefAgent = await registerAgent(market.url);
  const owned = await registerOwnedAgent(market.url, solanaWallet());
  const ownerless = await registerAgent(market.url);
  for (const agent of [owned, ownerless]) {
    const row = await rowOf('agents', agent.id);
    for (const options of [{ key: thiefToken }, { key: thiefAgent.key }, { wallet: thief }]) {
      for (const [route, body] of [
        [`PATCH /api/agents/${agent.id}`, { description: 'Now does the work of a thief.' }],
        [`PATCH /api/agents/${agent.slug}`, { payout_wallet: thief.address }],
        [`PATCH /api/agents/${agent.id}/active`, { active: false }],
      ] as const) {
        const proof =
          'wallet' in options && options.wallet ? await signedFor(market.url, thief, { method: 'PATCH', path: route.slice(6), body }) : {};
        const reply = await send(route, { ...('key' in options && options.key ? { key: options.key } : {}), body: { ...body, ...proof } });
        assert.equal(reply.status, 403, `${route} ${JSON.stringify(reply.body)}`);
      }
    }
    assert.deepEqual(await rowOf('agents', agent.id), row);
  }
});

test('A18: a thief with the key of an owned agent cannot link or claim it', async () => {
  const owned = await registerOwnedAgent(market.url, solanaWallet());
  const thief = solanaWallet();
  const token = await tokenFor(market.url, { email: 'keythief@example.com' });
  const link = await send('POST /api/agents/link', { key: token, body: { api_key: owned.key } });
  assert.deepEqual([link.status, link.body['code']], [401, 'sign_in_message_required']);
  const body = { owner_wallet: thief.address };
  const proof = await signedFor(market.url, thief, { method: 'PATCH', path: '/api/agents/me', body });
  const claim = await send('PATCH /api/agents/me', { key: owned.key, body: { ...body, ...proof } });
  assert.deepEqual([claim.status, claim.body['code']], [403, 'owner_already_set']);
});

test('A18: a stranger who takes over a lapsed X handle gets no agents of its former holder', async () => {
  const first = await tokenFor(market.url, { email: 'first@example.com', twitter_username: 'lapsed' });
  await send('POST /api/auth/user', { key: first });
  const agent = await registerAgent(market.url, {}, { key: first });
  const second = await tokenFor(market.url, { email: 'second@example.com', twitter_username: 'lapsed' });
  const signIn = await send('POST /api/auth/user', { key: second });
  assert.equal(signIn.body['data'].backfilled.agents, 0);
  assert.equal((await send('POST /api/agents/recover', { key: second, body: {} })).status, 404);
  assert.equal(
    (await send(`PATCH /api/agents/${agent.id}`, { key: second, body: { description: 'Taken over by its handle.' } })).status,
    403,
  );
  assert.equal((await send(`GET /api/agents/${agent.id}`, { key: second })).body['data'].agent.is_owner, false);
  assert.equal((await send('POST /api/agents/recover', { key: first, body: {} })).status, 200);
});
