/** Messages that a wallet signs for what outlives the request: sessions, links, owners. */
import assert from 'node:assert/strict';
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { parseSiweMessage, validateSiweMessage } from 'viem/siwe';
import { spendableWallets } from '../../packages/server/src/access/authority/spendable-wallets.ts';
import type { Caller } from '../../packages/server/src/access/caller.ts';
import { registerAgent, registerOwnedAgent } from '../harness/agents.ts';
import { asQuery, call, type Envelope, expectCall, type Reply } from '../harness/http.ts';
import { operationNamed, requestFor } from '../harness/in-process.ts';
import { openMarket, type TestMarket } from '../harness/market.ts';
import {
  agreed,
  asHeaders,
  asSignInHeader,
  baseWallet,
  linkWallet,
  openSession,
  signed,
  signedFor,
  solanaWallet,
  type TestWallet,
  tokenFor,
} from '../harness/people.ts';

const MINUTE = 60_000;
const ME = '/api/agents/me';

let market: TestMarket;
before(async () => {
  market = await openMarket();
});
after(() => market.close());

/** As the market resolves these credentials. */
const callerOf = async (cookie?: string, bearer?: string): Promise<Caller> => {
  const request = requestFor(operationNamed('auth.whoami'), {});
  const credentials = {
    ...request.credentials,
    ...(cookie !== undefined && { sessionCookie: cookie.split('=')[1] ?? '' }),
    ...(bearer !== undefined && { bearer }),
  };
  return (await market.executor.open({ ...request, credentials })).caller;
};

const outcome = ({ status, body }: Reply): [number, string | undefined] => [status, body['code']];

let people = 0;
async function person(): Promise<{ token: string; id: string; email: string }> {
  people += 1;
  const email = `agrees${people}@example.com`;
  const token = await tokenFor(market.url, { email });
  const { user } = await expectCall(market.url, 200, 'POST /api/auth/user', { key: token });
  return { token, id: user.idp_user_id, email };
}

const challenge = async (body: Record<string, unknown>, key?: string): Promise<Envelope> =>
  await expectCall(market.url, 200, 'POST /api/auth/challenge', { body, ...(key !== undefined && { key }) });
const signIn = (body: unknown, headers: Record<string, string> = {}): Promise<Reply> =>
  call(market.url, 'POST /api/auth/session', { body, headers });
const link = (token: string, body: unknown): Promise<Reply> => call(market.url, 'POST /api/auth/wallets', { key: token, body });

describe('POST /api/auth/challenge', () => {
  test('an EVM text is a valid EIP-4361 message that names host, wallet, action and 5 minutes', async () => {
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

  test('a Solana text is its twin', async () => {
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
    test(`every action of a ${makeWallet.name} has its own statement and request id, in ASCII under 1,000 bytes`, async () => {
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

  test('an account or an agent that the message would name must be given', async () => {
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

/** Each way to use a message, for its own wallet and account. */
const uses = [
  { action: 'session', send: async (_token: string, body: unknown) => await signIn(body) },
  { action: 'link_wallet', send: async (token: string, body: unknown) => await link(token, body) },
] as const;

for (const { action, send } of uses) {
  describe(`a signed ${action} message`, () => {
    for (const makeWallet of [solanaWallet, baseWallet]) {
      test(`V02: of a ${makeWallet.name} works once, also with ten calls at once`, async () => {
        const { token } = await person();
        const body = await agreed(market.url, makeWallet(), { action }, token);
        const replies = await Promise.all(Array.from({ length: 10 }, () => send(token, body)));
        assert.deepEqual(replies.map(({ status }) => status).sort(), [200, ...Array<number>(9).fill(401)]);
        assert.deepEqual(outcome(await send(token, body)), [401, 'signature_already_used']);
      });
    }

    test('another spelling of a used signature is used, too', async () => {
      const { token } = await person();
      const body = await agreed(market.url, baseWallet(), { action }, token);
      assert.equal((await send(token, body)).status, 200);
      const hex = body.wallet_sig;
      for (const wallet_sig of [hex.slice(2), hex.toUpperCase().replace('0X', '0x')])
        assert.deepEqual(outcome(await send(token, { ...body, wallet_sig })), [401, 'signature_already_used']);
    });

    test('V01: the ordinary and the custody text are refused, and the refusal holds the message to sign', async () => {
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

    test('a changed byte, another signer, another wallet field and a text of our own making are refused', async () => {
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

    test('in the query string it is refused', async () => {
      const { token } = await person();
      const fields = await agreed(market.url, solanaWallet(), { action }, token);
      const path = action === 'session' ? '/api/auth/session' : '/api/auth/wallets';
      assert.equal((await call(market.url, `POST ${path}${asQuery(fields)}`, { key: token })).status, 401);
    });

    test('V02: it reads nothing and acts nowhere else', async () => {
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
  test(`the header SIGN-IN-WITH-X carries the message of a ${makeWallet.name}, too`, async () => {
    const wallet = makeWallet();
    const headers = { 'sign-in-with-x': asSignInHeader(await agreed(market.url, wallet, { action: 'session' }), wallet) };
    const reply = await signIn({}, headers);
    assert.equal(reply.status, 200, JSON.stringify(reply.body));
    assert.deepEqual(outcome(await signIn({}, headers)), [401, 'signature_already_used']);
  });
}

describe('time and place', () => {
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

describe('DELETE /api/auth/links/{address}', () => {
  const undo = (wallet: TestWallet, options: Parameters<typeof call>[2]) =>
    call(market.url, `DELETE /api/auth/links/${wallet.address}`, options);

  test('V01: the wallet undoes its link by signature or by session, and then links elsewhere', async () => {
    const ways = [
      async (wallet: TestWallet) => ({ headers: asHeaders(await signed(wallet)) }),
      async (wallet: TestWallet) => ({ headers: { cookie: await openSession(market.url, wallet), origin: market.url } }),
    ];
    for (const [at, way] of ways.entries()) {
      const [first, second, wallet] = [await person(), await person(), at === 0 ? solanaWallet() : baseWallet()];
      await linkWallet(market.url, first.token, wallet);
      const taken = await link(second.token, await agreed(market.url, wallet, { action: 'link_wallet' }, second.token));
      assert.deepEqual(outcome(taken), [409, 'wallet_linked_elsewhere']);
      const undone = await undo(wallet, await way(wallet));
      assert.deepEqual(undone.body['data'], { wallet: wallet.address, undone: true }, JSON.stringify(undone.body));
      assert.deepEqual((await expectCall(market.url, 200, 'GET /api/auth/user', { key: first.token }))['wallets'], []);
      assert.equal((await undo(wallet, await way(wallet))).body['data'].undone, false);
      await linkWallet(market.url, second.token, wallet);
    }
  });

  test('another wallet and an account alone are refused', async () => {
    const [{ token }, wallet, stranger] = [await person(), baseWallet(), baseWallet()];
    await linkWallet(market.url, token, wallet);
    assert.deepEqual(outcome(await undo(wallet, { headers: asHeaders(await signed(stranger)) })), [401, 'wallet_mismatch']);
    assert.deepEqual(outcome(await undo(wallet, { key: token })), [403, 'wrong_credential']);
    assert.equal((await undo(wallet, {})).status, 401);
    assert.equal((await expectCall(market.url, 200, 'GET /api/auth/user', { key: token }))['wallets'].length, 1);
  });
});

describe('a new owner replaces the key', () => {
  const isGood = async (key: string) => (await call(market.url, `GET ${ME}`, { key })).status === 200;

  for (const makeWallet of [solanaWallet, baseWallet]) {
    test(`V07: own_agent makes a ${makeWallet.name} the owner; the answer has the new key, once`, async () => {
      const [agent, wallet] = [await registerAgent(market.url), makeWallet()];
      const proof = await agreed(market.url, wallet, { action: 'own_agent', agent_id: agent.id });
      const body = { owner_wallet: wallet.address, ...proof };
      const claimed = await expectCall(market.url, 200, `PATCH ${ME}`, { key: agent.key, body });
      assert.equal(claimed['owner_wallet'], wallet.address);
      assert.match(claimed['api_key'], /^market_[0-9a-f]{48}$/);
      assert.deepEqual([await isGood(agent.key), await isGood(claimed['api_key'])], [false, true]);
    });
  }

  test('own_agent for another agent, or by another wallet, attaches nobody', async () => {
    const [agent, sister, wallet] = [await registerAgent(market.url), await registerAgent(market.url), solanaWallet()];
    const claim = async (proof: object) =>
      await call(market.url, `PATCH ${ME}`, { key: agent.key, body: { owner_wallet: wallet.address, ...proof } });
    const forSister = await agreed(market.url, wallet, { action: 'own_agent', agent_id: sister.id });
    assert.deepEqual(outcome(await claim(forSister)), [401, 'custody_signature_required']);
    const byOther = await agreed(market.url, solanaWallet(), { action: 'own_agent', agent_id: agent.id });
    assert.deepEqual(outcome(await claim(byOther)), [401, 'wallet_mismatch']);
    assert.ok(await isGood(agent.key));
  });

  test('a lost answer comes again under the same random Idempotency-Key, with the replaced key and the used message', async () => {
    const [agent, wallet] = [await registerAgent(market.url), baseWallet()];
    const headers = { 'idempotency-key': randomUUID() };
    const body = { owner_wallet: wallet.address, ...(await agreed(market.url, wallet, { action: 'own_agent', agent_id: agent.id })) };
    const claim = () => call(market.url, `PATCH ${ME}`, { key: agent.key, headers, body });
    const [first, again] = [await claim(), await claim()];
    assert.deepEqual([first.status, again.status], [200, 200], JSON.stringify(again.body));
    assert.equal(again.body['data'].api_key, first.body['data'].api_key);
  });

  test('V03: link_agent names the agent and the account; the answer has the new key', async () => {
    const [owner, stranger, wallet] = [await person(), await person(), baseWallet()];
    const [agent, sister] = [await registerOwnedAgent(market.url, wallet), await registerOwnedAgent(market.url, wallet)];
    const linkAgent = (token: string, proof: object) =>
      call(market.url, 'POST /api/agents/link', { key: token, body: { api_key: agent.key, ...proof } });
    for (const [token, agentId, signer] of [
      [stranger.token, agent.id, wallet],
      [owner.token, sister.id, wallet],
      [owner.token, agent.id, baseWallet()],
    ] as const) {
      const proof = await agreed(market.url, signer, { action: 'link_agent', agent_id: agentId }, owner.token);
      assert.deepEqual(outcome(await linkAgent(token, proof)), [401, 'sign_in_message_required']);
    }
    assert.ok(await isGood(agent.key));
    const proof = await agreed(market.url, wallet, { action: 'link_agent', agent_id: agent.id }, owner.token);
    const linked = await linkAgent(owner.token, proof);
    assert.equal(linked.status, 200, JSON.stringify(linked.body));
    assert.deepEqual([await isGood(agent.key), await isGood(linked.body['data'].api_key)], [false, true]);
  });
});

test('a session does not open another session', async () => {
  const headers = { cookie: await openSession(market.url, baseWallet()), origin: market.url };
  assert.deepEqual(outcome(await signIn({}, headers)), [401, 'sign_in_message_required']);
});

describe('sessions and links made before action messages', () => {
  /** As the earlier version stored them: by the ordinary text. */
  async function oldSession({ address, chain }: TestWallet): Promise<Record<string, string>> {
    const token = randomBytes(24).toString('base64url');
    await market.database.pool.query(
      `insert into sessions (token_hash, wallet, chain, by_action, expires_at) values ($1, $2, $3, false, market_now() + interval '5 days')`,
      [createHash('sha256').update(token).digest(), address, chain],
    );
    return { cookie: `market_session=${token}`, origin: market.url };
  }

  async function oldLink(userId: string, { address, chain }: TestWallet): Promise<void> {
    await market.database.pool.query(
      `insert into user_wallets (id, user_id, chain, address, proof) values ('uw_1700000000000_' || substr(md5($2), 1, 9), $1, $3, $2, 'signature')`,
      [userId, address, chain],
    );
  }

  test('V02: an old session reads and acts, but neither spends nor grants, and is not renewed', async () => {
    const wallet = baseWallet();
    const agent = await registerOwnedAgent(market.url, wallet);
    const headers = await oldSession(wallet);
    const read = await call(market.url, 'GET /api/orders', { headers });
    // After two days of use a new session would be prolonged.
    assert.deepEqual([read.status, read.headers.get('set-cookie')], [200, null]);
    await expectCall(market.url, 200, `PATCH /api/agents/${agent.id}`, { headers, body: { description: 'Edited by an old session.' } });
    const recovery = await call(market.url, 'POST /api/agents/recover', { headers, body: {} });
    assert.deepEqual(outcome(recovery), [401, 'invalid_signature']);
    const approve = { headers, body: { approve: true } };
    const decided = await call(market.url, 'POST /api/spending/approvals/apv_1700000000000_aaaaaaaaa', approve);
    assert.deepEqual(outcome(decided), [401, 'custody_signature_required']);
    const caller = await callerOf(headers['cookie'] ?? '');
    assert.deepEqual(await spendableWallets(market.database.db, caller, 'base-mainnet'), []);
    const fresh = await callerOf(await openSession(market.url, wallet));
    assert.deepEqual(await spendableWallets(market.database.db, fresh, 'base-mainnet'), [{ address: wallet.address, by: 'session' }]);
  });

  test('V01: an old link reads and acts, but does not spend until the wallet signs the message', async () => {
    const [{ token, id }, wallet] = [await person(), solanaWallet()];
    const agent = await registerOwnedAgent(market.url, wallet);
    await oldLink(id, wallet);
    await expectCall(market.url, 200, `PATCH /api/agents/${agent.id}`, { key: token, body: { description: 'Edited by an old link.' } });
    const spendable = async () => await spendableWallets(market.database.db, await callerOf(undefined, token), 'solana-mainnet');
    assert.deepEqual(await spendable(), []);
    await linkWallet(market.url, token, wallet);
    assert.deepEqual(await spendable(), [{ address: wallet.address, by: 'link' }]);
  });
});
