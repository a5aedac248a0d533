/** Owner operations without the agent's key: the list of their agents, and key rotation. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { registerAgent, registerOwnedAgent } from '../harness/agents.ts';
import { type CallOptions, call, type Envelope, expectCall, type Reply } from '../harness/http.ts';
import { openMarket, type TestMarket } from '../harness/market.ts';
import { asHeaders, baseWallet, openSession, signed, signedFor, solanaWallet, type TestWallet, tokenFor } from '../harness/people.ts';
import { until } from '../money/money.ts';

let market: TestMarket;
before(async () => {
  market = await openMarket();
});
after(() => market.close());

const outcome = ({ status, body }: Reply): [number, string | undefined] => [status, body['code']];

async function sessionOf(wallet: TestWallet): Promise<CallOptions> {
  const cookie = await openSession(market.url, wallet);
  // A browser sends the origin of a change; without it a cookie changes nothing.
  return { headers: { cookie, origin: market.url } };
}

describe('GET /api/agents/my', () => {
  const mine = (who: CallOptions, query = ''): Promise<Envelope[]> =>
    expectCall(market.url, 200, `GET /api/agents/my${query}`, who) as unknown as Promise<Envelope[]>;

  test('GET /api/agents/my lists the agents of account, linked wallets and session, newest first, with inactive ones, and no others', async () => {
    const [linked, session] = [solanaWallet(), baseWallet()];
    const token = await tokenFor(market.url, { email: 'mine@example.com', wallets: [{ chain: 'solana', address: linked.address }] });
    await expectCall(market.url, 200, 'POST /api/auth/user', { key: token });
    await registerOwnedAgent(market.url, baseWallet());
    const ofWallet = await registerOwnedAgent(market.url, linked);
    const ofAccount = await registerAgent(market.url, {}, { key: token });
    const ofSession = await registerOwnedAgent(market.url, session);
    await expectCall(market.url, 200, `PATCH /api/agents/${ofAccount.id}/active`, { key: token, body: { active: false } });

    const ids = async (who: CallOptions): Promise<string[]> => (await mine(who)).map(({ id }) => id);
    assert.deepEqual(await ids({ key: token }), [ofAccount.id, ofWallet.id]);
    const bySession = await sessionOf(session);
    assert.deepEqual(await ids(bySession), [ofSession.id]);
    const both = { headers: { cookie: `idp-token=${token}; ${bySession.headers?.['cookie']}` } };
    assert.deepEqual(await ids(both), [ofSession.id, ofAccount.id, ofWallet.id]);
    assert.deepEqual(await ids({ headers: asHeaders(await signed(baseWallet())) }), []);
    assert.deepEqual(
      (await mine({ key: token })).map(({ active }) => active),
      [0, 1],
    );
  });

  test('GET /api/agents/my selects one agent by id or slug, and nothing of a stranger’s', async () => {
    const owner = baseWallet();
    const [one, other] = [await registerOwnedAgent(market.url, owner), await registerOwnedAgent(market.url, owner)];
    const foreign = await registerOwnedAgent(market.url, baseWallet());
    const who = { headers: asHeaders(await signed(owner)) };
    for (const name of [one.id, one.slug])
      assert.deepEqual(
        (await mine(who, `?agent=${name}`)).map(({ id }) => id),
        [one.id],
      );
    assert.deepEqual(await mine(who, `?agent=${foreign.slug}`), []);
    const page = await call(market.url, 'GET /api/agents/my?limit=1', who);
    assert.deepEqual([page.body['data'][0].id, page.body['total']], [other.id, 2]);
    assert.deepEqual(
      (await mine(who, `?limit=1&cursor=${page.body['next_cursor']}`)).map(({ id }) => id),
      [one.id],
    );
  });

  test('GET /api/agents/my shows the key masked, no secret, and when the agent was last seen', async () => {
    const owner = baseWallet();
    const agent = await registerOwnedAgent(market.url, owner, { endpoint_url: 'https://93.184.216.34/hook' });
    const who = { headers: asHeaders(await signed(owner)) };
    const [first] = await mine(who);
    assert.deepEqual(
      [first?.['api_key'], first?.['presence'].seen_at, first?.['endpoint_url']],
      [`market_...${agent.key.slice(-4)}`, null, 'https://93.184.216.34/hook'],
    );
    assert.equal(JSON.stringify(first).includes('whsec_'), false);
    await expectCall(market.url, 200, 'GET /api/agents/me', { key: agent.key });
    await until('its presence being noted', async () => ((await mine(who))[0]?.['presence'].seen_at === null ? undefined : true));
  });

  test('GET /api/agents/my shows the payout address set by the owner', async () => {
    const owner = baseWallet();
    const agent = await registerOwnedAgent(market.url, owner);
    const address = baseWallet().address;
    const body = { payout_address_base: address };
    const proof = await signedFor(market.url, owner, { method: 'PATCH', path: `/api/agents/${agent.slug}`, body });
    await expectCall(market.url, 200, `PATCH /api/agents/${agent.slug}`, { body: { ...body, ...proof } });
    const reply = await call(market.url, 'GET /api/agents/my', { headers: asHeaders(await signed(owner)) });
    assert.equal(reply.body['data'][0].payout_destinations.base, address);
  });

  test('GET /api/agents/my is 401 without credentials, 403 for an API key', async () => {
    assert.equal((await call(market.url, 'GET /api/agents/my')).status, 401);
    const agent = await registerAgent(market.url);
    assert.deepEqual(outcome(await call(market.url, 'GET /api/agents/my', { key: agent.key })), [403, 'wrong_credential']);
  });
});

describe('POST /api/agents/{id}/rotate-key', () => {
  const path = (id: string): `/${string}` => `/api/agents/${id}/rotate-key`;
  const works = async (key: string): Promise<boolean> => (await call(market.url, 'GET /api/agents/me', { key })).status === 200;

  test('an account rotates the key of its agent, also by cookie, and the old key stops at once', async () => {
    const token = await tokenFor(market.url, { email: 'rotates@example.com' });
    const agent = await registerAgent(market.url, {}, { key: token });
    const byCookie = { headers: { cookie: `idp-token=${token}`, origin: market.url } };
    const { api_key: fresh, agent_id } = await expectCall(market.url, 200, `POST ${path(agent.slug)}`, byCookie);
    assert.equal(agent_id, agent.id);
    assert.deepEqual([await works(agent.key), await works(fresh)], [false, true]);
  });

  test('an owner wallet rotates a key by custody signature only; its session or an ordinary signature is 401', async () => {
    const owner = baseWallet();
    const agent = await registerOwnedAgent(market.url, owner);
    const refused = [await sessionOf(owner), { headers: asHeaders(await signed(owner)) }];
    for (const who of refused) {
      assert.deepEqual(outcome(await call(market.url, `POST ${path(agent.id)}`, who)), [401, 'custody_signature_required']);
    }
    assert.equal(await works(agent.key), true);
    const signature = await signedFor(market.url, owner, { method: 'POST', path: path(agent.id), body: {} });
    const { api_key: fresh } = await expectCall(market.url, 200, `POST ${path(agent.id)}`, { body: signature });
    assert.deepEqual([await works(agent.key), await works(fresh)], [false, true]);
  });

  test('strangers, other agents, and the key of an owned agent cannot rotate its key', async () => {
    const owner = baseWallet();
    const agent = await registerOwnedAgent(market.url, owner);
    const ask = async (who: CallOptions): Promise<[number, string | undefined]> =>
      outcome(await call(market.url, `POST ${path(agent.id)}`, who));
    const stranger = await tokenFor(market.url, { email: 'stranger@example.com' });
    assert.equal((await call(market.url, `POST ${path(agent.id)}`)).status, 401);
    assert.deepEqual(await ask({ key: stranger }), [403, 'forbidden']);
    assert.deepEqual(await ask({ key: (await registerAgent(market.url)).key }), [403, 'forbidden']);
    assert.deepEqual(await ask({ key: agent.key }), [403, 'owner_proof_required']);
    const other = baseWallet();
    const foreign = await signedFor(market.url, other, { method: 'POST', path: path(agent.id), body: {} });
    assert.deepEqual(await ask({ body: foreign }), [403, 'forbidden']);
    assert.deepEqual(outcome(await call(market.url, `POST ${path('nobody-here')}`, { key: stranger })), [404, 'agent_not_found']);
    assert.equal(await works(agent.key), true);
  });
});
