/** The audit passes bounties in every state and names the broken invariant of every corruption. */
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import {
  accept,
  endWindowWithin,
  type OpenBounty,
  openAgents,
  openBounty,
  openPoster,
  type Poster,
  readTraces,
  sendCosts,
} from '../bounties/many-bounties.ts';
import { endDelivery, type FundedStaker, openFundedStakers, openStakedBounty } from '../bounties/many-stakes.ts';
import { cancelBounty, inviteClaim, withdrawClaim } from '../harness/bounties.ts';
import { openAdmin, rule } from '../harness/disputes.ts';
import type { ServerProcess } from '../harness/market.ts';
import { act, deliver, type Provider } from '../harness/orders.ts';
import { some } from '../harness/thoroughness.ts';
import { bountyCorruptions } from './bounty-corruptions.ts';
import { findBroken } from './find-broken.ts';
import { requireSound, until } from './money.ts';
import { openSharedMoney, type SharedMoney } from './shared-money.ts';
import { stakeCorruptions } from './stake-corruptions.ts';

suite('the audit of bounties', () => {
  let shared: SharedMoney;
  let server: ServerProcess;
  let poster: Poster;
  let agents: Provider[];
  before(async () => {
    shared = await openSharedMoney({ hosted: true });
    server = await shared.startServer();
    poster = await openPoster(shared);
    agents = await openAgents(server.url, 3);
    await openEveryFate();
    await openEveryStake();
  });
  after(() => shared.close());

  /** Bounties in each state: open with a withdrawn claim, claimed, disputed, completed, split, cancelled by both, expired, pitched. */
  async function openEveryFate(): Promise<void> {
    const { url } = server;
    const [open, , disputed, completed, calledOff, ruled, cancelled, expired] = await Promise.all(
      Array.from({ length: 8 }, () => openBounty(url, poster, agents)),
    ).then(async (bounties) => {
      const references = await sendCosts(shared, poster, 5);
      for (const [n, reference] of references.entries()) await take(bounties[n + 1] as OpenBounty, reference);
      return bounties as OpenBounty[];
    });
    const [worker, leaver] = agents;
    assert.ok(open && disputed && completed && calledOff && ruled && cancelled && expired && worker && leaver);
    assert.equal((await withdrawClaim(url, open.id, leaver)).status, 200);
    const orderOf = async ({ id }: OpenBounty) =>
      String((await shared.database.pool.query('select order_id from bounties where id = $1', [id])).rows[0].order_id);
    for (const bounty of [disputed, completed, ruled]) assert.equal((await deliver(url, await orderOf(bounty), worker)).status, 200);
    for (const bounty of [disputed, ruled])
      assert.equal((await act(url, await orderOf(bounty), poster, 'dispute', { reason: 'Half of it is missing.' })).status, 200);
    assert.equal((await rule(url, await orderOf(ruled), await openAdmin(url), { ruling: 'split', refund_usd: '0.50' })).status, 200);
    assert.equal((await act(url, await orderOf(completed), poster, 'approve')).status, 200);
    assert.equal((await act(url, await orderOf(calledOff), poster, 'cancel')).status, 200);
    assert.equal((await cancelBounty(url, cancelled.id, poster)).status, 200);
    await endWindowWithin(shared, 0, expired.id);
    const pitched = await openBounty(url, poster, agents, { mode: 'pitch' });
    for (const claim of pitched.claims.slice(0, 2)) assert.equal((await inviteClaim(url, pitched.id, claim, poster)).status, 200);
    const [cost = ''] = await sendCosts(shared, poster, 1);
    await take(pitched, cost);
    await until('the expiry', async () => ((await readTraces(shared, expired.id))['status'] === 'expired' ? true : undefined));
  }

  /** Stakes in each state: held by a claim and by a winner, returned after withdrawal and rejection, forfeited. */
  async function openEveryStake(): Promise<void> {
    const { url } = server;
    const stakers = await openFundedStakers(shared, url, 2, 4);
    const [first] = stakers as [FundedStaker];
    const open = await openStakedBounty(url, poster, stakers);
    assert.equal((await withdrawClaim(url, open.id, first)).status, 200);
    const late = await openStakedBounty(url, poster, stakers);
    const [running, lost] = await sendCosts(shared, poster, 2);
    await take(await openStakedBounty(url, poster, stakers), running ?? '');
    await take(late, lost ?? '');
    await endDelivery(shared, late.id);
    await until('the expiry', async () => ((await readTraces(shared, late.id))['status'] === 'cancelled' ? true : undefined));
  }

  async function take(bounty: OpenBounty, reference: string): Promise<void> {
    const reply = await accept(server.url, bounty, 0, poster, reference);
    assert.equal(reply.status, 200, JSON.stringify(reply.body));
  }

  test('M22, M25: the audit finds nothing in bounties of every state, whose money left as one budget, one 110% refund and a split', async () => {
    await requireSound(shared.money);
    const { rows } = await shared.database.pool.query(
      'select b.status, s.agent_micros, s.fee_micros, s.refund_micros from bounties b join settlements s using (order_id) where b.claim_stake_micros = 0 order by 1, 2',
    );
    assert.deepEqual(
      rows,
      [
        { status: 'cancelled', agent_micros: '0', fee_micros: '0', refund_micros: '1100000' },
        { status: 'completed', agent_micros: '545455', fee_micros: '54545', refund_micros: '500000' },
        { status: 'completed', agent_micros: '1000000', fee_micros: '100000', refund_micros: '0' },
      ].map(({ status, ...shares }) => ({
        status,
        ...Object.fromEntries(Object.entries(shares).map(([name, micros]) => [name, BigInt(micros)])),
      })),
    );
  });

  test('the audit reports each corruption of bounties', async (context) => {
    // No process works any more, so every finding was caused by the test.
    assert.equal(await server.kill('SIGTERM'), 0);
    assert.deepEqual((await findBroken(shared.database)).broken, []);
    for (const { what, breaks, sql } of some([...bountyCorruptions, ...stakeCorruptions], 6)) {
      await context.test(`${what} (${breaks})`, async () => {
        const { broken, changed } = await findBroken(shared.database, sql);
        assert.ok(changed > 0, 'nothing was spoilt');
        assert.ok(broken.includes(breaks), `reported ${broken.join(', ') || 'nothing'}`);
      });
    }
  });
});
