/** Story: a bounty with proposals first: pitch, invite, withdraw, pitch again, accept, expire. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import {
  acceptClaim,
  cancelBounty,
  claimBounty,
  inviteClaim,
  payBounty,
  postBounty,
  readBounty,
  tryAccept,
  tryClaim,
  untilBounty,
  withdrawClaim,
} from '../harness/bounties.ts';
import { call, type Reply } from '../harness/http.ts';
import { openMarket, type TestMarket, withOwnChains } from '../harness/market.ts';
import {
  advanceClock,
  type Buyer,
  deliver,
  openBuyer,
  openProvider,
  type Provider,
  readOrder,
  requireSoundBooks,
} from '../harness/orders.ts';
import { asHeaders, signed } from '../harness/people.ts';
import { openReceiver, type Receiver } from '../harness/receiver.ts';
import { times } from '../harness/thoroughness.ts';
import { setEndpoint } from '../harness/workspaces.ts';
import { until } from '../money/money.ts';

const PITCH = { mode: 'pitch' };
const HOUR_MS = 3_600_000;
const ROUNDS = times(10, 40);

describe('a bounty that takes proposals first', () => {
  let market: TestMarket;
  let url: string;
  let poster: Buyer;
  let agents: [Provider, Provider, Provider];
  let receiver: Receiver;
  before(async () => {
    market = await openMarket({ ...withOwnChains, OUTBOUND_ALLOW: '127.0.0.1' });
    url = market.url;
    receiver = await openReceiver();
    poster = await openBuyer(market, 'base-mainnet', 200_000_000n);
    agents = [await openProvider(url), await openProvider(url), await openProvider(url)];
    for (const agent of agents) await setEndpoint(url, agent, `${receiver.url}/${agent.id}`);
  });
  after(async () => {
    await market.close();
    await receiver.close();
  });

  const codeOf = ({ status, body }: Reply) => (status < 300 ? String(status) : `${status} ${body['code']}`);
  const claimsOf = async (id: string): Promise<[string, string][]> =>
    (await readBounty(url, id, poster)).claims.map((claim: { agent_id: string; status: string }) => [claim.agent_id, claim.status]);
  const heard = (id: string) =>
    receiver.received
      .filter(({ json }) => json['data'].bounty_id === id)
      .map(({ path, json }) => [path.slice(1), json['event'], json['order_id']] as const);

  test('only invited proposals can be accepted; the others are rejected, and every agent is notified of its outcome once', async () => {
    const [winner, second, third] = agents;
    const bounty = await postBounty(url, poster, PITCH);
    assert.equal(bounty.mode, 'pitch');
    const { id } = bounty;
    const claims = [];
    for (const agent of agents) claims.push(await claimBounty(url, id, agent));
    const [mine = '', other = ''] = claims;

    const reference = await payBounty(market, poster);
    const early = await tryAccept(url, id, mine, poster, reference);
    assert.equal(codeOf(early), '400 claim_not_invited');
    assert.deepEqual(new Set((await claimsOf(id)).map(([, status]) => status)), new Set(['pending']));

    const invited = await inviteClaim(url, id, mine, poster);
    assert.equal(codeOf(invited), '200');
    assert.deepEqual([invited.body['data'].status, typeof invited.body['data'].invited_at], ['invited', 'string']);
    assert.deepEqual((await inviteClaim(url, id, mine, poster)).body['data'], invited.body['data'], 'the same again');
    assert.equal(codeOf(await inviteClaim(url, id, other, poster)), '200', 'a second one');
    await until('the owner being told', async () => {
      const reply = await call(url, 'GET /api/notifications', { headers: asHeaders(await signed(winner.owner)) });
      return reply.body['data'].some(({ type }: { type: string }) => type === 'provider_bounty_invited') ? true : undefined;
    });

    // The transfer of the refused accept can still be used.
    const accepted = await tryAccept(url, id, mine, poster, reference);
    assert.equal(codeOf(accepted), '200');
    assert.equal(codeOf(await tryAccept(url, id, mine, poster, reference)), '200', 'the same again');
    assert.deepEqual(await claimsOf(id), [
      [winner.id, 'accepted'],
      [second.id, 'rejected'],
      [third.id, 'rejected'],
    ]);
    await until('all webhooks', async () => (heard(id).length >= 5 ? true : undefined));
    const order = accepted.body['data'].order_id;
    assert.deepEqual(
      heard(id).map(String).toSorted(),
      [
        [winner.id, 'bounty.accepted', order].join(),
        [winner.id, 'bounty.invited', ''].join(),
        [second.id, 'bounty.claim_rejected', ''].join(),
        [second.id, 'bounty.invited', ''].join(),
        [third.id, 'bounty.claim_rejected', ''].join(),
      ].toSorted(),
    );
  });

  test('a proposal needs a message: an empty or short one is refused, and so is a long one', async () => {
    const { id } = await postBounty(url, poster, PITCH);
    const [agent] = agents;
    for (const message of ['', 'Me!', 'x'.repeat(19), 'x'.repeat(501)])
      assert.equal(codeOf(await tryClaim(url, id, agent, { message })), '400 invalid_input', message);
    assert.equal((await readBounty(url, id)).claims_count, 0);
    assert.equal(codeOf(await tryClaim(url, id, agent, { message: 'x'.repeat(20) })), '201');
  });

  test('an invited agent may withdraw its proposal; the next one needs a new invitation', async () => {
    const { id } = await postBounty(url, poster, PITCH);
    const [agent] = agents;
    const claim = await claimBounty(url, id, agent);
    assert.equal(codeOf(await inviteClaim(url, id, claim, poster)), '200');
    assert.equal(codeOf(await tryClaim(url, id, agent)), '409 claim_exists');
    assert.equal(codeOf(await withdrawClaim(url, id, agent)), '200');
    assert.equal((await readBounty(url, id)).claims_count, 0);
    assert.equal(codeOf(await inviteClaim(url, id, claim, poster)), '400 claim_not_pending');
    assert.equal(await claimBounty(url, id, agent), claim);
    const [again] = (await readBounty(url, id, poster)).claims;
    assert.deepEqual([again.status, again.invited_at], ['pending', null]);
    const reference = await payBounty(market, poster);
    assert.equal(codeOf(await tryAccept(url, id, claim, poster, reference)), '400 claim_not_invited');
    assert.equal(codeOf(await inviteClaim(url, id, claim, poster)), '200');
    assert.equal(codeOf(await tryAccept(url, id, claim, poster, reference)), '200');
  });

  test('A03: only the poster invites, and only a claim of this bounty', async () => {
    const [{ id }, elsewhere] = [await postBounty(url, poster, PITCH), await postBounty(url, poster, PITCH)];
    const [agent] = agents;
    const [claim, foreign] = [await claimBounty(url, id, agent), await claimBounty(url, elsewhere.id, agent)];
    const body = { claim_id: claim };
    assert.equal(codeOf(await call(url, `POST /api/bounties/${id}/invite`, { body })), '401 unauthenticated');
    assert.equal(codeOf(await call(url, `POST /api/bounties/${id}/invite`, { body, key: agent.key })), '403 wrong_credential');
    assert.equal(codeOf(await inviteClaim(url, id, claim, agent.owner)), '403 not_your_bounty');
    assert.equal(codeOf(await inviteClaim(url, id, foreign, poster)), '404 claim_not_found');
    assert.equal(codeOf(await inviteClaim(url, 'bnty_1700000000000_nonenonen', claim, poster)), '404 bounty_not_found');
    await market.database.pool.query('update agents set active = false where id = $1', [agent.id]);
    assert.equal(codeOf(await inviteClaim(url, id, claim, poster)), '403 agent_inactive');
    await market.database.pool.query('update agents set active = true where id = $1', [agent.id]);
    assert.equal(codeOf(await cancelBounty(url, id, poster)), '200');
    assert.equal(codeOf(await inviteClaim(url, id, claim, poster)), '400 bounty_not_open');
    assert.equal((await claimsOf(id))[0]?.[1], 'rejected');
  });

  test('a bounty posted without a mode takes claims without invitations', async () => {
    const { id, mode } = await postBounty(url, poster);
    assert.equal(mode, 'open');
    const claim = await claimBounty(url, id, agents[0]);
    assert.equal(codeOf(await inviteClaim(url, id, claim, poster)), '400 bounty_takes_no_pitches');
    assert.equal(codeOf(await tryClaim(url, id, agents[1], { message: '' })), '201');
    await acceptClaim(market, id, claim, poster);
  });

  test('invited proposals count among the 40 open claims of an owner', async () => {
    const agent = await openProvider(url);
    const ids: string[] = [];
    for (let n = 0; n < 41; n++) ids.push((await postBounty(url, poster, PITCH)).id);
    const [last = '', ...others] = ids;
    for (const id of others) assert.equal(codeOf(await inviteClaim(url, id, await claimBounty(url, id, agent), poster)), '200');
    assert.equal(codeOf(await tryClaim(url, last, agent)), '400 too_many_open_claims');
    assert.equal(codeOf(await withdrawClaim(url, others[0] ?? '', agent)), '200');
    assert.equal(codeOf(await tryClaim(url, last, agent)), '201');
  });

  test(`R07: invite, withdraw and cancel at once leave one order of events, and the records agree; ${ROUNDS} rounds`, async () => {
    const [agent] = agents;
    for (let round = 0; round < ROUNDS; round++) {
      const { id } = await postBounty(url, poster, PITCH);
      const claim = await claimBounty(url, id, agent);
      const [invited, again, withdrawn, cancelled] = await Promise.all([
        inviteClaim(url, id, claim, poster),
        inviteClaim(url, id, claim, poster),
        withdrawClaim(url, id, agent),
        round % 2 === 0 ? cancelBounty(url, id, poster) : undefined,
      ]);
      for (const reply of [invited, again]) assert.ok(['200', '400 claim_not_pending', '400 bounty_not_open'].includes(codeOf(reply)));
      assert.equal(codeOf(withdrawn), '200');
      if (cancelled !== undefined) assert.equal(codeOf(cancelled), '200');
      const { rows } = await market.database.pool.query(
        `select (select count(*)::int from events where type = 'bounty.invited' and subject_id = $1) as announced, invited_at is not null as invited, status
         from bounty_claims where id = $2`,
        [id, claim],
      );
      const wasInvited = codeOf(invited) === '200' || codeOf(again) === '200';
      assert.deepEqual([rows[0].announced, rows[0].invited], wasInvited ? [1, true] : [0, false]);
      assert.ok(['withdrawn', 'rejected'].includes(rows[0].status), rows[0].status);
    }
  });

  test('decide_by of a bounty is its expiry, and a winner who delivers in the last moment is paid by paid_by', async () => {
    const bounty = await postBounty(url, poster, { ...PITCH, deadline_hours: 1, claim_window_hours: 6 });
    assert.equal(bounty.decide_by, bounty.expires_at);
    assert.equal(Date.parse(bounty.paid_by) - Date.parse(bounty.decide_by), (1 + 24 + 48) * HOUR_MS);
    const claim = await claimBounty(url, bounty.id, agents[0]);
    await inviteClaim(url, bounty.id, claim, poster);
    const order = await acceptClaim(market, bounty.id, claim, poster);
    const { decide_by: decided, paid_by: paidBy } = await readBounty(url, bounty.id);
    assert.equal(decided, null);
    assert.ok(paidBy < bounty.paid_by, 'accepted before the last moment');
    await advanceClock(url, 24 * 3600);
    assert.equal((await deliver(url, order, agents[0])).status, 200);
    const { order: delivered } = await readOrder(url, order, poster);
    const reviewed = Date.parse(`${delivered.review_deadline.replace(' ', 'T')}Z`);
    assert.ok(reviewed <= Date.parse(paidBy), `${delivered.review_deadline} is after ${paidBy}`);
    await advanceClock(url, 48 * 3600);
    await untilBounty(url, bounty.id, 'completed');
    const { paid_by: ended, completed_at: completed } = await readBounty(url, bounty.id);
    assert.deepEqual([ended, Date.parse(`${completed.replace(' ', 'T')}Z`) <= Date.parse(paidBy)], [null, true]);
  });

  test('proposals, invited or not, are rejected when the bounty ends', async () => {
    const { id } = await postBounty(url, poster, { ...PITCH, open_days: 1, claim_window_hours: 168 });
    const [invited, pending] = [await claimBounty(url, id, agents[0]), await claimBounty(url, id, agents[1])];
    assert.equal(codeOf(await inviteClaim(url, id, invited, poster)), '200');
    await advanceClock(url, 24 * 3600);
    await untilBounty(url, id, 'expired');
    assert.deepEqual(
      (await claimsOf(id)).map(([, status]) => status),
      ['rejected', 'rejected'],
    );
    assert.equal(codeOf(await inviteClaim(url, id, pending, poster)), '400 bounty_not_open');
  });

  test('the books are sound after bounties with proposals', async () => {
    await requireSoundBooks(market);
  });
});
