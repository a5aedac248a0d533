/** Featured places: operators award them, published rules decide, a lost dispute ends them. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { featuredRules } from '@market/contract';
import { registerAgent, registerOwnedAgent } from '../harness/agents.ts';
import { disputeOrder, type Opponents, openAdmin, openOpponents, RULING_REASON, rule } from '../harness/disputes.ts';
import { untilHandled } from '../harness/events.ts';
import { call, type Envelope, expectCall, type Reply } from '../harness/http.ts';
import { openMarket, type TestMarket, withOwnChains } from '../harness/market.ts';
import { act, advanceClock, deliver, payOrder, placeOrder } from '../harness/orders.ts';
import { baseWallet } from '../harness/people.ts';

let market: TestMarket;
let opponents: Opponents;
before(async () => {
  market = await openMarket(withOwnChains);
  opponents = await openOpponents(market);
});
after(() => market.close());

const reason = 'Forty ledgers without a complaint.';
const feature = async (id: string, featured: boolean, key = opponents.admin): Promise<Reply> =>
  await call(market.url, `PATCH /api/admin/agents/${id}/featured`, { key, body: { featured, reason } });
const listed = async (): Promise<string[]> =>
  ((await expectCall(market.url, 200, 'GET /api/agents/featured')) as Envelope[]).map(({ id }) => id);
const problemsOf = ({ status, body }: Reply): unknown => [status, body['code'], body['data']?.problems];
const logOf = async (id: string): Promise<unknown[]> =>
  ((await expectCall(market.url, 200, `GET /api/admin/actions?subject=${id}`, { key: opponents.admin })) as Envelope[]).map(
    ({ action, reason: why, details }) => [action, why, details],
  );

async function settle(): Promise<void> {
  const { buyer, provider, service } = opponents;
  const order = await placeOrder(market.url, service, buyer);
  await payOrder(market.url, order, buyer);
  for (const step of [() => deliver(market.url, order, provider), () => act(market.url, order, buyer, 'approve')])
    assert.equal((await step()).status, 200);
  await untilHandled(market.database.pool);
}

test('an agent without a settled order, with a short description, or owned by the operator cannot be featured', async () => {
  const { provider, admin } = opponents;
  await market.database.pool.query(`update agents set description = 'Short words.' where id = $1`, [provider.id]);
  assert.deepEqual(problemsOf(await feature(provider.id, true)), [
    409,
    'agent_not_featurable',
    [
      'It has no settled order of 1.00 USDC or more with a stranger.',
      `Its description has fewer than ${featuredRules.descriptionLength} letters.`,
    ],
  ]);
  const own = await registerAgent(market.url, {}, { key: admin });
  const [, , problems] = problemsOf(await feature(own.id, true)) as [number, string, string[]];
  assert.ok(problems.includes('It is yours.'));
  assert.equal((await feature('nobody', true)).body['code'], 'agent_not_found');
  assert.deepEqual(await listed(), []);
});

test('a featured place is given once, shown to all, logged, and ended by an operator', async () => {
  const { provider } = opponents;
  const description = 'Reads ledgers line by line and explains every difference that it finds.';
  await market.database.pool.query('update agents set description = $2 where id = $1', [provider.id, description]);
  await settle();
  for (let time = 0; time < 2; time++) assert.deepEqual((await feature(provider.id, true)).body['data'], { id: provider.id, featured: 1 });
  assert.deepEqual(await listed(), [provider.id]);
  assert.deepEqual((await feature(provider.id, false)).body['data'], { id: provider.id, featured: 0 });
  assert.deepEqual(await listed(), []);
  assert.deepEqual(await logOf(provider.id), [
    ['agent.featured', reason, { from: true, to: false }],
    ['agent.featured', reason, { from: false, to: true }],
  ]);
});

test('a lost dispute ends a featured place for 90 days; a won one does not', async () => {
  const { provider, admin } = opponents;
  assert.equal((await feature(provider.id, true)).status, 200);
  const won = await disputeOrder(market.url, opponents);
  assert.equal((await rule(market.url, won, admin, { ruling: 'release', reason: RULING_REASON })).status, 200);
  assert.deepEqual(await listed(), [provider.id]);
  const lost = await disputeOrder(market.url, opponents);
  assert.equal((await rule(market.url, lost, admin, { ruling: 'refund', reason: RULING_REASON })).status, 200);
  assert.deepEqual(await listed(), []);
  assert.deepEqual((await logOf(provider.id))[0], ['agent.featured', 'A dispute was lost.', { from: true, to: false }]);
  const refused = [409, 'agent_not_featurable', [`It lost a dispute within ${featuredRules.daysWithoutLostDispute} days.`]];
  assert.deepEqual(problemsOf(await feature(provider.id, true)), refused);
  await advanceClock(market.url, featuredRules.daysWithoutLostDispute * 86_400 + 60);
  opponents = { ...opponents, admin: await openAdmin(market.url) };
  assert.equal((await feature(provider.id, true)).status, 200);
});

test('there are 8 featured places: a ninth agent waits for a free one, and a hidden agent holds none', async () => {
  const { pool } = market.database;
  const { provider } = opponents;
  assert.equal((await feature(provider.id, false)).status, 200);
  const others = await Promise.all(Array.from({ length: featuredRules.places }, () => registerOwnedAgent(market.url, baseWallet())));
  const ids = others.map(({ id }) => id);
  await pool.query('update agents set featured = true where id = any($1)', [ids]);
  assert.deepEqual(problemsOf(await feature(provider.id, true)), [
    409,
    'agent_not_featurable',
    [`All ${featuredRules.places} places are taken.`],
  ]);
  await pool.query('update agents set active = false where id = $1', [ids[0]]);
  assert.equal((await feature(provider.id, true)).status, 200);
  assert.equal((await listed()).length, featuredRules.places);
});
