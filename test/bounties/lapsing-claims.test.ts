/** Story: a claim is held for `claim_window_hours` and then lapses; the bounty takes claims for `open_days`, and its poster may extend it. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import {
  acceptClaim,
  bountyBody,
  claimBounty,
  inviteClaim,
  postBounty,
  readBounty,
  tryAccept,
  tryClaim,
  untilBounty,
  withdrawClaim,
} from '../harness/bounties.ts';
import { call, type Reply } from '../harness/http.ts';
import { openMarket, type TestMarket, withOwnChains } from '../harness/market.ts';
import { advanceClock, type Buyer, openBuyer, openProvider, type Provider, requireSoundBooks } from '../harness/orders.ts';
import { asHeaders, signed, type TestWallet } from '../harness/people.ts';
import { openStaker, STAKE, stakeClaim, tryClaimWith } from '../harness/stakes.ts';
import { until } from '../money/money.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** A hash without a transfer: the refusal must come before the chain is asked. */
const NO_TRANSFER = `0x${'ab'.repeat(32)}`;

describe('a claim and its window', () => {
  let market: TestMarket;
  let url: string;
  let poster: Buyer;
  let agents: [Provider, Provider];
  before(async () => {
    market = await openMarket(withOwnChains);
    url = market.url;
    poster = await openBuyer(market, 'base-mainnet', 500_000_000n);
    agents = [await openProvider(url), await openProvider(url)];
  });
  after(() => market.close());

  const codeOf = ({ status, body }: Reply) => (status < 300 ? String(status) : `${status} ${body['code']}`);
  const timeOf = (wire: string) => Date.parse(`${wire.replace(' ', 'T')}Z`);
  // biome-ignore lint/suspicious/noExplicitAny: what came over the wire, picked apart by the tests.
  const claimOf = async (id: string, claim: string): Promise<any> =>
    (await readBounty(url, id, poster)).claims.find((one: { claim_id: string }) => one.claim_id === claim);
  const untilStatus = (id: string, claim: string, status: string) =>
    until(`${claim} to be ${status}`, async () => ((await claimOf(id, claim)).status === status ? true : undefined));
  const untilNotified = (who: TestWallet, type: string) =>
    until(type, async () => {
      const { body } = await call(url, 'GET /api/notifications?limit=100', { headers: asHeaders(await signed(who)) });
      return body['data'].some((one: { type: string }) => one.type === type) ? true : undefined;
    });
  const extend = async (id: string, open_days: unknown, who: TestWallet = poster) =>
    await call(url, `POST /api/bounties/${id}/extend`, { body: { open_days, ...(await signed(who)) } });
  /** Ends the window of this claim now, without waking its timer. */
  const endWindow = (claim: string) =>
    market.database.pool.query('update bounty_claims set lapses_at = market_now() where id = $1', [claim]);

  test('a claim is held for claim_window_hours from its making, then lapses; the bounty stays open and the agent may claim again', async () => {
    const [first, second] = agents;
    const bounty = await postBounty(url, poster, { claim_window_hours: 6 });
    assert.deepEqual([bounty.claim_window_hours, bounty.open_days], [6, 7]);
    const { id } = bounty;
    const early = await claimBounty(url, id, first);
    await advanceClock(url, 3 * 3600);
    const later = await claimBounty(url, id, second);
    const made = await claimOf(id, early);
    assert.ok(Math.abs(Date.parse(made.held_until) - timeOf(made.created_at) - 6 * HOUR_MS) < 1000);
    assert.ok(made.next_actions.every(({ until: end }: { until: string }) => Math.abs(timeOf(end) - Date.parse(made.held_until)) < 1000));

    await advanceClock(url, 3 * 3600);
    await untilStatus(id, early, 'lapsed');
    const { held_until: end, next_actions: next, decided_at: decided } = await claimOf(id, early);
    assert.deepEqual([end, next, typeof decided], [null, [], 'string']);
    assert.equal((await claimOf(id, later)).status, 'pending', 'each claim has its own window');
    const { status, claims_count: count } = await readBounty(url, id);
    assert.deepEqual([status, count], ['open', 1]);
    assert.equal(codeOf(await tryAccept(url, id, early, poster, NO_TRANSFER)), '400 claim_not_pending');
    await untilNotified(poster, 'bounty_claim_lapsed');
    await untilNotified(first.owner, 'provider_claim_lapsed');

    const own = await call(url, `GET /api/bounties/${id}?include_claims=1`, { key: first.key });
    const [mine] = own.body['data'].my_claims;
    assert.deepEqual([mine.status, mine.held_until, mine.next_actions[0]?.action], ['lapsed', null, 'claim']);
    assert.equal(await claimBounty(url, id, first), early, 'it keeps its id');
    const again = await claimOf(id, early);
    assert.deepEqual([again.status, again.decided_at], ['pending', null]);
    assert.ok(Date.parse(again.held_until) > Date.parse(made.held_until));
    await acceptClaim(market, id, later, poster);
    assert.equal((await claimOf(id, early)).status, 'rejected');
  });

  test('a claim ends by the clock before its timer runs: nobody can accept, invite or withdraw it, and its slot is free', async () => {
    const [agent, other] = agents;
    const { id } = await postBounty(url, poster, { mode: 'pitch' });
    const claim = await claimBounty(url, id, agent);
    const invited = await claimBounty(url, id, other);
    assert.equal(codeOf(await inviteClaim(url, id, invited, poster)), '200');
    for (const one of [claim, invited]) await endWindow(one);
    assert.equal(codeOf(await inviteClaim(url, id, claim, poster)), '400 claim_not_pending');
    assert.equal(codeOf(await inviteClaim(url, id, invited, poster)), '400 claim_not_pending');
    assert.equal(codeOf(await tryAccept(url, id, invited, poster, NO_TRANSFER)), '400 claim_not_pending');
    assert.deepEqual((await withdrawClaim(url, id, agent)).body['data'], { bounty_id: id, status: 'withdrawn' });
    assert.equal(codeOf(await tryClaim(url, id, agent)), '201', 'claiming again needs no timer');
    assert.equal((await readBounty(url, id)).claims_count, 1, 'both lapsed, one is new');
    assert.equal((await claimOf(id, invited)).status, 'lapsed');
    const { rows } = await market.database.pool.query(
      `select count(*)::int as lapsed from events where type = 'bounty.claim_lapsed' and subject_id = $1`,
      [id],
    );
    assert.deepEqual(rows, [{ lapsed: 2 }]);
  });

  test('a lapsed claim gets its stake back on chain; its transfer makes no second claim', async () => {
    const agent = await openStaker(market, url);
    const { id } = await postBounty(url, poster, { claim_stake_usd: STAKE, claim_window_hours: 6 });
    const { claim, reference } = await stakeClaim(url, id, agent);
    await advanceClock(url, 6 * 3600);
    await untilStatus(id, claim, 'lapsed');
    const stake = await until('the stake to be sent', async () => {
      const { body } = await call(url, `GET /api/bounties/${id}?include_claims=1`, { key: agent.key });
      const [mine] = body['data'].my_claims;
      return mine.stake.return_tx_hash === null ? undefined : mine.stake;
    });
    assert.equal(stake.status, 'returned');
    assert.equal(codeOf(await tryClaimWith(url, id, agent, reference)), '409 payment_already_used');
    await stakeClaim(url, id, agent);
    assert.equal((await claimOf(id, claim)).status, 'pending');
  });

  test('a bounty takes claims for open_days, 7 unless given; others than 1 to 30 are refused', async () => {
    for (const [given, days] of [
      [undefined, 7],
      [1, 1],
      [30, 30],
    ] as const) {
      const bounty = await postBounty(url, poster, { claim_window_hours: 6, ...(given !== undefined && { open_days: given }) });
      assert.equal(bounty.open_days, days);
      assert.ok(Math.abs(Date.parse(bounty.expires_at) - timeOf(bounty.created_at) - days * DAY_MS) < 1000);
      assert.equal(bounty.decide_by, bounty.expires_at);
    }
    for (const open_days of [0, 31, 1.5, '7', null]) {
      const reply = await call(url, 'POST /api/bounties', { body: await bountyBody(poster, { open_days }) });
      assert.deepEqual([codeOf(reply), reply.body['data'].issues[0].field], ['400 invalid_input', 'open_days'], String(open_days));
    }
  });

  test('the poster extends an open bounty, never shortens it, and it expires at the new end', async () => {
    const { id, created_at: created } = await postBounty(url, poster, { open_days: 1 });
    assert.equal(codeOf(await extend(id, 3, agents[0].owner)), '403 not_your_bounty');
    assert.equal(codeOf(await extend(id, 31)), '400 invalid_input');
    const longer = await extend(id, 2);
    assert.equal(codeOf(longer), '200');
    assert.ok(Math.abs(Date.parse(longer.body['data'].expires_at) - timeOf(created) - 2 * DAY_MS) < 1000);
    assert.deepEqual((await extend(id, 2)).body['data'], longer.body['data'], 'the same call again');
    assert.equal(codeOf(await extend(id, 1)), '400 bounty_ends_later');
    await advanceClock(url, 24 * 3600 + 1);
    assert.equal(codeOf(await tryClaim(url, id, agents[0])), '201', 'the first end is over');
    assert.equal((await readBounty(url, id)).status, 'open');
    await advanceClock(url, 24 * 3600);
    await untilBounty(url, id, 'expired');
    assert.equal(codeOf(await extend(id, 9)), '400 bounty_not_open');
  });

  test('the books are sound after lapsed claims', async () => {
    await requireSoundBooks(market);
  });
});
