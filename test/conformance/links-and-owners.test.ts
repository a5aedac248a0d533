/** Links of wallets, new owners of agents, and sessions and links made before action messages. */
import assert from 'node:assert/strict';
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { spendableWallets } from '../../packages/server/src/access/authority/spendable-wallets.ts';
import type { Caller } from '../../packages/server/src/access/caller.ts';
import { registerAgent, registerOwnedAgent } from '../harness/agents.ts';
import { openAccount } from '../harness/authority.ts';
import { call, expectCall, type Reply } from '../harness/http.ts';
import { operationNamed, requestFor } from '../harness/in-process.ts';
import { openMarket, type TestMarket } from '../harness/market.ts';
import { agreed, asHeaders, baseWallet, linkWallet, openSession, signed, solanaWallet, type TestWallet } from '../harness/people.ts';

const ME = '/api/agents/me';

let market: TestMarket;
before(async () => {
  market = await openMarket();
});
after(() => market.close());

const person = () => openAccount(market.url);
const outcome = ({ status, body }: Reply): [number, string | undefined] => [status, body['code']];
const link = (token: string, body: unknown): Promise<Reply> => call(market.url, 'POST /api/auth/wallets', { key: token, body });

/** Resolves the caller as the market does. */
const callerOf = async (cookie?: string, bearer?: string): Promise<Caller> => {
  const request = requestFor(operationNamed('auth.whoami'), {});
  const credentials = {
    ...request.credentials,
    ...(cookie !== undefined && { sessionCookie: cookie.split('=')[1] ?? '' }),
    ...(bearer !== undefined && { bearer }),
  };
  return (await market.executor.open({ ...request, credentials })).caller;
};

describe('DELETE /api/auth/links/{address}', () => {
  const undo = (wallet: TestWallet, options: Parameters<typeof call>[2]) =>
    call(market.url, `DELETE /api/auth/links/${wallet.address}`, options);

  test('V01: a wallet undoes its link by signature or by session, and then links elsewhere', async () => {
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

  test('a link is not undone by another wallet or by the account alone', async () => {
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

  test('an own_agent message for another agent, or signed by another wallet, attaches nobody', async () => {
    const [agent, sister, wallet] = [await registerAgent(market.url), await registerAgent(market.url), solanaWallet()];
    const claim = async (proof: object) =>
      await call(market.url, `PATCH ${ME}`, { key: agent.key, body: { owner_wallet: wallet.address, ...proof } });
    const forSister = await agreed(market.url, wallet, { action: 'own_agent', agent_id: sister.id });
    assert.deepEqual(outcome(await claim(forSister)), [401, 'custody_signature_required']);
    const byOther = await agreed(market.url, solanaWallet(), { action: 'own_agent', agent_id: agent.id });
    assert.deepEqual(outcome(await claim(byOther)), [401, 'wallet_mismatch']);
    assert.ok(await isGood(agent.key));
  });

  test('a claim repeated under its random Idempotency-Key gets the same answer, although key and message are used up', async () => {
    const [agent, wallet] = [await registerAgent(market.url), baseWallet()];
    const headers = { 'idempotency-key': randomUUID() };
    const body = { owner_wallet: wallet.address, ...(await agreed(market.url, wallet, { action: 'own_agent', agent_id: agent.id })) };
    const claim = () => call(market.url, `PATCH ${ME}`, { key: agent.key, headers, body });
    const [first, again] = [await claim(), await claim()];
    assert.deepEqual([first.status, again.status], [200, 200], JSON.stringify(again.body));
    assert.equal(again.body['data'].api_key, first.body['data'].api_key);
  });

  test('V03: a link_agent message counts only for its agent, account and owner wallet; the answer has the new key', async () => {
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

describe('sessions and links made before action messages', () => {
  /** Stored as the earlier version stored them: by the ordinary signature. */
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

  test('V02: a session made before action messages reads and acts, but neither spends nor grants, and is not renewed', async () => {
    const wallet = baseWallet();
    const agent = await registerOwnedAgent(market.url, wallet);
    const headers = await oldSession(wallet);
    const read = await call(market.url, 'GET /api/orders', { headers });
    // A new session would be renewed after two days of use.
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

  test('V01: a link made before action messages reads and acts, but does not spend until the wallet signs the message', async () => {
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
