/** Tokens of agents: registering one that exists, reading it, and removal by operators. Specification, lines 57 and 220. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { call, type Envelope, expectCall } from '../harness/http.ts';
import type { TestMarket } from '../harness/market.ts';
import type { SolanaPayer } from '../harness/payers.ts';
import { solanaWallet, type TestWallet } from '../harness/people.ts';
import { makeToken } from '../harness/tokens.ts';
import { findBroken } from '../money/find-broken.ts';
import { tokenCorruptions } from '../tokens/corruptions.ts';
import { ADMIN_KEY, openTokenStage, outcomeOf as outcome, type TokenStage } from '../tokens/stage.ts';
import { assertRecord } from './check-record.ts';

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

const record = [
  { field: 'token_mint', type: 'string or null' },
  { field: 'token_name', type: 'string or null' },
  { field: 'token_symbol', type: 'string or null' },
  { field: 'token_named_by', type: 'string or null' },
  { field: 'token_image_url', type: 'string or null' },
  { field: 'token_mode', type: 'string or null' },
  { field: 'token_creator_wallet', type: 'string or null' },
  { field: 'token_tx_hash', type: 'string or null' },
  { field: 'token_created_at', type: 'string or null' },
  { field: 'token_launch_attempted', type: '0 or 1' },
] as const;

test('E11: an agent without a token is read with nulls, an unknown agent is 404', async () => {
  const agent = await ownAgent();
  const token = await read(agent);
  assertRecord(token, record);
  assert.deepEqual(
    record.map(({ field }) => token[field]),
    [null, null, null, null, null, null, null, null, null, 0],
  );
  assert.deepEqual(outcome(await call(market.url, 'GET /api/agents/ext_1700000000000_000000000/token')), [404, 'agent_not_found']);
});

describe('registering a token', () => {
  for (const form of ['token', 'token-2022', 'metadata'] as const) {
    test(`a mint of the form ${form} is registered as token and read back, by id and by slug, with its supply`, async () => {
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

  test('the record of the agent, the list, the figures and the activity show its token', async () => {
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
      named_by: 'owner',
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

  test('E10, F06: a second token is 409, also when the rest of the request is invalid', async () => {
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

  test('registering a token again with the same Idempotency-Key gives the same answer', async () => {
    const [agent, token] = [await ownAgent(), await makeToken(maker)];
    const send = { headers: { 'idempotency-key': 'register-once' }, body: { ...body(token), ...(await stage.sign()) } };
    const first = await call(market.url, `POST /api/agents/${agent.id}/token`, send);
    const again = await call(market.url, `POST /api/agents/${agent.id}/token`, send);
    assert.deepEqual([again.status, again.body['data']], [200, first.body['data']]);
  });
});

describe('tokens and locks that operators clear', () => {
  test('an administrator or the operators’ key removes a token; the mint can be registered again', async () => {
    const [agent, token] = [await ownAgent(), await makeToken(maker)];
    for (const who of [admin, { key: ADMIN_KEY }]) {
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

  test('operators release the lock of a launch, unless the agent has a token', async () => {
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

test('the audit of tokens finds nothing, and names each corruption', async () => {
  assert.deepEqual((await findBroken(market.database)).broken, []);
  for (const { what, breaks, sql } of tokenCorruptions) {
    const { broken, changed } = await findBroken(market.database, sql);
    assert.ok(changed > 0, what);
    assert.ok(broken.includes(breaks), what);
  }
});
