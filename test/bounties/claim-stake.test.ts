/** Story: a bounty that takes a stake with each claim. The stake is paid with the claim, and returned or forfeited to the poster. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { registerAgent } from '../harness/agents.ts';
import {
  acceptClaim,
  bountyBody,
  cancelBounty,
  claimBounty,
  inviteClaim,
  postBounty,
  readBounty,
  tryAccept,
  tryClaim,
  untilBounty,
  withdrawClaim,
} from '../harness/bounties.ts';
import { openAdmin } from '../harness/disputes.ts';
import { call, type Reply } from '../harness/http.ts';
import { openMarket, type TestMarket, withOwnChains } from '../harness/market.ts';
import { act, advanceClock, type Buyer, deliver, openBuyer, requireSoundBooks } from '../harness/orders.ts';
import { tokenFor } from '../harness/people.ts';
import { openReceiver, type Receiver } from '../harness/receiver.ts';
import { openStaker, payStake, STAKE, STAKE_MICROS, type Staker, stakeClaim, tryClaimWith } from '../harness/stakes.ts';
import { setEndpoint } from '../harness/workspaces.ts';
import { until } from '../money/money.ts';

const STAKED = { claim_stake_usd: STAKE };

describe('a bounty that takes a stake with each claim', () => {
  let market: TestMarket;
  let url: string;
  let poster: Buyer;
  let agents: [Staker, Staker, Staker];
  let receiver: Receiver;
  before(async () => {
    market = await openMarket({ ...withOwnChains, OUTBOUND_ALLOW: '127.0.0.1' });
    url = market.url;
    receiver = await openReceiver();
    poster = await openBuyer(market, 'base-mainnet', 500_000_000n);
    agents = [await openStaker(market, url), await openStaker(market, url), await openStaker(market, url, 'solana-mainnet')];
    for (const agent of agents) await setEndpoint(url, agent, `${receiver.url}/${agent.id}`);
  });
  after(async () => {
    await market.close();
    await receiver.close();
  });

  const codeOf = ({ status, body }: Reply) => (status < 300 ? String(status) : `${status} ${body['code']}`);
  const query = async (text: string, values: unknown[] = []) => (await market.database.pool.query(text, values)).rows;
  // biome-ignore lint/suspicious/noExplicitAny: what came over the wire, picked apart by the tests.
  const stakeOf = async (id: string, agent: Staker): Promise<any> => {
    const reply = await call(url, `GET /api/bounties/${id}?include_claims=1`, { key: agent.key });
    return reply.body['data'].my_claims.find((claim: { agent_id: string }) => claim.agent_id === agent.id)?.stake;
  };
  const balanceOf = async ({ payer }: Pick<Staker, 'payer'>) => (await payer.chain.readBalances(payer.address)).usdcMicros;
  const stateOf = async (id: string) => {
    const [row] = await query(
      `select (select count(*)::int from bounty_claims where bounty_id = $1) as claims,
              (select count(*)::int from bounty_stakes s join bounty_claims c on c.id = s.claim_id where c.bounty_id = $1) as stakes,
              (select count(*)::int from events where subject_id = $1) as events, claims_count from bounties where id = $1`,
      [id],
    );
    return row;
  };
  const isUnclaimed = async (reference: string) =>
    (await query('select 1 from payment_claims where lower(reference) = lower($1)', [reference])).length === 0;
  /** Waits until the stake has this status and its transfer is on chain. */
  const untilEnded = async (id: string, agent: Staker, status: string) =>
    await until(`the stake of ${agent.id} to be ${status} and sent`, async () => {
      const stake = await stakeOf(id, agent);
      return stake.status === status && stake.return_tx_hash !== null ? stake : undefined;
    });

  test('a claim stake is nothing or 0.10 to 10% of the budget, in cents; others are refused with the field', async () => {
    for (const [stake, budget] of [
      ['0.09', '10.00'],
      ['0.105', '10.00'],
      ['1.01', '10.00'],
      ['0.11', '1.00'],
      ['-1', '10.00'],
      ['much', '10.00'],
      [null, '10.00'],
    ]) {
      const body = await bountyBody(poster, { budget_usd: budget, claim_stake_usd: stake });
      const reply = await call(url, 'POST /api/bounties', { body });
      assert.equal(codeOf(reply), '400 invalid_input', String(stake));
      assert.equal(reply.body['data'].issues[0].field, 'claim_stake_usd', String(stake));
    }
    for (const [given, shown] of [
      [undefined, '0.00'],
      ['0', '0.00'],
      [0, '0.00'],
      ['0.10', '0.10'],
      ['1', '1.00'],
    ]) {
      const bounty = await postBounty(url, poster, given === undefined ? {} : { claim_stake_usd: given });
      assert.equal(bounty.claim_stake_usd, shown);
      assert.equal((await readBounty(url, bounty.id)).claim_stake_usd, shown);
      assert.equal((await cancelBounty(url, bounty.id, poster)).status, 200);
    }
  });

  test('a claim without the required stake is 402 with the terms, and changes nothing', async () => {
    const { id } = await postBounty(url, poster, STAKED);
    const [agent] = agents;
    const before = await stateOf(id);
    const reply = await tryClaim(url, id, agent);
    assert.equal(codeOf(reply), '402 claim_stake_required');
    const { stake, next_actions: next } = reply.body['data'];
    assert.equal(stake.amount_usd, STAKE);
    const shown = stake.networks.find((one: { payment_chain: string }) => one.payment_chain === 'base');
    assert.equal(shown.pay_to, agent.payer.chain.treasury);
    assert.deepEqual([next[0].operation, next[0].required, next[0].body], ['bounties.claim', ['stake_tx_hash'], { agent_id: agent.id }]);
    assert.deepEqual(await stateOf(id), before);
    const read = await call(url, `GET /api/bounties/${id}`, { key: agent.key });
    assert.deepEqual(
      read.body['data'].next_actions.map(({ action, required }: { action: string; required: string[] }) => [action, required]),
      [['claim', ['stake_tx_hash']]],
    );
    const feed = await call(url, 'GET /feeds/bounties.json');
    const item = feed.body['items'].find(({ _bounty }: { _bounty: { bounty_id: string } }) => _bounty.bounty_id === id);
    assert.equal(item._bounty.claim_stake_usd, STAKE);
  });

  test('M02: a stake’s transfer sent again gives the same claim, also at once; for another bounty or agent it is refused', async () => {
    const { id } = await postBounty(url, poster, STAKED);
    const [agent, rival] = agents;
    const reference = await payStake(agent);
    const replies = await Promise.all(Array.from({ length: 6 }, () => tryClaimWith(url, id, agent, reference)));
    assert.deepEqual(new Set(replies.map(codeOf)), new Set(['201']));
    assert.equal(new Set(replies.map(({ body }) => body['data'].claim_id)).size, 1);
    const [first] = replies;
    assert.ok(first);
    const { data, surplus } = first.body;
    assert.deepEqual(
      [data['stake'].amount_usd, data['stake'].status, data['stake'].payer, data['stake'].chain, surplus],
      [STAKE, 'held', agent.payer.address, 'base', null],
    );
    assert.deepEqual(await stateOf(id), { claims: 1, stakes: 1, events: 2, claims_count: 1 });
    assert.equal(codeOf(await tryClaimWith(url, id, agent, reference.toUpperCase().replace('0X', '0x'))), '201');
    const other = await postBounty(url, poster, STAKED);
    assert.equal(codeOf(await tryClaimWith(url, other.id, agent, reference)), '409 payment_already_used');
    assert.equal(codeOf(await tryClaimWith(url, id, { ...rival, payer: agent.payer }, reference)), '409 payment_already_used');
    // A second transfer for the same claim stays unclaimed.
    const second = await payStake(agent);
    assert.equal(codeOf(await tryClaimWith(url, id, agent, second)), '409 claim_exists');
    assert.ok(await isUnclaimed(second));
    assert.equal(codeOf(await tryClaimWith(url, other.id, agent, second)), '201');
    const held = await query(
      `select a.balance_micros from ledger_accounts a join bounty_stakes s on s.id = a.owner join bounty_claims c on c.id = s.claim_id
       where a.kind = 'escrow' and c.bounty_id = any($1)`,
      [[id, other.id]],
    );
    assert.deepEqual(
      held.map((row) => row.balance_micros),
      [STAKE_MICROS, STAKE_MICROS],
    );
  });

  test('the explorer lists claim stakes as payments of their own kind', async () => {
    const { id } = await postBounty(url, poster, STAKED);
    const { reference } = await stakeClaim(url, id, agents[1]);
    const reply = await call(url, 'GET /api/explorer/payments?kind=claim_stake');
    assert.equal(reply.status, 200, JSON.stringify(reply.body));
    const [newest] = reply.body['data'];
    assert.deepEqual([newest.kind, newest.tx_hash, newest.amount_usd, newest.order_id], ['claim_stake', reference, STAKE, null]);
  });

  test('refused stakes use up nothing: too little, of a stranger, unknown, and where no stake is required', async () => {
    const { id } = await postBounty(url, poster, STAKED);
    const [agent, stranger] = agents;
    const before = await stateOf(id);
    const small = await payStake(agent, STAKE_MICROS - 1n);
    assert.equal(codeOf(await tryClaimWith(url, id, agent, small)), '400 payment_underpaid');
    const foreign = await payStake(stranger);
    assert.equal(codeOf(await tryClaimWith(url, id, agent, foreign)), '403 payment_wrong_payer');
    assert.equal(codeOf(await tryClaimWith(url, id, agent, `0x${'ab'.repeat(32)}`)), '400 payment_not_found');
    assert.equal(codeOf(await tryClaimWith(url, id, agent, 'nonsense')), '400 invalid_payment_reference');
    assert.deepEqual(await stateOf(id), before);
    const plain = await postBounty(url, poster);
    const reply = await tryClaimWith(url, plain.id, agent, small);
    assert.deepEqual([codeOf(reply), reply.body['data'].issues[0].field], ['400 invalid_input', 'stake_tx_hash']);
    assert.ok((await isUnclaimed(small)) && (await isUnclaimed(foreign)));
    // A claim without a stake is as before.
    const claimed = await tryClaim(url, plain.id, agent);
    assert.deepEqual([codeOf(claimed), claimed.body['data'].stake, 'surplus' in claimed.body], ['201', null, false]);
    // The part above the stake is owed to the payer.
    const large = await tryClaimWith(url, id, agent, await payStake(agent, STAKE_MICROS + 40_000n));
    assert.deepEqual([codeOf(large), large.body['surplus'].amount_usd], ['201', '0.04']);
  });

  test('a withdrawn claim gets its stake back on chain; claiming again needs a new transfer', async () => {
    const { id } = await postBounty(url, poster, STAKED);
    for (const agent of [agents[0], agents[2]]) {
      const before = await balanceOf(agent);
      const { reference } = await stakeClaim(url, id, agent);
      assert.equal(codeOf(await withdrawClaim(url, id, agent)), '200');
      assert.equal(codeOf(await withdrawClaim(url, id, agent)), '200');
      const { return_tx_hash: returned, payer } = await untilEnded(id, agent, 'returned');
      assert.deepEqual([typeof returned, payer, await balanceOf(agent)], ['string', agent.payer.address, before]);
      assert.equal(codeOf(await tryClaimWith(url, id, agent, reference)), '409 payment_already_used');
      assert.equal(codeOf(await tryClaim(url, id, agent)), '402 claim_stake_required');
      await stakeClaim(url, id, agent);
      assert.equal((await stakeOf(id, agent)).status, 'held');
    }
    assert.equal(codeOf(await cancelBounty(url, id, poster)), '200');
    for (const agent of [agents[0], agents[2]]) await untilEnded(id, agent, 'returned');
  });

  test('acceptance returns the losers’ stakes at once, and the winner’s when its order ends; each agent gets an event', async () => {
    const { id } = await postBounty(url, poster, STAKED);
    const [winner, loser, other] = agents;
    const { claim } = await stakeClaim(url, id, winner);
    for (const agent of [loser, other]) await stakeClaim(url, id, agent);
    const shown = await readBounty(url, id, poster);
    assert.deepEqual(
      shown.claims.map((one: { stake: unknown }) => one.stake),
      [null, null, null],
      'the poster does not see who paid',
    );
    const order = await acceptClaim(market, id, claim, poster);
    for (const agent of [loser, other]) await untilEnded(id, agent, 'returned');
    assert.equal((await stakeOf(id, winner)).status, 'held');
    assert.equal((await deliver(url, order, winner)).status, 200);
    assert.equal((await act(url, order, poster, 'approve')).status, 200);
    await untilEnded(id, winner, 'returned');
    const told = await until('the webhooks', async () => {
      const calls = receiver.received.filter(({ json }) => json['data'].bounty_id === id && json['event'] === 'bounty.stake_returned');
      return calls.length >= 3 ? calls : undefined;
    });
    assert.deepEqual(
      new Set(told.map(({ json }) => [json['data'].agent_id, json['data'].amount_usd].join())),
      new Set(agents.map((agent) => [agent.id, STAKE].join())),
    );
    const notices = await query(`select body from notifications where type = 'provider_stake_returned' and agent_id = $1`, [loser.id]);
    assert.ok(notices.some(({ body }) => body.includes('0.50 USDC')));
  });

  test('on a bounty with proposals the message is checked before the stake, and an invited claim that withdraws gets it back', async () => {
    const { id } = await postBounty(url, poster, { ...STAKED, mode: 'pitch' });
    const [agent] = agents;
    assert.equal(codeOf(await tryClaim(url, id, agent, { message: 'Me.' })), '400 invalid_input');
    assert.equal(codeOf(await tryClaim(url, id, agent)), '402 claim_stake_required');
    const { claim } = await stakeClaim(url, id, agent);
    assert.equal(codeOf(await inviteClaim(url, id, claim, poster)), '200');
    assert.equal((await stakeOf(id, agent)).status, 'held');
    assert.equal(codeOf(await withdrawClaim(url, id, agent)), '200');
    await untilEnded(id, agent, 'returned');
  });

  test('A03: an account claims with a stake only by a transfer of a wallet that it has linked', async () => {
    const { id } = await postBounty(url, poster, STAKED);
    const token = await tokenFor(url, { email: 'hana@example.com' });
    const agent = await registerAgent(url, {}, { key: token });
    const reference = await payStake(agents[0]);
    const body = { agent_id: agent.id, stake_tx_hash: reference, payment_chain: 'base' };
    assert.equal(codeOf(await call(url, `POST /api/bounties/${id}/claim`, { key: token, body })), '403 payment_wrong_payer');
    assert.equal(codeOf(await call(url, `POST /api/bounties/${id}/claim`, { body })), '401 unauthenticated');
    assert.equal(codeOf(await call(url, `POST /api/bounties/${id}/claim`, { key: agents[1].key, body })), '403 forbidden');
    assert.ok(await isUnclaimed(reference));
  });

  test('a bounty that is taken down, or whose order is cancelled, returns every stake', async () => {
    const [one, two] = agents;
    const down = await postBounty(url, poster, STAKED);
    await stakeClaim(url, down.id, one);
    const key = await openAdmin(url);
    const reply = await call(url, `POST /api/admin/bounties/${down.id}/take-down`, { key, body: { reason: 'Asks for seed phrases.' } });
    assert.equal(codeOf(reply), '200');
    await untilEnded(down.id, one, 'returned');
    for (const end of ['cancel', 'refund'] as const) {
      const { id } = await postBounty(url, poster, STAKED);
      const { claim } = await stakeClaim(url, id, two);
      const order = await acceptClaim(market, id, claim, poster);
      assert.equal((await act(url, order, end === 'cancel' ? poster : two.owner, end)).status, 200, end);
      await untilEnded(id, two, 'returned');
    }
  });

  test('a stake’s transfer that comes after the decision stays unclaimed, and an operator sends it back', async () => {
    const { id } = await postBounty(url, poster, STAKED);
    const [agent] = agents;
    const reference = await payStake(agent, STAKE_MICROS, 'final');
    assert.equal(codeOf(await cancelBounty(url, id, poster)), '200');
    assert.equal(codeOf(await tryClaimWith(url, id, agent, reference)), '400 bounty_not_open');
    assert.ok(await isUnclaimed(reference));
    const body = { tx_hash: reference, payer: agent.payer.address, chain: 'base' };
    const refund = async () => await call(url, `POST /api/admin/bounties/${id}/refund`, { key: await openAdmin(url), body });
    await until('the transfer in the books', async () => ((await refund()).status === 200 ? true : undefined));
    assert.equal(codeOf(await refund()), '409 payment_already_used');
    assert.equal(codeOf(await tryClaimWith(url, (await postBounty(url, poster, STAKED)).id, agent, reference)), '409 payment_already_used');
  });

  test('the end of a bounty returns every stake', async () => {
    const { id } = await postBounty(url, poster, { ...STAKED, open_days: 1, claim_window_hours: 168 });
    const [agent, other] = agents;
    await stakeClaim(url, id, agent);
    await stakeClaim(url, id, other);
    await advanceClock(url, 24 * 3600);
    await untilBounty(url, id, 'expired');
    for (const one of [agent, other]) await untilEnded(id, one, 'returned');
  });

  test('a winner who delivers nothing forfeits its stake to the wallet that paid for the order', async () => {
    const { id } = await postBounty(url, poster, { ...STAKED, deadline_hours: 1 });
    // Moving the clock ends bounties of other tests, too, so this agent has no other stake.
    const agent = await openStaker(market, url);
    const { claim } = await stakeClaim(url, id, agent);
    const before = await balanceOf(poster);
    const mine = await balanceOf(agent);
    await acceptClaim(market, id, claim, poster);
    await advanceClock(url, 25 * 3600);
    await untilBounty(url, id, 'cancelled');
    await untilEnded(id, agent, 'forfeited');
    await until('the refund', async () => ((await balanceOf(poster)) === before + STAKE_MICROS ? true : undefined));
    assert.equal(await balanceOf(agent), mine);
    const notices = await query(`select type from notifications where type in ('bounty_stake_forfeited', 'provider_stake_forfeited')`);
    assert.ok(new Set(notices.map(({ type }) => type)).size === 2, JSON.stringify(notices));
  });

  test('a forfeited stake of another network is paid from our own money there; without it the agent gets the stake back', async () => {
    const [, , agent] = agents;
    const fees = async () =>
      (
        await query(
          `select coalesce(sum(balance_micros), 0)::bigint as micros from ledger_accounts where kind in ('platform_fee', 'interchain') and network = 'base-mainnet'`,
        )
      )[0].micros as bigint;
    assert.ok((await fees()) >= STAKE_MICROS, 'the approved order left a fee of 1.00');
    for (const expected of ['forfeited', 'forfeited', 'returned']) {
      const { id } = await postBounty(url, poster, { ...STAKED, deadline_hours: 1 });
      const { claim } = await stakeClaim(url, id, agent);
      await acceptClaim(market, id, claim, poster);
      await advanceClock(url, 25 * 3600);
      await untilBounty(url, id, 'cancelled');
      const { tx_hash: paid, return_tx_hash: left } = await untilEnded(id, agent, expected);
      assert.equal(String(left).startsWith('0x'), expected === 'forfeited', `${paid} ${left}`);
    }
  });

  test('a refused accept returns no stake', async () => {
    const { id } = await postBounty(url, poster, STAKED);
    const [agent, other] = agents;
    const { claim } = await stakeClaim(url, id, agent);
    await stakeClaim(url, id, other);
    assert.equal(codeOf(await tryAccept(url, id, claim, poster, `0x${'cd'.repeat(32)}`)), '400 payment_not_found');
    for (const one of [agent, other]) assert.equal((await stakeOf(id, one)).status, 'held');
    assert.equal(codeOf(await tryClaim(url, id, agent)), '409 claim_exists');
    assert.ok(await claimBounty(url, (await postBounty(url, poster)).id, agent));
  });

  test('the books are sound after staked claims', async () => {
    await requireSoundBooks(market);
  });
});
