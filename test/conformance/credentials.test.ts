/** The authentication table: every credential on every carrier, and 401 before 403 on every call. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { registerAgent, type TestAgent } from '../harness/agents.ts';
import { asQuery, type CallOptions, call, type Envelope } from '../harness/http.ts';
import { openMarket, type TestMarket } from '../harness/market.ts';
import { asHeaders, baseWallet, type SignatureFields, signed, solanaWallet, type TestWallet, tokenFor } from '../harness/people.ts';

let market: TestMarket;
let agent: TestAgent;
let token: string;
let userId: string;
before(async () => {
  market = await openMarket();
  agent = await registerAgent(market.url);
  token = await tokenFor(market.url, { email: 'carrier@example.com' });
  const { body } = await call(market.url, 'POST /api/auth/user', { key: token });
  userId = body['data'].user.idp_user_id;
});
after(() => market.close());

const whoami = async (options: CallOptions, query = ''): Promise<Envelope> => {
  const reply = await call(market.url, `GET /api/auth/whoami${query}`, options);
  return reply.status === 200 ? reply.body['data'] : { status: reply.status, code: reply.body['code'] };
};
const asHeadersOf = (chain: string, fields: SignatureFields): Record<string, string> => ({
  ...asHeaders(fields),
  'x-market-wallet-chain': chain,
});

describe('identity-provider token', () => {
  test('an identity-provider token is read from the Authorization header', async () => {
    assert.equal((await whoami({ key: token }))['user'].idp_user_id, userId);
  });

  test('an identity-provider token is read from the cookie idp-token', async () => {
    const headers = { cookie: `theme=dark; idp-token=${token}; other=1` };
    assert.equal((await whoami({ headers }))['user'].idp_user_id, userId);
  });

  test('an identity-provider token is read from the body field idp_access_token', async () => {
    const reply = await call(market.url, 'POST /api/auth/user', { body: { idp_access_token: token } });
    assert.equal(reply.body['data'].user.idp_user_id, userId);
  });

  test('an identity-provider token signs in on each of the three carriers', async () => {
    for (const options of [{ key: token }, { headers: { cookie: `idp-token=${token}` } }, { body: { idp_access_token: token } }]) {
      assert.equal((await call(market.url, 'POST /api/auth/user', options)).status, 200);
    }
  });

  const [header, payload, signature] = ['eyJhbGciOiJub25lIn0', 'eyJzdWIiOiJ1c3JfMSJ9', ''];
  for (const [title, wrong] of [
    ['that is no token', 'nonsense'],
    ['without a signature', `${header}.${payload}.${signature}`],
    ['that is too long', 'x'.repeat(9000)],
  ] as const) {
    test(`a bearer token ${title} is 401 invalid_token, also where credentials are optional`, async () => {
      assert.deepEqual(await whoami({ key: wrong }), { status: 401, code: 'invalid_token' });
      const reply = await call(market.url, 'POST /api/auth/user', { body: { idp_access_token: wrong } });
      assert.equal(reply.status, 401);
    });
  }

  test('an identity-provider token with a changed payload is 401', async () => {
    const [head = '', body = '', seal = ''] = token.split('.');
    const claims = JSON.parse(Buffer.from(body, 'base64url').toString()) as Envelope;
    const forged = Buffer.from(JSON.stringify({ ...claims, sub: 'usr_someone_else' })).toString('base64url');
    assert.deepEqual(await whoami({ key: `${head}.${forged}.${seal}` }), { status: 401, code: 'invalid_token' });
  });

  test('a stale token cookie does not block public reads, and authenticates nothing', async () => {
    const headers = { cookie: 'idp-token=stale' };
    assert.equal((await whoami({ headers }))['user'], null);
    assert.equal((await call(market.url, 'GET /api/auth/user', { headers })).status, 401);
  });
});

describe('API key', () => {
  test('an API key is read from the Authorization header, in any case of the scheme', async () => {
    for (const scheme of ['Bearer', 'bearer']) {
      const who = await whoami({ headers: { authorization: `${scheme} ${agent.key}` } });
      assert.deepEqual(who['agent'], { agent_id: agent.id, name: agent.name });
    }
  });

  for (const wrong of ['market_unknown', `market_${'0'.repeat(48)}`, 'market_']) {
    test(`the API key ${wrong.slice(0, 20)} is 401 invalid_api_key, also where credentials are optional`, async () => {
      assert.deepEqual(await whoami({ key: wrong }), { status: 401, code: 'invalid_api_key' });
    });
  }

  test('an API key is not a token: in a body field or cookie it authenticates nothing', async () => {
    const reply = await call(market.url, 'POST /api/auth/user', { body: { idp_access_token: agent.key } });
    assert.equal(reply.status, 401);
    assert.equal((await whoami({ headers: { cookie: `idp-token=${agent.key}` } }))['agent'], null);
  });

  test('an API key and a token in one request prove both', async () => {
    const who = await whoami({ key: agent.key, headers: { cookie: `idp-token=${token}` } });
    assert.deepEqual([who['agent'].agent_id, who['user'].idp_user_id], [agent.id, userId]);
  });
});

for (const [chain, makeWallet] of [
  ['solana', solanaWallet],
  ['base', baseWallet],
] as const) {
  describe(`wallet signature, ${chain}`, () => {
    const other = chain === 'solana' ? 'base' : 'solana';
    const proven = (wallet: TestWallet) => ({ chain, address: wallet.address, proof: 'signature' });

    test(`a ${chain} wallet signature is read from query, headers and body`, async () => {
      const wallet = makeWallet();
      const fields = await signed(wallet);
      assert.deepEqual((await whoami({}, asQuery(fields)))['wallet'], proven(wallet));
      assert.deepEqual((await whoami({ headers: asHeaders(fields) }))['wallet'], proven(wallet));
      const put = await call(market.url, 'PUT /api/profile', { body: { bio: 'me', ...fields } });
      assert.equal(put.body['data'].wallet, wallet.address);
    });

    test(`a ${chain} wallet signature accepts wallet_sig_ts as number or text in the body`, async () => {
      const fields = await signed(makeWallet());
      for (const wallet_sig_ts of [fields.wallet_sig_ts, String(fields.wallet_sig_ts)]) {
        assert.equal((await call(market.url, 'PUT /api/profile', { body: { ...fields, wallet_sig_ts } })).status, 200);
      }
    });

    test(`wallet_chain must agree with the address of a ${chain} signature, on each carrier`, async () => {
      const fields = await signed(makeWallet());
      assert.equal((await whoami({}, asQuery({ ...fields, wallet_chain: chain })))['wallet'].chain, chain);
      assert.equal((await whoami({}, asQuery({ ...fields, wallet_chain: other })))['status'], 401);
      assert.equal((await whoami({ headers: asHeadersOf(chain, fields) }))['wallet'].chain, chain);
      assert.equal((await whoami({ headers: asHeadersOf(other, fields) }))['status'], 401);
      assert.equal((await call(market.url, 'PUT /api/profile', { body: { ...fields, wallet_chain: chain } })).status, 200);
      assert.equal((await call(market.url, 'PUT /api/profile', { body: { ...fields, wallet_chain: other } })).status, 401);
      assert.equal((await whoami({}, asQuery({ ...fields, wallet_chain: 'ethereum' })))['status'], 401);
    });

    test(`the header X-Market-Wallet-Chain is the hint wallet_chain of a ${chain} signature without a body`, async () => {
      const fields = await signed(makeWallet());
      assert.equal((await whoami({ headers: { 'x-market-wallet-chain': chain } }, asQuery(fields)))['wallet'].chain, chain);
      assert.equal((await whoami({ headers: { 'x-market-wallet-chain': other } }, asQuery(fields)))['status'], 401);
    });

    test(`a ${chain} signature by another wallet, damaged, or repeated in the query is 401`, async () => {
      const wallet = makeWallet();
      const fields = await signed(wallet);
      const stolen = { ...(await signed(makeWallet())), wallet: wallet.address };
      const damaged = { ...fields, wallet_sig: fields.wallet_sig.slice(0, -3) + (fields.wallet_sig.endsWith('111') ? '222' : '111') };
      for (const wrong of [stolen, damaged]) assert.equal((await whoami({}, asQuery(wrong)))['status'], 401);
      assert.equal((await whoami({}, `${asQuery(fields)}&wallet_sig=${fields.wallet_sig}`))['status'], 401);
    });
  });
}

test('an EVM signature over the lower-case address, or without its 0x, is accepted', async () => {
  const wallet = baseWallet();
  const lower = wallet.address.toLowerCase();
  const at = Date.now();
  const wallet_sig = (await wallet.sign(`market:${lower}:${at}`)).slice(2);
  const who = await whoami({}, asQuery({ wallet: lower, wallet_sig, wallet_sig_ts: at }));
  assert.equal(who['wallet'].address, wallet.address);
});

/** Who may call what: the credential kinds each call takes. */
const calls: readonly { route: `${string} /${string}`; takes: readonly ('key' | 'token' | 'wallet')[]; body?: object }[] = [
  { route: 'GET /api/agents/me', takes: ['key'] },
  { route: 'PATCH /api/agents/me', takes: ['key'], body: {} },
  { route: 'POST /api/agents/me/rotate-key', takes: ['key'], body: {} },
  { route: 'POST /api/agents/recover', takes: ['token', 'wallet'], body: {} },
  { route: 'POST /api/agents/link', takes: ['token'], body: { api_key: 'market_x' } },
  { route: 'PATCH /api/agents/nobody', takes: ['key', 'token', 'wallet'], body: {} },
  { route: 'PATCH /api/agents/nobody/active', takes: ['key', 'token', 'wallet'], body: { active: true } },
  { route: 'POST /api/auth/user', takes: ['token'], body: {} },
  { route: 'GET /api/auth/user', takes: ['token'] },
  { route: 'PATCH /api/auth/user', takes: ['token'], body: {} },
  { route: 'POST /api/auth/session', takes: ['wallet'], body: {} },
  { route: 'POST /api/auth/wallets', takes: ['token'], body: {} },
  { route: 'DELETE /api/auth/wallets/uw_1700000000000_aaaaaaaaa', takes: ['token'] },
  { route: 'PUT /api/profile', takes: ['token', 'wallet'], body: {} },
];

for (const { route, takes, body } of calls) {
  test(`${route} is 401 without credentials and 403 with any kind but ${takes.join(', ')}`, async () => {
    const bare = await call(market.url, route, { ...(body && { body }) });
    assert.deepEqual([bare.status, bare.body['code']], [401, 'unauthenticated']);
    const credentials: Record<'key' | 'token' | 'wallet', CallOptions> = {
      key: { key: (await registerAgent(market.url)).key },
      token: { key: token },
      wallet: { headers: asHeaders(await signed(solanaWallet())) },
    };
    for (const kind of ['key', 'token', 'wallet'] as const) {
      const reply = await call(market.url, route, { ...credentials[kind], ...(body && { body }) });
      if (takes.includes(kind)) assert.notEqual(reply.body['code'], 'wrong_credential', kind);
      else assert.deepEqual([reply.status, reply.body['code']], [403, 'wrong_credential'], kind);
    }
  });

  test(`${route} checks credentials before the input`, async () => {
    const reply = await call(market.url, route, body === undefined ? {} : { body: { nonsense: true } });
    assert.equal(reply.status, 401);
  });
}
