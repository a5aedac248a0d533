/** Messages that a wallet signs for an effect that outlives the request. `links-and-owners` tests these effects. */
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { parseSiweMessage, validateSiweMessage } from 'viem/siwe';
import { registerAgent, registerOwnedAgent } from '../harness/agents.ts';
import { openAccount } from '../harness/authority.ts';
import { asQuery, call, type Envelope, expectCall, type Reply } from '../harness/http.ts';
import { openMarket, type TestMarket } from '../harness/market.ts';
import { agreed, asSignInHeader, baseWallet, openSession, signed, signedFor, solanaWallet } from '../harness/people.ts';

const MINUTE = 60_000;
const ME = '/api/agents/me';

let market: TestMarket;
before(async () => {
  market = await openMarket();
});
after(() => market.close());

const outcome = ({ status, body }: Reply): [number, string | undefined] => [status, body['code']];

const person = () => openAccount(market.url);
const challenge = async (body: Record<string, unknown>, key?: string): Promise<Envelope> =>
  await expectCall(market.url, 200, 'POST /api/auth/challenge', { body, ...(key !== undefined && { key }) });
const signIn = (body: unknown, headers: Record<string, string> = {}): Promise<Reply> =>
  call(market.url, 'POST /api/auth/session', { body, headers });
const link = (token: string, body: unknown): Promise<Reply> => call(market.url, 'POST /api/auth/wallets', { key: token, body });

describe('POST /api/auth/challenge', () => {
  test('an EVM action message is valid EIP-4361 and names host, wallet, action and 5 minutes of validity', async () => {
    const wallet = baseWallet();
    const { message, nonce, issued_at, expires_at } = await challenge({ action: 'session', wallet: wallet.address });
    const { host, origin } = new URL(market.url);
    const parsed = parseSiweMessage(message);
    assert.deepEqual(
      [parsed.domain, parsed.address, parsed.uri, parsed.version, parsed.nonce, parsed.requestId],
      [host, wallet.address, `${origin}/api/auth/session`, '1', nonce, 'session'],
    );
    assert.equal(parsed.chainId, 8453);
    assert.match(String(parsed.statement), /^Sign in to .* for 7 days/);
    assert.ok(validateSiweMessage({ message: parsed, domain: host, nonce, address: wallet.address as `0x${string}` }));
    assert.deepEqual([parsed.issuedAt?.toISOString(), parsed.expirationTime?.toISOString()], [issued_at, expires_at]);
    assert.equal(Date.parse(expires_at) - Date.parse(issued_at), 5 * MINUTE);
  });

  test('a Solana action message has the same lines as the EVM one', async () => {
    const wallet = solanaWallet();
    const { message, nonce, issued_at, expires_at } = await challenge({ action: 'session', wallet: wallet.address });
    const { host, origin } = new URL(market.url);
    const [first, address, , statement, , ...fields] = String(message).split('\n');
    assert.deepEqual([first, address], [`${host} wants you to sign in with your Solana account:`, wallet.address]);
    assert.match(String(statement), /^Sign in to /);
    assert.deepEqual(fields, [
      `URI: ${origin}/api/auth/session`,
      'Version: 1',
      'Chain ID: mainnet',
      `Nonce: ${nonce}`,
      `Issued At: ${issued_at}`,
      `Expiration Time: ${expires_at}`,
      'Request ID: session',
    ]);
  });

  for (const makeWallet of [solanaWallet, baseWallet]) {
    test(`the message for each action of a ${makeWallet.name} has its own statement and request id, in ASCII under 1,000 bytes`, async () => {
      const [{ token, id, email }, wallet, agent] = [await person(), makeWallet(), await registerAgent(market.url)];
      const texts = {
        session: ['session', 'Sign in to '],
        link_wallet: [`link_wallet:${id}`, `Link this wallet to the account ${email} (${id}).`],
        link_agent: [`link_agent:${agent.id}:${id}`, `Make the account ${email} (${id}) an owner of the agent ${agent.id},`],
        own_agent: [`own_agent:${agent.id}`, `Make this wallet the owner of the agent ${agent.id}.`],
      } as const;
      for (const [action, [requestId, words]] of Object.entries(texts)) {
        const { message } = await challenge({ action, wallet: wallet.address, agent_id: agent.slug }, token);
        assert.ok(message.includes(`\n\n${words}`), message);
        assert.ok(message.endsWith(`\nRequest ID: ${requestId}`), message);
        assert.match(message, /^[\x20-\x7e\n]{1,999}$/);
      }
    });
  }

  test('a challenge without the account or the agent that its message would name is refused', async () => {
    const [{ token }, wallet] = [await person(), baseWallet().address];
    const ask = (body: Record<string, unknown>, key?: string) =>
      call(market.url, 'POST /api/auth/challenge', { body, ...(key !== undefined && { key }) });
    assert.deepEqual(outcome(await ask({ action: 'link_wallet', wallet })), [401, 'unauthenticated']);
    assert.deepEqual(outcome(await ask({ action: 'link_agent', wallet }, token)), [400, 'invalid_input']);
    assert.deepEqual(outcome(await ask({ action: 'own_agent', wallet, agent_id: 'nobody-at-all' })), [404, 'agent_not_found']);
    assert.deepEqual(outcome(await ask({ action: 'session', wallet, chain: 'solana' })), [400, 'invalid_input']);
    assert.equal((await ask({ action: 'withdraw', wallet })).status, 400);
  });
});

/** Each way to use a message; `body` is for its own wallet and account. */
const uses = [
  { action: 'session', send: async (_token: string, body: unknown) => await signIn(body) },
  { action: 'link_wallet', send: async (token: string, body: unknown) => await link(token, body) },
] as const;

for (const { action, send } of uses) {
  describe(`a signed ${action} message`, () => {
    for (const makeWallet of [solanaWallet, baseWallet]) {
      test(`V02: a signed ${action} message of a ${makeWallet.name} works once, also with ten calls at once`, async () => {
        const { token } = await person();
        const body = await agreed(market.url, makeWallet(), { action }, token);
        const replies = await Promise.all(Array.from({ length: 10 }, () => send(token, body)));
        assert.deepEqual(replies.map(({ status }) => status).sort(), [200, ...Array<number>(9).fill(401)]);
        assert.deepEqual(outcome(await send(token, body)), [401, 'signature_already_used']);
      });
    }

    test(`a used ${action} signature in another spelling is refused as used`, async () => {
      const { token } = await person();
      const body = await agreed(market.url, baseWallet(), { action }, token);
      assert.equal((await send(token, body)).status, 200);
      const hex = body.wallet_sig;
      for (const wallet_sig of [hex.slice(2), hex.toUpperCase().replace('0X', '0x')])
        assert.deepEqual(outcome(await send(token, { ...body, wallet_sig })), [401, 'signature_already_used']);
    });

    test(`V01: ${action} refuses ordinary and custody signatures, and the refusal holds the message to sign`, async () => {
      const [{ token }, wallet] = [await person(), solanaWallet()];
      const path = action === 'session' ? '/api/auth/session' : '/api/auth/wallets';
      for (const proof of [await signed(wallet), await signedFor(market.url, wallet, { method: 'POST', path, body: {} })]) {
        const refused = await send(token, proof);
        assert.deepEqual(outcome(refused), [401, 'sign_in_message_required']);
        const { message } = refused.body['data'];
        const body = { wallet: wallet.address, wallet_sig: await wallet.sign(message), signed_message: message };
        assert.equal((await send(token, body)).status, 200);
      }
    });

    test(`a signed ${action} message is refused after any change, from another signer, for another wallet, or if the server did not issue it`, async () => {
      const [{ token }, wallet, other] = [await person(), baseWallet(), baseWallet()];
      const { signed_message: text } = await agreed(market.url, wallet, { action }, token);
      const forms = [
        text.replace('Version: 1', 'Version: 2'),
        text.replace(/Expiration Time: \d{4}/, 'Expiration Time: 2099'),
        text.replace(/Issued At: .*/, `Issued At: ${new Date(Date.now() + MINUTE).toISOString()}`),
        text.replace(wallet.address, other.address),
        text.replace(/Nonce: .*/, `Nonce: ${randomBytes(16).toString('hex')}`),
        text.replace(/Nonce: .*\n/, ''),
        `${text}\n`,
        `${text} `,
        text.replace('Sign in to', 'Sign out of').replace('Link this', 'Unlink this'),
      ];
      for (const signed_message of forms) {
        assert.notEqual(signed_message, text);
        const body = { wallet: wallet.address, wallet_sig: await wallet.sign(signed_message), signed_message };
        assert.deepEqual(outcome(await send(token, body)), [401, 'invalid_signature'], signed_message);
      }
      const byOther = { wallet: wallet.address, wallet_sig: await other.sign(text), signed_message: text };
      assert.deepEqual(outcome(await send(token, byOther)), [401, 'invalid_signature']);
      const forOther = { wallet: other.address, wallet_sig: await wallet.sign(text), signed_message: text };
      assert.deepEqual(outcome(await send(token, forOther)), [401, 'wallet_mismatch']);
      assert.equal((await send(token, { ...byOther, wallet_sig: await wallet.sign(text) })).status, 200, 'the text itself is good');
    });

    test(`a signed ${action} message in the query string is refused`, async () => {
      const { token } = await person();
      const fields = await agreed(market.url, solanaWallet(), { action }, token);
      const path = action === 'session' ? '/api/auth/session' : '/api/auth/wallets';
      assert.equal((await call(market.url, `POST ${path}${asQuery(fields)}`, { key: token })).status, 401);
    });

    test(`V02: a signed ${action} message reads nothing and acts nowhere else`, async () => {
      const [{ token }, wallet] = [await person(), baseWallet()];
      const body = await agreed(market.url, wallet, { action }, token);
      assert.deepEqual(outcome(await call(market.url, 'PUT /api/profile', { body })), [401, 'invalid_signature']);
      assert.deepEqual(outcome(await call(market.url, 'POST /api/agents/recover', { body })), [401, 'invalid_signature']);
      const header = { 'sign-in-with-x': asSignInHeader(body, wallet) };
      for (const route of ['GET /api/orders', 'GET /files/file_1700000000000_aaaaaaaaa'] as const)
        assert.deepEqual(outcome(await call(market.url, route, { headers: header })), [401, 'invalid_signature'], route);
    });
  });
}

test('V02: a message for one action does not do another', async () => {
  const [{ token }, wallet] = [await person(), solanaWallet()];
  const linkMessage = await agreed(market.url, wallet, { action: 'link_wallet' }, token);
  assert.deepEqual(outcome(await signIn(linkMessage)), [401, 'sign_in_message_required']);
  const session = await agreed(market.url, wallet, { action: 'session' });
  assert.deepEqual(outcome(await link(token, session)), [401, 'sign_in_message_required']);
});

test('V01: a link message for one account does not link another', async () => {
  const [mine, theirs, wallet] = [await person(), await person(), baseWallet()];
  const body = await agreed(market.url, wallet, { action: 'link_wallet' }, mine.token);
  assert.deepEqual(outcome(await link(theirs.token, body)), [401, 'sign_in_message_required']);
  const { wallets } = await expectCall(market.url, 200, 'GET /api/auth/user', { key: theirs.token });
  assert.deepEqual(wallets, []);
});

for (const makeWallet of [solanaWallet, baseWallet]) {
  test(`the header SIGN-IN-WITH-X carries a signed message of a ${makeWallet.name}, too`, async () => {
    const wallet = makeWallet();
    const headers = { 'sign-in-with-x': asSignInHeader(await agreed(market.url, wallet, { action: 'session' }), wallet) };
    const reply = await signIn({}, headers);
    assert.equal(reply.status, 200, JSON.stringify(reply.body));
    assert.deepEqual(outcome(await signIn({}, headers)), [401, 'signature_already_used']);
  });
}

describe('action messages: host of the text', () => {
  test('V05: a message and a custody text of another host are refused', async () => {
    const other = await openMarket();
    try {
      const wallet = baseWallet();
      assert.deepEqual(outcome(await signIn(await agreed(other.url, wallet, { action: 'session' }))), [401, 'invalid_signature']);
      const agent = await registerOwnedAgent(market.url, wallet);
      const body = { payout_address_base: baseWallet().address };
      const custody = await signedFor(other.url, wallet, { method: 'PATCH', path: ME, body });
      const moved = await call(market.url, `PATCH ${ME}`, { key: agent.key, body: { ...body, ...custody } });
      assert.deepEqual(outcome(moved), [401, 'invalid_signature']);
    } finally {
      await other.close();
    }
  });

  test('V05: a custody text without a host is refused', async () => {
    const wallet = solanaWallet();
    const agent = await registerOwnedAgent(market.url, wallet);
    const [at, body] = [Date.now(), { payout_wallet: solanaWallet().address }];
    const digest = createHash('sha256').update(JSON.stringify(body)).digest('hex');
    const wallet_sig = await wallet.sign(`market:${wallet.address}:${at}:PATCH ${ME}:${digest}`);
    const reply = await call(market.url, `PATCH ${ME}`, {
      key: agent.key,
      body: { ...body, wallet: wallet.address, wallet_sig, wallet_sig_ts: at },
    });
    assert.deepEqual(outcome(reply), [401, 'invalid_signature']);
  });
});

test('a session does not open another session', async () => {
  const headers = { cookie: await openSession(market.url, baseWallet()), origin: market.url };
  assert.deepEqual(outcome(await signIn({}, headers)), [401, 'sign_in_message_required']);
});
