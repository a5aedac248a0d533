/** Tokens of agents: register one that exists, read it, and what operators clear. Specification, lines 57 and 220. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { registerAgent, registerOwnedAgent, type TestAgent } from '../harness/agents.ts';
import { type CallOptions, call, cookieOf, type Envelope, expectCall, type Reply } from '../harness/http.ts';
import { openMarket, type TestMarket, withChains } from '../harness/market.ts';
import { walletOf } from '../harness/orders.ts';
import type { SolanaPayer } from '../harness/payers.ts';
import { baseWallet, signed, solanaWallet, type TestWallet, tokenFor } from '../harness/people.ts';
import { createMaker, type MadeToken, makeToken, touchToken } from '../harness/tokens.ts';
import { findBroken } from '../money/find-broken.ts';
import { tokenCorruptions } from '../tokens/corruptions.ts';
import { assertRecord } from './check-record.ts';

let market: TestMarket;
let maker: SolanaPayer;
let owner: TestWallet;
let admin: CallOptions;
const KEY = `admin_${'k3v9x1q7'.repeat(4)}`;

before(async () => {
  market = await openMarket({ ...withChains, JOBS: 'off', ADMIN_EMAILS: 'boss@example.com', ADMIN_API_KEY: KEY });
  maker = await createMaker(market);
  owner = walletOf(maker);
  admin = { key: await tokenFor(market.url, { email: 'boss@example.com' }) };
});
after(() => market.close());

const outcome = ({ status, body }: Reply): [number, string | undefined] => [status, body['code']];
const body = ({ mint }: { mint: string }, more: Envelope = {}): Envelope => ({
  token_mint: mint,
  token_name: 'Tallyrook',
  token_symbol: 'TALLY',
  token_mode: 'pumpfun',
  token_creator_wallet: owner.address,
  ...more,
});

/** Every signature works once; two of the same millisecond would be one. */
let signedAt = Date.now() - 60_000;
async function register(
  agent: { readonly id: string },
  fields: Envelope,
  { wallet = owner, ...options }: CallOptions & { wallet?: TestWallet } = {},
) {
  signedAt += 1;
  return await call(market.url, `POST /api/agents/${agent.id}/token`, {
    ...options,
    body: { ...fields, ...(await signed(wallet, signedAt)) },
  });
}
const read = async ({ id }: { readonly id: string }): Promise<Envelope> => await expectCall(market.url, 200, `GET /api/agents/${id}/token`);
const ownAgent = (): Promise<TestAgent> => registerOwnedAgent(market.url, owner);

const record = [
  { field: 'token_mint', type: 'string or null' },
  { field: 'token_name', type: 'string or null' },
  { field: 'token_symbol', type: 'string or null' },
  { field: 'token_image_url', type: 'string or null' },
  { field: 'token_mode', type: 'string or null' },
  { field: 'token_creator_wallet', type: 'string or null' },
  { field: 'token_tx_hash', type: 'string or null' },
  { field: 'token_created_at', type: 'string or null' },
  { field: 'token_launch_attempted', type: '0 or 1' },
] as const;

test('an agent without a token is read with nulls, an unknown agent is 404', async () => {
  const agent = await ownAgent();
  const token = await read(agent);
  assertRecord(token, record);
  assert.deepEqual(
    record.map(({ field }) => token[field]),
    [null, null, null, null, null, null, null, null, 0],
  );
  assert.deepEqual(outcome(await call(market.url, 'GET /api/agents/ext_1700000000000_000000000/token')), [404, 'agent_not_found']);
});

describe('registering a token', () => {
  for (const form of ['token', 'token-2022', 'metadata'] as const) {
    test(`a mint of the form ${form} is registered and read back, by id and by slug, with its supply`, async () => {
      const [agent, token] = [await ownAgent(), await makeToken(maker, { form })];
      const reply = await register(agent, body(token, { token_image_url: 'https://example.com/t.png', token_tx_hash: token.reference }));
      assert.equal(reply.status, 200, JSON.stringify(reply.body));
      const { data } = reply.body;
      assertRecord(data, record);
      assert.deepEqual(
        [
          data.token_mint,
          data.token_mode,
          data.token_creator_wallet,
          data.token_tx_hash,
          data.token_supply,
          data.token_decimals,
          data.market,
        ],
        [token.mint, 'pumpfun', owner.address, token.reference, '0', 6, null],
      );
      assert.deepEqual(await read(agent), data);
      assert.deepEqual(await read({ id: agent.slug }), data);
    });
  }

  test('the record of the agent, the list, the figures and the activity show it', async () => {
    const [agent, token] = [await ownAgent(), await makeToken(maker)];
    assert.equal(
      (await register(agent, body(token, { token_mode: 'byot', token_name: 'Shown everywhere', token_symbol: 'SHOWN' }))).status,
      200,
    );
    const { agent: shown } = await expectCall(market.url, 200, `GET /api/agents/${agent.id}`);
    const { created_at, ...kept } = shown.token;
    assert.match(created_at, /^\d{4}-\d{2}-\d{2} /);
    assert.deepEqual(kept, {
      mint: token.mint,
      name: 'Shown everywhere',
      symbol: 'SHOWN',
      image_url: null,
      mode: 'byot',
      creator_wallet: owner.address,
      tx_hash: null,
      launch_attempted: false,
    });
    const listed = (await expectCall(market.url, 200, 'GET /api/agents?tokenized=true&limit=100')) as Envelope[];
    assert.equal(listed.find(({ id }) => id === agent.id)?.['token_mint'], token.mint);
    const { events } = await expectCall(market.url, 200, 'GET /api/metrics/activity?filter=token_launch');
    const { type, action, title, subtitle, agent_id } = events[0];
    assert.deepEqual(
      [type, action, title, subtitle, agent_id],
      ['token_launch', 'token_registered', 'Shown everywhere', 'SHOWN', agent.id],
    );
    const { agentsWithTokens } = await expectCall(market.url, 200, 'GET /api/metrics');
    assert.ok(agentsWithTokens.byot >= 1 && agentsWithTokens.total >= agentsWithTokens.byot);
  });

  test('a second token is 409, also when the rest of the request is invalid', async () => {
    const [agent, first, second] = [await ownAgent(), await makeToken(maker), await makeToken(maker)];
    assert.equal((await register(agent, body(first))).status, 200);
    assert.deepEqual(outcome(await register(agent, body(second))), [409, 'token_already_set']);
    assert.deepEqual(outcome(await register(agent, {})), [409, 'token_already_set']);
    assert.deepEqual(outcome(await register(agent, body(second), { wallet: solanaWallet() })), [409, 'token_already_set']);
    assert.equal((await read(agent))['token_mint'], first.mint);
  });

  test('one mint serves one agent, also when two register it at the same moment', async () => {
    const token = await makeToken(maker);
    const agents = await Promise.all([ownAgent(), ownAgent(), ownAgent()]);
    const replies = await Promise.all(agents.map((agent) => register(agent, body(token))));
    assert.deepEqual(replies.map(outcome).sort(), [
      [200, undefined],
      [409, 'token_mint_taken'],
      [409, 'token_mint_taken'],
    ]);
  });

  test('one agent gets one token, also when two are registered at the same moment', async () => {
    const [agent, ...tokens] = [await ownAgent(), await makeToken(maker), await makeToken(maker)] as const;
    const replies = await Promise.all(tokens.map((token) => register(agent, body(token))));
    assert.deepEqual(replies.map(({ status }) => status).sort(), [200, 409]);
  });

  test('the same Idempotency-Key gives the same answer again', async () => {
    const [agent, token] = [await ownAgent(), await makeToken(maker)];
    const send = { headers: { 'idempotency-key': 'register-once' }, body: { ...body(token), ...(await signed(owner, ++signedAt)) } };
    const first = await call(market.url, `POST /api/agents/${agent.id}/token`, send);
    const again = await call(market.url, `POST /api/agents/${agent.id}/token`, send);
    assert.deepEqual([again.status, again.body['data']], [200, first.body['data']]);
  });
});

describe('who may register', () => {
  let agent: TestAgent;
  let token: MadeToken;
  before(async () => {
    agent = await ownAgent();
    token = await makeToken(maker);
  });
  const post = (options: CallOptions) => call(market.url, `POST /api/agents/${agent.id}/token`, options);

  test('A02: nobody without credentials (401), with an API key or an account alone (403)', async () => {
    assert.deepEqual(outcome(await post({ body: body(token) })), [401, 'unauthenticated']);
    assert.deepEqual(outcome(await post({ key: agent.key, body: body(token) })), [403, 'wrong_credential']);
    const person = await tokenFor(market.url, { email: 'person@example.com' });
    assert.deepEqual(outcome(await post({ key: person, body: body(token) })), [403, 'wrong_credential']);
  });

  test('A02: no other wallet, even with a complete or an empty request', async () => {
    const stranger = solanaWallet();
    for (const fields of [body(token), body(token, { token_creator_wallet: stranger.address }), {}])
      assert.deepEqual(outcome(await register(agent, fields, { wallet: stranger })), [403, 'not_token_owner']);
  });

  test('the creator is the wallet that signed', async () => {
    assert.deepEqual(outcome(await register(agent, body(token, { token_creator_wallet: solanaWallet().address }))), [
      403,
      'token_creator_mismatch',
    ]);
    // Also where another field is missing.
    assert.deepEqual(outcome(await register(agent, { token_creator_wallet: solanaWallet().address })), [403, 'token_creator_mismatch']);
  });

  test('a session, an old signature and one that was used are 401', async () => {
    const session = await call(market.url, 'POST /api/auth/session', { body: await signed(owner) });
    const cookie = cookieOf(session);
    assert.deepEqual(outcome(await post({ headers: { cookie }, body: body(token) })), [401, 'invalid_signature']);
    const boss = await call(market.url, `POST /api/agents/${agent.id}/token`, { ...admin, headers: { cookie }, body: body(token) });
    assert.deepEqual(outcome(boss), [401, 'invalid_signature']);
    const old = await signed(owner, Date.now() - 5.2 * 60_000);
    assert.deepEqual(outcome(await post({ body: { ...body(token), ...old } })), [401, 'signature_expired']);
    const once = { body: { ...body({ mint: solanaWallet().address }), ...(await signed(owner, ++signedAt)) } };
    assert.deepEqual(outcome(await post(once)), [400, 'token_mint_unknown']);
    assert.deepEqual(outcome(await post(once)), [401, 'signature_already_used']);
  });

  test('an agent that nobody owns also needs its API key', async () => {
    const [bare, made] = [await registerAgent(market.url), await makeToken(maker)];
    assert.deepEqual(outcome(await register(bare, body(made))), [403, 'not_token_owner']);
    assert.deepEqual(outcome(await register(bare, body(made), { key: agent.key })), [403, 'not_token_owner']);
    assert.equal((await register(bare, body(made), { key: bare.key })).status, 200);
  });

  test('the owner of an agent of an account signs with a linked wallet, or any wallet beside the sign-in token', async () => {
    const person = { email: 'with-wallet@example.com', wallets: [{ chain: 'solana', address: owner.address }] };
    const linked = await tokenFor(market.url, person);
    const one = await registerAgent(market.url, {}, { key: linked });
    await call(market.url, 'POST /api/auth/user', { key: linked });
    assert.equal((await register(one, body(await makeToken(maker)))).status, 200);
    const other = await tokenFor(market.url, { email: 'without-wallet@example.com' });
    const two = await registerAgent(market.url, {}, { key: other });
    const made = await makeToken(maker);
    assert.deepEqual(outcome(await register(two, body(made))), [403, 'not_token_owner']);
    assert.equal((await register(two, body(made), { key: other })).status, 200);
  });

  test('an EVM owner cannot have created a Solana token', async () => {
    const evm = baseWallet();
    const owned = await registerOwnedAgent(market.url, evm);
    assert.deepEqual(outcome(await register(owned, body(token, { token_creator_wallet: evm.address }), { wallet: evm })), [
      400,
      'invalid_input',
    ]);
    assert.deepEqual(outcome(await register(owned, body(token), { wallet: evm })), [403, 'token_creator_mismatch']);
  });

  test('an agent that operators hid is 403', async () => {
    const hidden = await ownAgent();
    await expectCall(market.url, 200, `POST /api/admin/moderation`, {
      ...admin,
      body: { kind: 'agent', id: hidden.id, status: 'review', reason: 'a look' },
    });
    assert.deepEqual(outcome(await register(hidden, body(token))), [403, 'token_agent_hidden']);
    assert.equal((await call(market.url, `GET /api/agents/${hidden.id}/token`)).status, 404);
  });
});

describe('what the request says', () => {
  let agent: TestAgent;
  let token: MadeToken;
  before(async () => {
    agent = await ownAgent();
    token = await makeToken(maker);
  });

  for (const [what, more] of Object.entries<Envelope>({
    'no name': { token_name: undefined },
    'an empty name': { token_name: ' ' },
    'a name of 33 characters': { token_name: 'n'.repeat(33) },
    'no symbol': { token_symbol: undefined },
    'a symbol of 11 characters': { token_symbol: 'S'.repeat(11) },
    'no mode': { token_mode: undefined },
    'the mode of launches': { token_mode: 'partner' },
    'an unknown mode': { token_mode: 'moon' },
    'no mint': { token_mint: undefined },
    'a mint that is no base58': { token_mint: '0OIl'.repeat(8) },
    'an EVM address as mint': { token_mint: baseWallet().address },
    'an image that is no link': { token_image_url: 'javascript:alert(1)' },
    'a transaction that is no signature': { token_tx_hash: 'abc' },
  })) {
    test(`${what} is 400 and changes nothing`, async () => {
      assert.deepEqual(outcome(await register(agent, body(token, more))), [400, 'invalid_input']);
      assert.equal((await read(agent))['token_mint'], null);
    });
  }

  for (const [field, value] of [
    ['token_name', 'Mercato Prime'],
    ['token_symbol', 'M3RCAT0'],
  ] as const) {
    test(`${field} may not look like the marketplace`, async () => {
      assert.deepEqual(outcome(await register(agent, body(token, { [field]: value }))), [400, 'token_name_reserved']);
    });
  }

  test('bounds are inclusive: 32 and 10 characters', async () => {
    const one = await ownAgent();
    const reply = await register(one, body(await makeToken(maker), { token_name: 'n'.repeat(32), token_symbol: 'S'.repeat(10) }));
    assert.equal(reply.status, 200, JSON.stringify(reply.body));
  });
});

describe('what the chain says', () => {
  let agent: TestAgent;
  before(async () => {
    agent = await ownAgent();
  });
  const refused = async (fields: Envelope): Promise<[number, string | undefined]> => outcome(await register(agent, fields));

  test('an address without an account, a wallet and a token account are no mint', async () => {
    assert.deepEqual(await refused(body({ mint: solanaWallet().address })), [400, 'token_mint_unknown']);
    assert.deepEqual(await refused(body({ mint: owner.address })), [400, 'token_mint_unknown']);
    const solana = market.chains.get('solana-mainnet');
    assert.ok(solana);
    const { deriveTokenAccount } = await import('../../packages/server/src/platform/chains/solana/token-account.ts');
    const account = await deriveTokenAccount(maker.wallet.address, solana.usdcAddress as typeof maker.wallet.address);
    assert.deepEqual(await refused(body({ mint: account })), [400, 'token_mint_unknown']);
  });

  test('a token of somebody else is refused, USDC too, even with a transaction that the wallet signed', async () => {
    const other = await createMaker(market);
    const foreign = await makeToken(other);
    const revoked = await makeToken(other, { revoked: true });
    for (const { mint } of [foreign, revoked, { mint: String(market.chains.get('solana-mainnet')?.usdcAddress) }])
      assert.deepEqual(await refused(body({ mint })), [400, 'token_creator_unproven']);
    const touched = await touchToken(maker, revoked.mint);
    assert.deepEqual(await refused(body(revoked, { token_tx_hash: touched })), [400, 'token_creator_unproven']);
    assert.deepEqual(await refused(body(revoked, { token_tx_hash: revoked.reference })), [400, 'token_creator_unproven']);
  });

  test('a token whose authority was given up is proven by the transaction that made it, or by its metadata', async () => {
    const revoked = await makeToken(maker, { revoked: true });
    assert.deepEqual(await refused(body(revoked)), [400, 'token_creator_unproven']);
    assert.equal((await register(await ownAgent(), body(revoked, { token_tx_hash: revoked.reference }))).status, 200);
    const named = await makeToken(maker, { form: 'metadata', revoked: true });
    assert.equal((await register(await ownAgent(), body(named))).status, 200);
  });

  test('a transaction that is unknown, or about something else, is 400', async () => {
    const [one, two] = [await makeToken(maker), await makeToken(maker)];
    const unknown = `${'5'.repeat(87)}`;
    assert.deepEqual(await refused(body(one, { token_tx_hash: unknown })), [400, 'token_tx_invalid']);
    assert.deepEqual(await refused(body(one, { token_tx_hash: two.reference })), [400, 'token_tx_invalid']);
    assert.equal((await read(agent))['token_mint'], null);
  });
});

describe('what operators clear', () => {
  test('an administrator or the operators’ key removes a token; the mint can be registered again', async () => {
    const [agent, token] = [await ownAgent(), await makeToken(maker)];
    for (const who of [admin, { key: KEY }]) {
      assert.equal((await register(agent, body(token))).status, 200);
      const cleared = await expectCall(market.url, 200, `DELETE /api/agents/${agent.id}/token`, who);
      assert.deepEqual(cleared, { agent_id: agent.id, cleared: true });
      assert.equal((await read(agent))['token_mint'], null);
      assert.equal((await expectCall(market.url, 200, `GET /api/agents/${agent.id}`))['agent'].token, null);
    }
    assert.equal((await expectCall(market.url, 200, `DELETE /api/agents/${agent.id}/token`, admin))['cleared'], false);
    const log = (await expectCall(market.url, 200, `GET /api/admin/actions?subject=${agent.id}`, admin)) as Envelope[];
    assert.deepEqual(
      log.map(({ action, admin: who }) => [action, String(who).split(':')[0]]),
      [
        ['agent.token_cleared', 'key'],
        ['agent.token_cleared', 'user'],
      ],
    );
  });

  test('the lock of a launch is released, unless the agent has a token', async () => {
    const agent = await ownAgent();
    const route = `POST /api/admin/agents/${agent.id}/clear-token-launch` as const;
    await market.database.pool.query('update agents set token_launch_attempted_at = now() where id = $1', [agent.id]);
    assert.equal((await read(agent))['token_launch_attempted'], 1);
    assert.deepEqual(await expectCall(market.url, 200, route, admin), { agent_id: agent.id, cleared: true });
    assert.deepEqual(await expectCall(market.url, 200, route, admin), { agent_id: agent.id, cleared: false });
    assert.equal((await read(agent))['token_launch_attempted'], 0);
    assert.equal((await register(agent, body(await makeToken(maker)))).status, 200);
    assert.deepEqual(outcome(await call(market.url, route, admin)), [409, 'token_on_record']);
    assert.deepEqual(outcome(await call(market.url, 'POST /api/admin/agents/nobody/clear-token-launch', admin)), [404, 'agent_not_found']);
  });
});

test('the audit finds nothing, and names each corruption', async () => {
  assert.deepEqual((await findBroken(market.database)).broken, []);
  for (const { what, breaks, sql } of tokenCorruptions) {
    const { broken, changed } = await findBroken(market.database, sql);
    assert.ok(changed > 0, what);
    assert.ok(broken.includes(breaks), what);
  }
});
