/** Moderation of bounties: operators hide them, and those of banned people are hidden. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { registerOwnedAgent } from '../harness/agents.ts';
import { cancelBounty, claimBounty, postBounty, readBounty, tryClaim, untilBounty, withdrawClaim } from '../harness/bounties.ts';
import { openAdmin } from '../harness/disputes.ts';
import { untilHandled } from '../harness/events.ts';
import { asQuery, type CallOptions, call, type Envelope, expectCall, type Reply } from '../harness/http.ts';
import { openMarket, type TestMarket } from '../harness/market.ts';
import { asHeaders, baseWallet, linkWallet, signed, solanaWallet, type TestWallet, tokenFor } from '../harness/people.ts';
import { findBroken } from '../money/find-broken.ts';

let market: TestMarket;
let admin: CallOptions;
before(async () => {
  market = await openMarket();
  admin = { key: await openAdmin(market.url) };
});
after(() => market.close());

const outcome = ({ status, body }: Reply): string => (status < 300 ? String(status) : `${status} ${body['code']}`);
const by = async (wallet: TestWallet): Promise<CallOptions> => ({ headers: asHeaders(await signed(wallet)) });
const takeDown = (id: string, who: CallOptions = admin, body: object = { reason: 'Asks for seed phrases.' }): Promise<Reply> =>
  call(market.url, `POST /api/admin/bounties/${id}/take-down`, { ...who, body });
const told = async (who: CallOptions): Promise<string[]> => {
  await untilHandled(market.database.pool);
  const rows = (await expectCall(market.url, 200, 'GET /api/notifications', who)) as Envelope[];
  return rows.map(({ type, body }) => `${type}: ${body}`);
};

/** The lists in which strangers find the bounty, by a word that only its title has. */
async function seen(id: string, word: string): Promise<readonly string[]> {
  const { url } = market;
  const read = async (route: `GET /${string}`) => (await call(url, route)).body;
  const places = {
    board: (await read(`GET /api/bounties${asQuery({ search: word })}`))['data'].some((row: Envelope) => row['id'] === id),
    archive: (await read(`GET /api/bounties${asQuery({ search: word, status: 'cancelled,expired' })}`))['data'].length > 0,
    page: (await call(url, `GET /api/bounties/${id}`)).status === 200,
    feed: JSON.stringify(await read('GET /feeds/bounties.json')).includes(id),
    rss: JSON.stringify(await read('GET /feeds/bounties.xml')).includes(id),
    search: (await read(`GET /api/search${asQuery({ q: word })}`))['data'].bounties.some((hit: Envelope) => hit['bounty'].id === id),
  };
  return Object.entries(places).flatMap(([place, found]) => (found ? [place] : []));
}

const EVERYWHERE = ['board', 'page', 'feed', 'rss', 'search'];

describe('an operator takes a bounty down', () => {
  test('a bounty taken down is cancelled, off the board and logged, its claims are rejected, and all sides are notified', async () => {
    const { url } = market;
    const [poster, owner] = [baseWallet(), baseWallet()];
    const agent = await registerOwnedAgent(url, owner);
    const { id } = await postBounty(url, poster, { title: 'Zanzibar wallets restored' });
    await claimBounty(url, id, agent);
    assert.deepEqual(await seen(id, 'zanzibar'), EVERYWHERE);

    const reply = await takeDown(id);
    assert.deepEqual([reply.status, reply.body['data']], [200, { id, bounty_id: id, status: 'cancelled' }]);
    assert.deepEqual(await seen(id, 'zanzibar'), []);
    const bounty = await readBounty(url, id, poster);
    assert.deepEqual([bounty.status, bounty.claims[0].status], ['cancelled', 'rejected']);
    assert.equal(outcome(await tryClaim(url, id, await registerOwnedAgent(url, baseWallet()))), '400 bounty_not_open');

    const [toPoster] = await told(await by(poster));
    assert.equal(
      toPoster,
      'bounty_taken_down: An operator took your bounty “Zanzibar wallets restored” off the board. Nothing was paid. Reason: “Asks for seed phrases.”',
    );
    for (const who of [await by(owner), { key: agent.key }]) {
      const [toClaimant] = await told(who);
      assert.equal(toClaimant, 'provider_bounty_cancelled: An operator took the bounty “Zanzibar wallets restored” off the board.');
      const events = await expectCall(url, 200, `GET /api/events${asQuery({ types: 'bounty.cancelled' })}`, who);
      assert.ok(!JSON.stringify(events).includes('seed phrases'), 'the reason is for the poster alone');
    }
    const [action] = (await expectCall(url, 200, `GET /api/admin/actions?subject=${id}`, admin)) as Envelope[];
    assert.deepEqual(
      [action?.['action'], action?.['reason'], action?.['details']],
      ['bounty.taken_down', 'Asks for seed phrases.', { from: 'open', to: 'cancelled' }],
    );
  });

  test('only an administrator takes down a bounty, once, with a reason; a refusal changes nothing', async () => {
    const { url } = market;
    const poster = baseWallet();
    const { id } = await postBounty(url, poster);
    const agent = await registerOwnedAgent(url, baseWallet());
    const strangers = [await by(poster), { key: agent.key }, { key: await tokenFor(url, { email: 'nobody@example.com' }) }];
    assert.equal(outcome(await takeDown(id, {})), '401 unauthenticated');
    for (const who of strangers) assert.equal(outcome(await takeDown(id, who)), '403 wrong_credential');
    for (const body of [{}, { reason: '' }, { reason: 'x'.repeat(501) }, { reason: 7 }])
      assert.equal(outcome(await takeDown(id, admin, body)), '400 invalid_input');
    assert.equal(outcome(await takeDown('bnty_1700000000000_aaaaaaaaa')), '404 bounty_not_found');
    assert.equal((await readBounty(url, id)).status, 'open');
    assert.equal(outcome(await takeDown(id)), '200');
    assert.equal(outcome(await takeDown(id)), '400 bounty_not_open');
    const actions = (await expectCall(url, 200, `GET /api/admin/actions?subject=${id}`, admin)) as Envelope[];
    assert.equal(actions.length, 1);
  });

  for (const end of ['cancelled', 'expired'] as const) {
    test(`a bounty that is ${end} is taken down, too: poster, claimants and operators still read it`, async () => {
      const { url } = market;
      const [poster, owner] = [baseWallet(), baseWallet()];
      const agent = await registerOwnedAgent(url, owner);
      const word = end === 'cancelled' ? 'kakapo' : 'dugong';
      const { id } = await postBounty(url, poster, { title: `Paint one ${word}` });
      await claimBounty(url, id, agent);
      if (end === 'cancelled') assert.equal((await cancelBounty(url, id, poster)).status, 200);
      else {
        await market.database.pool.query('update bounties set expires_at = market_now() where id = $1', [id]);
        await market.database.pool.query(`update jobs set run_at = now() where kind = 'bounty.expiry' and payload->>'bounty_id' = $1`, [
          id,
        ]);
        await untilBounty(url, id, 'expired');
      }
      assert.deepEqual(await seen(id, word), ['archive', 'page']);
      const total = async () => (await expectCall(url, 200, 'GET /api/bounties/stats'))['total'];
      const before = await total();
      const events = async () =>
        (await market.database.pool.query('select count(*)::int as count from events where subject_id = $1', [id])).rows[0].count;
      const log = await events();
      const reply = await takeDown(id);
      assert.deepEqual([reply.status, reply.body['data']?.status], [200, end]);
      assert.deepEqual([await seen(id, word), await total(), await events()], [[], before - 1, log]);
      const stranger = await registerOwnedAgent(url, baseWallet());
      assert.equal(outcome(await call(url, `GET /api/bounties/${id}`, { key: stranger.key })), '404 bounty_not_found');
      for (const who of [await by(poster), await by(owner), { key: agent.key }, admin])
        assert.equal(outcome(await call(url, `GET /api/bounties/${id}`, who)), '200');
      const [action] = (await expectCall(url, 200, `GET /api/admin/actions?subject=${id}`, admin)) as Envelope[];
      assert.deepEqual(action?.['details'], { from: end, to: end });
      assert.equal(outcome(await takeDown(id)), '400 bounty_not_open');
    });
  }

  test('of two take-downs and a cancellation at once, one take-down succeeds, and the bounty is cancelled once', async () => {
    const { url } = market;
    const poster = baseWallet();
    const { id } = await postBounty(url, poster);
    const cancel = async () => await call(url, `PATCH /api/bounties/${id}`, { body: { status: 'cancelled', ...(await signed(poster)) } });
    const replies = await Promise.all([takeDown(id), takeDown(id), cancel()]);
    // A take-down after the cancellation still hides it.
    const [first, second, cancelled] = replies.map(outcome);
    assert.deepEqual([first, second].sort(), ['200', '400 bounty_not_open']);
    assert.ok(cancelled === '200' || cancelled === '400 bounty_not_open', cancelled);
    assert.equal(outcome(await call(url, `GET /api/bounties/${id}`)), '404 bounty_not_found');
    const { rows } = await market.database.pool.query(`select 1 from events where type = 'bounty.cancelled' and subject_id = $1`, [id]);
    assert.equal(rows.length, 1);
  });
});

describe('a banned poster', () => {
  const ban = (kind: string, value: string) =>
    expectCall(market.url, 200, 'POST /api/admin/bans', { ...admin, body: { kind, value, reason: 'Never paid anybody.' } });
  const unban = (kind: string, value: string) =>
    expectCall(market.url, 200, `DELETE /api/admin/bans/${kind}/${encodeURIComponent(value)}`, admin);

  for (const [what, wallet] of [
    ['an EVM wallet', baseWallet()],
    ['a Solana wallet', solanaWallet()],
  ] as const)
    test(`open bounties of a banned poster with ${what} are hidden and take no claims until the ban is lifted; figures and lists agree`, async () => {
      const { url } = market;
      const word = what.includes('EVM') ? 'quetzal' : 'axolotl';
      const [first, second] = [await registerOwnedAgent(url, baseWallet()), await registerOwnedAgent(url, baseWallet())];
      const { id } = await postBounty(url, wallet, { title: `Draw one ${word}` });
      await claimBounty(url, id, first);
      assert.deepEqual(await seen(id, word), EVERYWHERE);
      const live = async () => (await expectCall(url, 200, 'GET /api/bounties/stats'))['live'];
      const total = async () => (await call(url, 'GET /api/bounties?limit=1')).body['total'];
      const before = await live();
      assert.equal(before, await total());

      await ban('wallet', wallet.address);
      assert.deepEqual(await seen(id, word), []);
      assert.deepEqual([await live(), await total()], [before - 1, before - 1]);
      assert.equal(outcome(await tryClaim(url, id, second)), '400 bounty_not_open');
      assert.equal(outcome(await call(url, `GET /api/bounties/${id}`, { key: second.key })), '404 bounty_not_found');
      assert.equal(outcome(await call(url, `GET /api/bounties/${id}`, admin)), '200');
      // An agent with an earlier claim still sees the bounty, and can withdraw.
      assert.equal(outcome(await call(url, `GET /api/bounties/${id}`, { key: first.key })), '200');
      assert.equal(outcome(await withdrawClaim(url, id, first)), '200');
      assert.ok(!(await findBroken(market.database)).broken.includes('M01'));

      await unban('wallet', wallet.address);
      assert.deepEqual(await seen(id, word), EVERYWHERE);
      assert.equal(outcome(await tryClaim(url, id, second)), '201');
    });

  test('a ban of an account reaches bounties posted with a linked wallet, also one that was linked later', async () => {
    const { url } = market;
    const [linked, late] = [baseWallet(), baseWallet()];
    const key = await tokenFor(url, { email: 'poster-of-bounties@example.com' });
    await linkWallet(url, key, linked);
    const { id } = await postBounty(url, linked, { title: 'Paint a pangolin' });
    const { id: lateId } = await postBounty(url, late, { title: 'Paint an okapi' });
    await linkWallet(url, key, late);
    await ban('email', 'poster-of-bounties@example.com');
    assert.deepEqual(await seen(id, 'pangolin'), []);
    assert.deepEqual(await seen(lateId, 'okapi'), []);
    assert.ok(!(await findBroken(market.database)).broken.includes('M01'));
    assert.equal(outcome(await takeDown(id)), '200');
    await unban('email', 'poster-of-bounties@example.com');
    assert.deepEqual(await seen(id, 'pangolin'), []);
    assert.deepEqual(await seen(lateId, 'okapi'), EVERYWHERE);
  });
});
