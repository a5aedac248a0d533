/** The three tiers of wallet signatures: how old each may be, how often it works, and what text it signs. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { registerAgent, registerOwnedAgent } from '../harness/agents.ts';
import { asQuery, call, type Reply } from '../harness/http.ts';
import { openMarket, type TestMarket } from '../harness/market.ts';
import {
  agentBody,
  asHeaders,
  baseWallet,
  openSession,
  type SignatureFields,
  signed,
  signedFor,
  solanaWallet,
  type TestWallet,
} from '../harness/people.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const SOLANA_PAYOUT = '7EqQdEULxWcraVx3mXKFjc84LhCkMGZCkRuDpvcMwJeK';

let market: TestMarket;
before(async () => {
  market = await openMarket();
});
after(() => market.close());

const outcome = ({ status, body }: Reply): [number, string | undefined] => [status, body['code']];

describe('ordinary tier', () => {
  const use = async (wallet: TestWallet, at: number): Promise<Reply> =>
    call(market.url, `GET /api/auth/whoami${asQuery(await signed(wallet, at))}`);

  test('an ordinary signature is accepted for 15 minutes and refused after', async () => {
    const wallet = solanaWallet();
    assert.equal((await use(wallet, Date.now() - 14.9 * MINUTE)).status, 200);
    assert.deepEqual(outcome(await use(wallet, Date.now() - 15.1 * MINUTE)), [401, 'signature_expired']);
  });

  test('an ordinary signature accepts a client clock up to 30 seconds ahead', async () => {
    const wallet = baseWallet();
    assert.equal((await use(wallet, Date.now() + 25 * SECOND)).status, 200);
    assert.deepEqual(outcome(await use(wallet, Date.now() + 40 * SECOND)), [401, 'signature_from_future']);
  });

  test('an ordinary signature can be used repeatedly while it is fresh', async () => {
    const fields = await signed(solanaWallet());
    for (let i = 0; i < 3; i++) assert.equal((await call(market.url, 'PUT /api/profile', { body: fields })).status, 200);
  });

  for (const wallet_sig_ts of [0, -1, 1.5, 'soon', '', true, 1e300, [], {}, '99999999999999999999']) {
    test(`a signature with wallet_sig_ts ${JSON.stringify(wallet_sig_ts)} is 401`, async () => {
      const body = { ...(await signed(solanaWallet())), wallet_sig_ts };
      assert.equal((await call(market.url, 'PUT /api/profile', { body })).status, 401);
    });
  }
});

/** Calls of the single-use tier, with the fields they need besides the signature. */
const singleUse = [
  { title: 'recover', route: 'POST /api/agents/recover', done: 200, prepare: async () => ({}) },
  { title: 'register', route: 'POST /api/agents/register', done: 201, prepare: async () => agentBody() },
] as const;

for (const { title, route, done, prepare } of singleUse) {
  describe(`single-use tier: ${title}`, () => {
    const send = async (fields: SignatureFields): Promise<Reply> => call(market.url, route, { body: { ...(await prepare()), ...fields } });
    const owner = async (makeWallet = solanaWallet): Promise<TestWallet> => {
      const wallet = makeWallet();
      await registerOwnedAgent(market.url, wallet);
      return wallet;
    };

    test(`single-use tier: a signature to ${title} is accepted for 5 minutes and refused after`, async () => {
      const wallet = await owner();
      assert.equal((await send(await signed(wallet, Date.now() - 4.9 * MINUTE))).status, done);
      assert.deepEqual(outcome(await send(await signed(wallet, Date.now() - 5.1 * MINUTE))), [401, 'signature_expired']);
    });

    for (const makeWallet of [solanaWallet, baseWallet]) {
      test(`single-use tier: a signature of a ${makeWallet.name} to ${title} works once`, async () => {
        const fields = await signed(await owner(makeWallet));
        assert.equal((await send(fields)).status, done);
        assert.deepEqual(outcome(await send(fields)), [401, 'signature_already_used']);
      });
    }

    test(`single-use tier: another encoding of a spent signature to ${title} is spent too`, async () => {
      const wallet = await owner(baseWallet);
      const fields = await signed(wallet);
      assert.equal((await send(fields)).status, done);
      for (const wallet_sig of [fields.wallet_sig.slice(2), fields.wallet_sig.toUpperCase().replace('0X', '0x')]) {
        assert.deepEqual(outcome(await send({ ...fields, wallet_sig })), [401, 'signature_already_used']);
      }
      const text = `market:${wallet.address.toLowerCase()}:${fields.wallet_sig_ts}`;
      const lower = { ...fields, wallet: wallet.address.toLowerCase(), wallet_sig: await wallet.sign(text) };
      assert.deepEqual(outcome(await send(lower)), [401, 'signature_already_used']);
    });

    test(`single-use tier: of ten parallel uses of a signature to ${title} exactly one succeeds`, async () => {
      const fields = await signed(await owner());
      const replies = await Promise.all(Array.from({ length: 10 }, () => send(fields)));
      assert.deepEqual(replies.map(({ status }) => status).sort(), [done, ...Array<number>(9).fill(401)]);
    });

    test(`V19: single-use tier: a signature to ${title} in the query string is refused, and refused afterwards in the body, too`, async () => {
      const fields = await signed(await owner());
      const reply = await call(market.url, `${route}${asQuery(fields)}`, { body: await prepare() });
      assert.equal(reply.status, 401);
      assert.deepEqual(outcome(await send(fields)), [401, 'signature_already_used']);
    });

    test(`V19: single-use tier: a signature that another call has shown is refused to ${title}`, async () => {
      const wallet = await owner();
      for (const show of [
        (fields: SignatureFields) => call(market.url, `GET /api/auth/whoami${asQuery(fields)}`),
        (fields: SignatureFields) => call(market.url, 'GET /api/orders', { headers: asHeaders(fields) }),
        (fields: SignatureFields) => call(market.url, 'PUT /api/profile', { body: fields }),
        (fields: SignatureFields) => call(market.url, `GET /files/file_1700000000000_aaaaaaaaa${asQuery(fields)}`),
      ]) {
        const fields = await signed(wallet);
        await show(fields);
        assert.deepEqual(outcome(await send(fields)), [401, 'signature_already_used'], String(show));
      }
    });
  });
}

test('single-use tier: a session cookie does not recover', async () => {
  const wallet = solanaWallet();
  await registerOwnedAgent(market.url, wallet);
  const headers = { cookie: await openSession(market.url, wallet), origin: market.url };
  assert.deepEqual(outcome(await call(market.url, 'POST /api/agents/recover', { body: {}, headers })), [401, 'invalid_signature']);
});

test('single-use tier: a failed call may be repeated with its signature; a changed call may not', async () => {
  const wallet = solanaWallet();
  const taken = await registerAgent(market.url);
  const fields = await signed(wallet);
  const register = (name: string) =>
    call(market.url, 'POST /api/agents/register', { body: { ...agentBody(), name, ...fields, description: 'Fails first.' } });
  for (let i = 0; i < 2; i++) assert.equal((await register(taken.name)).status, 409);
  assert.deepEqual(outcome(await register(agentBody().name)), [401, 'signature_already_used']);
});

describe('a custody signature', () => {
  const path = '/api/agents/me';
  const change = { payout_wallet: SOLANA_PAYOUT };
  const owned = async (makeWallet = solanaWallet) => {
    const wallet = makeWallet();
    return { wallet, agent: await registerOwnedAgent(market.url, wallet) };
  };
  const patch = (key: string, body: Record<string, unknown>, headers: Record<string, string> = {}): Promise<Reply> =>
    call(market.url, `PATCH ${path}`, { key, body, headers });

  for (const makeWallet of [solanaWallet, baseWallet]) {
    test(`a custody signature of a ${makeWallet.name} over method, path and body hash makes the change`, async () => {
      const { wallet, agent } = await owned(makeWallet);
      const at = Date.now();
      const digest = createHash('sha256').update(JSON.stringify(change)).digest('hex');
      const wallet_sig = await wallet.sign(`market:${new URL(market.url).host}:${wallet.address}:${at}:PATCH ${path}:${digest}`);
      const reply = await patch(agent.key, { ...change, wallet: wallet.address, wallet_sig, wallet_sig_ts: at });
      assert.equal(reply.status, 200, JSON.stringify(reply.body));
      assert.equal(reply.body['data'].payout_wallet, SOLANA_PAYOUT);
    });
  }

  test('without a custody signature the 401 shows the text to sign, and signing it works', async () => {
    const { wallet, agent } = await owned();
    const refused = await patch(agent.key, { ...change, ...(await signed(wallet)) });
    assert.deepEqual(outcome(refused), [401, 'custody_signature_required']);
    const { text_to_sign, wallet_sig_ts } = refused.body['data'];
    assert.match(
      text_to_sign,
      new RegExp(`^market:${new URL(market.url).host}:${wallet.address}:${wallet_sig_ts}:PATCH ${path}:[0-9a-f]{64}$`),
    );
    assert.ok(refused.body['error'].includes(text_to_sign));
    const signature = { wallet: wallet.address, wallet_sig: await wallet.sign(text_to_sign), wallet_sig_ts };
    assert.equal((await patch(agent.key, { ...change, ...signature })).status, 200);
  });

  test('a custody signature is valid for the exact request only: another path, method or body is refused', async () => {
    const { wallet, agent } = await owned();
    const elsewhere = [
      { method: 'PATCH', path: `/api/agents/${agent.id}`, body: change },
      { method: 'POST', path, body: change },
      { method: 'PATCH', path, body: { payout_wallet: null } },
      { method: 'PATCH', path, body: { ...change, payout_chain: 'solana' } },
    ];
    for (const request of elsewhere) {
      const reply = await patch(agent.key, { ...change, ...(await signedFor(market.url, wallet, request)) });
      assert.equal(reply.status, 401, JSON.stringify(request));
    }
    assert.equal((await call(market.url, 'GET /api/agents/me', { key: agent.key })).body['data'].payout_wallet, null);
  });

  test('a custody signature is accepted for 5 minutes and once', async () => {
    const { wallet, agent } = await owned();
    const request = { method: 'PATCH', path, body: change };
    const old = await signedFor(market.url, wallet, request, Date.now() - 5.1 * MINUTE);
    assert.deepEqual(outcome(await patch(agent.key, { ...change, ...old })), [401, 'signature_expired']);
    const fresh = await signedFor(market.url, wallet, request, Date.now() - 4.9 * MINUTE);
    assert.equal((await patch(agent.key, { ...change, ...fresh })).status, 200);
    assert.deepEqual(outcome(await patch(agent.key, { ...change, ...fresh })), [401, 'signature_already_used']);
  });

  test('a custody signature ignores the order of fields, and works in headers or body', async () => {
    const { wallet, agent } = await owned();
    const body = { payout_wallet: SOLANA_PAYOUT, payout_chain: 'solana', description: 'Signed in another order.' };
    const fields = await signedFor(market.url, wallet, {
      method: 'PATCH',
      path,
      body: { description: body.description, payout_chain: 'solana', payout_wallet: SOLANA_PAYOUT },
    });
    assert.equal((await patch(agent.key, body, asHeaders(fields))).status, 200);
  });

  test('a custody signature cannot be replaced by a session cookie', async () => {
    const { wallet, agent } = await owned();
    const headers = { cookie: await openSession(market.url, wallet), origin: market.url };
    const byCookie = await call(market.url, `PATCH /api/agents/${agent.id}`, { body: change, headers });
    assert.deepEqual(outcome(byCookie), [401, 'custody_signature_required']);
    assert.deepEqual(outcome(await patch(agent.key, change, headers)), [403, 'owner_proof_required']);
  });

  test('a custody signature by a wallet that is not the owner is 403', async () => {
    const { agent } = await owned();
    const stranger = solanaWallet();
    const reply = await patch(agent.key, {
      ...change,
      ...(await signedFor(market.url, stranger, { method: 'PATCH', path, body: change })),
    });
    assert.deepEqual(outcome(reply), [403, 'owner_proof_required']);
  });

  test('changing the payout of an ownerless agent needs no custody signature: its key is enough', async () => {
    const { key } = await registerAgent(market.url);
    assert.equal((await patch(key, change)).status, 200);
  });
});
