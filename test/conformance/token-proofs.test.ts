/** Registering a token: permissions, required fields, and required proof on chain. Specification, lines 220 and 309. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { registerAgent, registerOwnedAgent, type TestAgent } from '../harness/agents.ts';
import { type CallOptions, call, type Envelope, expectCall } from '../harness/http.ts';
import type { TestMarket } from '../harness/market.ts';
import type { SolanaPayer } from '../harness/payers.ts';
import { baseWallet, openSession, signed, solanaWallet, type TestWallet, tokenFor } from '../harness/people.ts';
import { createMaker, type MadeToken, makeToken, touchToken } from '../harness/tokens.ts';
import { openTokenStage, outcomeOf as outcome, type TokenStage } from '../tokens/stage.ts';

let stage: TokenStage;
let market: TestMarket;
let maker: SolanaPayer;
let owner: TestWallet;
let admin: TokenStage['admin'];
before(async () => {
  stage = await openTokenStage();
  ({ market, maker, owner, admin } = stage);
});
after(() => market.close());

const body: TokenStage['body'] = (...args) => stage.body(...args);
const register: TokenStage['register'] = (...args) => stage.register(...args);
const read: TokenStage['read'] = (agent) => stage.read(agent);
const ownAgent: TokenStage['ownAgent'] = () => stage.ownAgent();

describe('registering a token: permissions', () => {
  let agent: TestAgent;
  let token: MadeToken;
  before(async () => {
    agent = await ownAgent();
    token = await makeToken(maker);
  });
  const post = (options: CallOptions) => call(market.url, `POST /api/agents/${agent.id}/token`, options);

  test('A02: nobody registers a token without credentials (401), with an API key or an account alone (403)', async () => {
    assert.deepEqual(outcome(await post({ body: body(token) })), [401, 'unauthenticated']);
    assert.deepEqual(outcome(await post({ key: agent.key, body: body(token) })), [403, 'wrong_credential']);
    const person = await tokenFor(market.url, { email: 'person@example.com' });
    assert.deepEqual(outcome(await post({ key: person, body: body(token) })), [403, 'wrong_credential']);
  });

  test('A02: no other wallet registers a token of an agent, even with a complete or an empty request', async () => {
    const stranger = solanaWallet();
    for (const fields of [body(token), body(token, { token_creator_wallet: stranger.address }), {}])
      assert.deepEqual(outcome(await register(agent, fields, { wallet: stranger })), [403, 'not_token_owner']);
  });

  test('the creator of a registered token must be the wallet that signed', async () => {
    assert.deepEqual(outcome(await register(agent, body(token, { token_creator_wallet: solanaWallet().address }))), [
      403,
      'token_creator_mismatch',
    ]);
    // The mismatch is refused first, even if other fields are missing.
    assert.deepEqual(outcome(await register(agent, { token_creator_wallet: solanaWallet().address })), [403, 'token_creator_mismatch']);
  });

  test('registering a token by a session, an old signature or a used one is 401', async () => {
    const cookie = await openSession(market.url, owner);
    assert.deepEqual(outcome(await post({ headers: { cookie }, body: body(token) })), [401, 'invalid_signature']);
    const boss = await call(market.url, `POST /api/agents/${agent.id}/token`, { ...admin, headers: { cookie }, body: body(token) });
    assert.deepEqual(outcome(boss), [401, 'invalid_signature']);
    const old = await signed(owner, Date.now() - 5.2 * 60_000);
    assert.deepEqual(outcome(await post({ body: { ...body(token), ...old } })), [401, 'signature_expired']);
    const once = { body: { ...body({ mint: solanaWallet().address }), ...(await stage.sign()) } };
    // The same call may repeat until it succeeds; another call with its signature is refused.
    for (let i = 0; i < 2; i++) assert.deepEqual(outcome(await post(once)), [400, 'token_mint_unknown']);
    const another = { body: { ...once.body, ...body({ mint: solanaWallet().address }) } };
    assert.deepEqual(outcome(await post(another)), [401, 'signature_already_used']);
  });

  test('registering a token of an ownerless agent also needs its API key', async () => {
    const [bare, made] = [await registerAgent(market.url), await makeToken(maker)];
    assert.deepEqual(outcome(await register(bare, body(made))), [403, 'not_token_owner']);
    assert.deepEqual(outcome(await register(bare, body(made), { key: agent.key })), [403, 'not_token_owner']);
    assert.equal((await register(bare, body(made), { key: bare.key })).status, 200);
  });

  test('a token of an account’s agent needs the signature of a linked wallet; another wallet beside the sign-in token is refused', async () => {
    const person = { email: 'with-wallet@example.com', wallets: [{ chain: 'solana', address: owner.address }] };
    const linked = await tokenFor(market.url, person);
    const one = await registerAgent(market.url, {}, { key: linked });
    await call(market.url, 'POST /api/auth/user', { key: linked });
    assert.equal((await register(one, body(await makeToken(maker)))).status, 200);
    const other = await tokenFor(market.url, { email: 'without-wallet@example.com' });
    const two = await registerAgent(market.url, {}, { key: other });
    const made = await makeToken(maker);
    assert.deepEqual(outcome(await register(two, body(made))), [403, 'not_token_owner']);
    assert.deepEqual(outcome(await register(two, body(made), { key: other })), [403, 'not_token_owner']);
  });

  test('an EVM owner cannot register a Solana token as its creator', async () => {
    const evm = baseWallet();
    const owned = await registerOwnedAgent(market.url, evm);
    assert.deepEqual(outcome(await register(owned, body(token, { token_creator_wallet: evm.address }), { wallet: evm })), [
      400,
      'invalid_input',
    ]);
    assert.deepEqual(outcome(await register(owned, body(token), { wallet: evm })), [403, 'token_creator_mismatch']);
  });

  test('registering a token of an agent that operators hid is 403', async () => {
    const hidden = await ownAgent();
    await expectCall(market.url, 200, `POST /api/admin/moderation`, {
      ...admin,
      body: { kind: 'agent', id: hidden.id, status: 'review', reason: 'a look' },
    });
    assert.deepEqual(outcome(await register(hidden, body(token))), [403, 'token_agent_hidden']);
    assert.equal((await call(market.url, `GET /api/agents/${hidden.id}/token`)).status, 404);
  });
});

describe('registering a token: fields of the request', () => {
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
    test(`registering a token with ${what} is 400 and changes nothing`, async () => {
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

  test('bounds of token_name and token_symbol are inclusive: 32 and 10 characters', async () => {
    const one = await ownAgent();
    const reply = await register(one, body(await makeToken(maker), { token_name: 'n'.repeat(32), token_symbol: 'S'.repeat(10) }));
    assert.equal(reply.status, 200, JSON.stringify(reply.body));
  });
});

describe('registering a token: proof on chain', () => {
  let agent: TestAgent;
  before(async () => {
    agent = await ownAgent();
  });
  const refused = async (fields: Envelope): Promise<[number, string | undefined]> => outcome(await register(agent, fields));

  test('an address without an account, a wallet and a token account are refused as mint', async () => {
    assert.deepEqual(await refused(body({ mint: solanaWallet().address })), [400, 'token_mint_unknown']);
    assert.deepEqual(await refused(body({ mint: owner.address })), [400, 'token_mint_unknown']);
    const solana = market.chains.get('solana-mainnet');
    assert.ok(solana);
    const { deriveTokenAccount } = await import('../../packages/server/src/platform/chains/solana/token-account.ts');
    const account = await deriveTokenAccount(maker.wallet.address, solana.usdcAddress as typeof maker.wallet.address);
    assert.deepEqual(await refused(body({ mint: account })), [400, 'token_mint_unknown']);
  });

  test('registering a token of somebody else is refused, USDC too, even with a transaction that the wallet signed', async () => {
    const other = await createMaker(market);
    const foreign = await makeToken(other);
    const revoked = await makeToken(other, { revoked: true });
    for (const { mint } of [foreign, revoked, { mint: String(market.chains.get('solana-mainnet')?.usdcAddress) }])
      assert.deepEqual(await refused(body({ mint })), [400, 'token_creator_unproven']);
    const touched = await touchToken(maker, revoked.mint);
    assert.deepEqual(await refused(body(revoked, { token_tx_hash: touched })), [400, 'token_creator_unproven']);
    assert.deepEqual(await refused(body(revoked, { token_tx_hash: revoked.reference })), [400, 'token_creator_unproven']);
  });

  test('the maker of a token without mint authority proves it by the transaction that made it, or by its metadata', async () => {
    const revoked = await makeToken(maker, { revoked: true });
    assert.deepEqual(await refused(body(revoked)), [400, 'token_creator_unproven']);
    assert.equal((await register(await ownAgent(), body(revoked, { token_tx_hash: revoked.reference }))).status, 200);
    const named = await makeToken(maker, { form: 'metadata', revoked: true });
    assert.equal((await register(await ownAgent(), body(named))).status, 200);
  });

  test('registering a token with an unknown transaction, or one about something else, is 400', async () => {
    const [one, two] = [await makeToken(maker), await makeToken(maker)];
    const unknown = `${'5'.repeat(87)}`;
    assert.deepEqual(await refused(body(one, { token_tx_hash: unknown })), [400, 'token_tx_invalid']);
    assert.deepEqual(await refused(body(one, { token_tx_hash: two.reference })), [400, 'token_tx_invalid']);
    assert.equal((await read(agent))['token_mint'], null);
  });
});
