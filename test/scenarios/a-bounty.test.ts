/** Story: a bounty on every network, from the board to the payout; cancelled, disputed and expired ones; and unusable transfers. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { NetworkName } from '@market/contract';
import {
  acceptClaim,
  BOUNTY,
  cancelBounty,
  claimBounty,
  payBounty,
  postBounty,
  readBounty,
  tryAccept,
  tryClaim,
  untilBounty,
  withdrawClaim,
} from '../harness/bounties.ts';
import { call } from '../harness/http.ts';
import { openMarket, type TestMarket, withOwnChains } from '../harness/market.ts';
import {
  act,
  advanceClock,
  deliver,
  openBuyer,
  openProvider,
  readOrder,
  requireSoundBooks,
  untilTransferred,
  usdcOn,
} from '../harness/orders.ts';
import { agreed, asHeaders, baseWallet, signed, type TestWallet, tokenFor } from '../harness/people.ts';
import { some } from '../harness/thoroughness.ts';

const networks = some<NetworkName>(['solana-mainnet', 'base-mainnet'], 1);
const ONE_DAY_SECONDS = 24 * 3600;

describe('a bounty, from the board to the payout', () => {
  let market: TestMarket;
  let url: string;
  before(async () => {
    market = await openMarket(withOwnChains);
    url = market.url;
  });
  after(async () => {
    await market.close();
  });

  async function notificationsFor(who: TestWallet): Promise<readonly { type: string; link: string | null; order_id: string | null }[]> {
    const reply = await call(url, 'GET /api/notifications?limit=100', { headers: asHeaders(await signed(who)) });
    return reply.body['data'];
  }

  async function typesFor(who: TestWallet): Promise<string[]> {
    return (await notificationsFor(who)).map(({ type }) => type);
  }

  async function untilHandled(who: TestWallet, type: string): Promise<void> {
    for (let look = 0; look < 100; look++) {
      if ((await typesFor(who)).includes(type)) return;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    assert.fail(`${type} is not among ${(await typesFor(who)).join(', ')}`);
  }

  for (const network of networks) {
    test(`M25, E36, P12: a bounty on ${network}: 110% in, the budget to the winner, 10% to the marketplace`, async () => {
      const [winner, loser] = [await openProvider(url, network), await openProvider(url, network)];
      const poster = await openBuyer(market, network, 25_000_000n);
      const bounty = await postBounty(url, poster);
      assert.deepEqual([bounty.status, bounty.escrow_usd, bounty.fee_usd, bounty.order_id], ['open', '11.00', '1.00', null]);
      await claimBounty(url, bounty.id, loser);
      const claim = await claimBounty(url, bounty.id, winner);
      await untilHandled(poster, 'bounty_claimed');
      const [told] = await notificationsFor(poster);
      assert.deepEqual([told?.type, told?.link, told?.order_id], ['bounty_claimed', `/bounties/${bounty.id}`, null]);
      const order = await acceptClaim(market, bounty.id, claim, poster);
      assert.equal(await usdcOn(url, network, poster.address), '14.00');

      const { order: made, money } = await readOrder(url, order, poster);
      assert.deepEqual(
        [made.kind, made.bounty_id, made.service_id, made.max_revisions, made.turnaround_hours, made.quoted_price_usd, made.status],
        ['bounty', bounty.id, null, 3, 24, '10.00', 'paid'],
      );
      assert.equal(money.held_usd, '11.00');
      const accepted = await readBounty(url, bounty.id, poster);
      assert.deepEqual([accepted.status, accepted.order_id, accepted.winner_agent_id], ['claimed', order, winner.id]);
      assert.deepEqual(
        accepted.claims.map(({ status }: { status: string }) => status),
        ['rejected', 'accepted'],
      );
      await untilHandled(winner.owner, 'provider_bounty_won');
      await untilHandled(loser.owner, 'provider_bounty_lost');

      assert.equal((await deliver(url, order, winner)).status, 200);
      assert.equal((await act(url, order, poster, 'approve')).status, 200);
      const paid = await untilTransferred(url, order, poster, 'payout');
      assert.deepEqual([paid.released_usd, paid.fee_usd, paid.refunded_usd, paid.held_usd], ['10.00', '1.00', '0.00', '0.00']);
      assert.equal(await usdcOn(url, network, winner.owner.address), '10.00');
      const done = await readBounty(url, bounty.id);
      assert.deepEqual([done.status, done.earned_usd], ['completed', '10.00']);
      assert.equal(done.order_id, null, 'strangers do not see the order');
    });

    test(`M22: a bounty's order cancelled before delivery on ${network} gives all 110% back`, async () => {
      const provider = await openProvider(url, network);
      const poster = await openBuyer(market, network, 11_000_000n);
      const { id } = await postBounty(url, poster);
      const order = await acceptClaim(market, id, await claimBounty(url, id, provider), poster);
      assert.equal(await usdcOn(url, network, poster.address), '0.00');
      assert.equal((await act(url, order, poster, 'cancel')).status, 200);
      const money = await untilTransferred(url, order, poster, 'refund');
      assert.equal(money.refunded_usd, '11.00');
      assert.equal(await usdcOn(url, network, poster.address), '11.00');
      assert.equal((await readBounty(url, id)).status, 'cancelled');
    });
  }

  test('ids of bounty claims begin with bcl_, and a claim of an earlier version is accepted by its clm_ id', async () => {
    const provider = await openProvider(url);
    const poster = await openBuyer(market, 'base-mainnet', 11_000_000n);
    const { id } = await postBounty(url, poster);
    const claim = await claimBounty(url, id, provider);
    assert.match(claim, /^bcl_\d{13}_[0-9a-z]{9}$/);
    const earlier = claim.replace('bcl_', 'clm_');
    await market.database.pool.query('update bounty_claims set id = $1 where id = $2', [earlier, claim]);
    assert.equal((await readBounty(url, id, poster)).claims[0].claim_id, earlier);
    await acceptClaim(market, id, earlier, poster);
    assert.equal((await readBounty(url, id, poster)).accepted_claim_id, earlier);
  });

  test('M24: accept sent again with the same claim and transfer gives the same answer, and refunds nothing', async () => {
    const provider = await openProvider(url);
    const other = await openProvider(url);
    const poster = await openBuyer(market, 'base-mainnet', 30_000_000n);
    const { id } = await postBounty(url, poster);
    const [claim, lost] = [await claimBounty(url, id, provider), await claimBounty(url, id, other)];
    const reference = await payBounty(market, poster);
    const first = await tryAccept(url, id, claim, poster, reference);
    assert.equal(first.status, 200, JSON.stringify(first.body));
    const again = await tryAccept(url, id, claim, poster, reference.toUpperCase().replace('0X', '0x'));
    assert.deepEqual([again.status, again.body['data']], [200, first.body['data']]);
    const rival = await tryAccept(url, id, lost, poster, reference);
    assert.deepEqual([rival.status, rival.body['code']], [400, 'bounty_not_open']);
    // A second transfer for an accepted bounty stays unclaimed, and can pay for another one.
    const second = await payBounty(market, poster);
    const late = await tryAccept(url, id, lost, poster, second);
    assert.deepEqual([late.status, late.body['code']], [400, 'bounty_not_open']);
    const next = await postBounty(url, poster);
    const nextClaim = await claimBounty(url, next.id, provider);
    assert.equal((await tryAccept(url, next.id, nextClaim, poster, second)).status, 200);
    const stolen = await tryAccept(url, next.id, nextClaim, poster, reference);
    assert.deepEqual([stolen.status, stolen.body['code']], [409, 'payment_already_used']);
    const { rows } = await market.database.pool.query(`select 1 from payouts where destination = $1`, [poster.address]);
    assert.equal(rows.length, 0, 'nothing was sent back');
  });

  test('M02: a transfer that paid for a bounty pays for no order, nor the reverse', async () => {
    const provider = await openProvider(url);
    const poster = await openBuyer(market, 'base-mainnet', 30_000_000n);
    const { id } = await postBounty(url, poster);
    const reference = await payBounty(market, poster);
    assert.equal((await tryAccept(url, id, await claimBounty(url, id, provider), poster, reference)).status, 200);
    const listed = await call(url, `POST /api/agents/${provider.id}/services`, {
      headers: provider.headers,
      body: {
        category: 'custom',
        title: 'Careful reading',
        description: 'Reads a text twice and marks every slip.',
        price_usd: '11.00',
        price_type: 'fixed',
      },
    });
    const service = listed.body['data'].id;
    const place = async () =>
      (
        await call(url, 'POST /api/orders', {
          body: { service_id: service, brief: 'Read this page with care.', ...(await signed(poster)) },
        })
      ).body['data'].id;
    const paid = await act(url, await place(), poster, 'pay', { escrow_tx_hash: reference, payment_chain: 'base' });
    assert.deepEqual([paid.status, paid.body['code']], [409, 'payment_already_used']);
    const second = await payBounty(market, poster);
    assert.equal((await act(url, await place(), poster, 'pay', { escrow_tx_hash: second, payment_chain: 'base' })).status, 200);
    const next = await postBounty(url, poster);
    const refused = await tryAccept(url, next.id, await claimBounty(url, next.id, provider), poster, second);
    assert.deepEqual([refused.status, refused.body['code']], [409, 'payment_already_used']);
    // A used reference is the first reason for refusal.
    const gone = await postBounty(url, poster);
    const claim = await claimBounty(url, gone.id, provider);
    assert.equal((await withdrawClaim(url, gone.id, provider)).status, 200);
    const over = await postBounty(url, poster, { claim_window_hours: 6 });
    const late = await claimBounty(url, over.id, provider);
    await market.database.pool.query('update bounties set expires_at = market_now() where id = $1', [over.id]);
    for (const [bounty, named] of [
      [gone.id, claim],
      [gone.id, 'clm_1700000000000_k3v9x1q7a'],
      [over.id, late],
    ] as const) {
      const early = await tryAccept(url, bounty, named, poster, second);
      assert.deepEqual([early.status, early.body['code']], [409, 'payment_already_used']);
    }
  });

  test('M06: another wallet’s transfer accepts no bounty and is not used up', async () => {
    const provider = await openProvider(url);
    const [payer, thief] = [await openBuyer(market, 'base-mainnet', 20_000_000n), await openBuyer(market, 'base-mainnet', 20_000_000n)];
    const [mine, theirs] = [await postBounty(url, payer), await postBounty(url, thief)];
    const [myClaim, theirClaim] = [await claimBounty(url, mine.id, provider), await claimBounty(url, theirs.id, provider)];
    const reference = await payBounty(market, payer);
    for (const more of [{}, { client_wallet: payer.address, wallet: thief.address }]) {
      const stolen = await tryAccept(url, theirs.id, theirClaim, thief, reference, more);
      assert.deepEqual([stolen.status, stolen.body['code']], [403, 'payment_wrong_payer']);
    }
    const foreign = await tryAccept(url, mine.id, myClaim, thief, reference);
    assert.deepEqual([foreign.status, foreign.body['code']], [403, 'not_your_bounty']);
    assert.equal((await tryAccept(url, mine.id, myClaim, payer, reference)).status, 200);
  });

  test('an underpaid transfer accepts no bounty and is not used up; a surplus is named', async () => {
    const provider = await openProvider(url);
    const poster = await openBuyer(market, 'base-mainnet', 40_000_000n);
    const { id } = await postBounty(url, poster);
    const claim = await claimBounty(url, id, provider);
    const little = await payBounty(market, poster, 10_999_999n);
    const refused = await tryAccept(url, id, claim, poster, little);
    assert.deepEqual([refused.status, refused.body['code']], [400, 'payment_underpaid']);
    const accepted = await tryAccept(url, id, claim, poster, await payBounty(market, poster, 12_000_000n));
    assert.deepEqual([accepted.status, accepted.body['surplus']?.amount_usd], [200, '1.00']);
  });

  test('an operator refunds a transfer that came too late for a bounty, once', async () => {
    const provider = await openProvider(url);
    const poster = await openBuyer(market, 'base-mainnet', 22_000_000n);
    const { id } = await postBounty(url, poster);
    const claim = await claimBounty(url, id, provider);
    const used = await payBounty(market, poster);
    assert.equal((await tryAccept(url, id, claim, poster, used)).status, 200);
    const late = await payBounty(market, poster);
    assert.equal((await tryAccept(url, id, claim, poster, late)).status, 400);
    const key = await tokenFor(url, { email: 'ops@example.com', admin: true });
    const refund = async (tx_hash: string, more = {}) =>
      await call(url, `POST /api/admin/bounties/${id}/refund`, { key, body: { tx_hash, payer: poster.address, chain: 'base', ...more } });
    assert.deepEqual((await refund(used)).body['code'], 'payment_already_used', 'it bought an order');
    // Waits until the watcher has booked it and the chain has made it final.
    const settled = async (more: Record<string, unknown>) => {
      for (let look = 0; ; look++) {
        const reply = await refund(late, more);
        if (look === 100 || !['payment_not_final', 'payment_not_found'].includes(reply.body['code'])) return reply;
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    };
    const mistaken = await settled({ payer: provider.owner.address });
    assert.deepEqual([mistaken.status, mistaken.body['code']], [403, 'payment_wrong_payer']);
    assert.equal((await settled({ amount: '10.00' })).status, 400);
    const sent = await settled({ amount: '11.00' });
    assert.deepEqual([sent.status, sent.body['data']], [200, { bounty_id: id, chain: 'base', amount_usd: '11.00', refund_tx_hash: null }]);
    assert.deepEqual((await refund(late)).status, 409);
    const again = await tryAccept(url, id, claim, poster, late);
    assert.deepEqual([again.status, again.body['code']], [409, 'payment_already_used']);
  });

  test('a bounty follows its order into a dispute and out of it', async () => {
    const provider = await openProvider(url);
    const poster = await openBuyer(market, 'base-mainnet', 11_000_000n);
    const { id } = await postBounty(url, poster);
    const order = await acceptClaim(market, id, await claimBounty(url, id, provider), poster);
    assert.equal((await deliver(url, order, provider)).status, 200);
    assert.equal((await act(url, order, poster, 'dispute', { reason: 'Half of it is missing.' })).status, 200);
    assert.equal((await readBounty(url, id)).status, 'disputed');
    assert.equal((await act(url, order, poster, 'withdraw_dispute')).status, 200);
    assert.equal((await readBounty(url, id)).status, 'claimed');
    assert.equal((await act(url, order, poster, 'approve')).status, 200);
    assert.equal((await readBounty(url, id)).status, 'completed');
  });

  test('the order of a bounty works like any other: start, messages, revision, review, statement, lists', async () => {
    const provider = await openProvider(url);
    const poster = await openBuyer(market, 'base-mainnet', 11_000_000n);
    const { id } = await postBounty(url, poster);
    const order = await acceptClaim(market, id, await claimBounty(url, id, provider), poster);
    const ok = async (reply: ReturnType<typeof call>) => {
      const { status, body } = await reply;
      assert.ok(status === 200 || status === 201, JSON.stringify(body));
      return body;
    };
    await ok(call(url, `POST /api/orders/${order}/start`, { key: provider.key }));
    await ok(call(url, `POST /api/orders/${order}/messages`, { key: provider.key, body: { content: 'One question.' } }));
    await ok(deliver(url, order, provider));
    await ok(act(url, order, poster, 'revision', { feedback: 'The last page is missing.' }));
    await ok(deliver(url, order, provider));
    await ok(act(url, order, poster, 'approve'));
    await ok(call(url, `POST /api/orders/${order}/review`, { body: { rating: 5, comment: 'Well done.', ...(await signed(poster)) } }));
    const reviews = await ok(call(url, `GET /api/agents/${provider.id}/reviews`));
    assert.deepEqual([reviews['data'][0].order_id, reviews['data'][0].service_id], [order, null]);
    const statement = await ok(call(url, `GET /api/agents/${provider.id}/statement?order_id=${order}`, { key: provider.key }));
    assert.equal(statement['data'].lines.length > 0, true);
    const listed = await ok(call(url, `GET /api/agents/${provider.id}/orders`, { key: provider.key }));
    assert.deepEqual([listed['data'][0].order_id, listed['data'][0].kind], [order, 'bounty']);
    // Public figures follow with a delay; bounty.accepted counts the order, order.completed its end.
    for (let look = 0; ; look++) {
      const { rows } = await market.database.pool.query(
        'select total_orders, completed_orders, rating_count from agent_figures where agent_id = $1',
        [provider.id],
      );
      const figures = Object.values(rows[0]).join();
      if (figures === '1,1,1') break;
      assert.ok(look < 100, figures);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  });

  test('strangers do not see the name of a bounty’s winner that is hidden; poster and winner do', async () => {
    const provider = await openProvider(url);
    const poster = await openBuyer(market, 'base-mainnet', 11_000_000n);
    const { id } = await postBounty(url, poster);
    await acceptClaim(market, id, await claimBounty(url, id, provider), poster);
    const shown = async (who?: TestWallet) => {
      const { winner_agent_name, winner_agent_slug, winner_agent_avatar_url } = await readBounty(url, id, who);
      return [winner_agent_name, winner_agent_slug, winner_agent_avatar_url];
    };
    await market.database.pool.query(`update agents set avatar_url = 'https://example.com/face.png' where id = $1`, [provider.id]);
    const whole = await shown();
    assert.ok(
      whole.every((part) => typeof part === 'string'),
      whole.join(),
    );
    await market.database.pool.query(`update agents set moderation_status = 'spam' where id = $1`, [provider.id]);
    assert.deepEqual(await shown(), [null, null, null]);
    assert.deepEqual(await shown(baseWallet()), [null, null, null]);
    const { data } = (await call(url, 'GET /api/bounties?status=claimed')).body;
    assert.equal(data.find((row: { id: string }) => row.id === id).winner_agent_name, null);
    for (const who of [poster, provider.owner]) assert.deepEqual(await shown(who), whole);
  });

  test('an account posts, accepts and approves a bounty, and pays from another linked wallet', async () => {
    const provider = await openProvider(url);
    const [named, payer] = [await openBuyer(market, 'base-mainnet', 1_000_000n), await openBuyer(market, 'solana-mainnet', 11_000_000n)];
    const key = await tokenFor(url, { email: 'ines@example.com', name: 'Ines' });
    await call(url, 'POST /api/auth/user', { key });
    for (const wallet of [named, payer]) {
      assert.equal(
        (await call(url, 'POST /api/auth/wallets', { key, body: await agreed(url, wallet, { action: 'link_wallet' }, key) })).status,
        200,
      );
    }
    const posted = await call(url, 'POST /api/bounties', { key, body: { ...BOUNTY, client_wallet: named.address } });
    assert.equal(posted.status, 201, JSON.stringify(posted.body));
    const { id } = posted.body['data'];
    const body = {
      claim_id: await claimBounty(url, id, provider),
      client_wallet: payer.address,
      escrow_tx_hash: await payBounty(market, payer),
    };
    const accepted = await call(url, `POST /api/bounties/${id}/accept`, { key, body });
    assert.equal(accepted.status, 200, JSON.stringify(accepted.body));
    const order = accepted.body['data'].order_id;
    assert.equal((await deliver(url, order, provider)).status, 200);
    assert.equal((await call(url, `PATCH /api/orders/${order}`, { key, body: { action: 'approve' } })).status, 200);
    const view = (await call(url, `GET /api/bounties/${id}`, { key })).body['data'];
    assert.deepEqual([view.status, view.payer_address, view.payment_chain], ['completed', payer.address, 'solana']);
  });

  test('M17: the poster’s own agent may win a bounty, and the order does not count in public figures', async () => {
    const poster = await openBuyer(market, 'base-mainnet', 11_000_000n);
    const own = await openProvider(url, 'base-mainnet', poster);
    const { id } = await postBounty(url, poster);
    const order = await acceptClaim(market, id, await claimBounty(url, id, own), poster);
    assert.equal((await readOrder(url, order, poster)).order.related_party, 1);
  });

  test('E37: a withdrawn claim can be made again; a cancelled bounty rejects its claims and notifies everybody', async () => {
    const provider = await openProvider(url);
    const poster = await openBuyer(market, 'base-mainnet', 1_000_000n);
    const { id } = await postBounty(url, poster);
    const claim = await claimBounty(url, id, provider);
    assert.equal((await tryClaim(url, id, provider)).status, 409);
    assert.deepEqual((await withdrawClaim(url, id, provider)).body['data'], { bounty_id: id, status: 'withdrawn' });
    assert.equal((await withdrawClaim(url, id, provider)).status, 200, 'nothing to withdraw');
    assert.equal((await readBounty(url, id)).claims_count, 0);
    assert.equal(await claimBounty(url, id, provider), claim);
    assert.equal((await readBounty(url, id)).claims_count, 1);
    const cancelled = await cancelBounty(url, id, poster);
    assert.deepEqual(cancelled.body['data'], { id, bounty_id: id, status: 'cancelled' });
    assert.deepEqual((await cancelBounty(url, id, poster)).body['code'], 'bounty_not_open');
    assert.equal((await readBounty(url, id, poster)).claims[0].status, 'rejected');
    for (const type of ['bounty_claim_withdrawn', 'bounty_cancelled']) await untilHandled(poster, type);
    await untilHandled(provider.owner, 'provider_bounty_cancelled');
  });

  test('a bounty expires after its open days; a late claim or accept changes nothing', async () => {
    const provider = await openProvider(url);
    const poster = await openBuyer(market, 'base-mainnet', 11_000_000n);
    const { id } = await postBounty(url, poster, { open_days: 1, claim_window_hours: 168 });
    const claim = await claimBounty(url, id, provider);
    const reference = await payBounty(market, poster);
    await advanceClock(url, ONE_DAY_SECONDS);
    await untilBounty(url, id, 'expired');
    const late = await tryAccept(url, id, claim, poster, reference);
    assert.deepEqual([late.status, late.body['code']], [400, 'bounty_not_open']);
    assert.equal((await tryClaim(url, id, await openProvider(url))).status, 400);
    assert.equal((await readBounty(url, id, poster)).claims[0].status, 'rejected');
    await untilHandled(poster, 'bounty_expired');
    await untilHandled(provider.owner, 'provider_bounty_expired');
  });

  test('an accepted bounty that nobody delivers is cancelled and refunded after its deadline and the grace', async () => {
    const provider = await openProvider(url);
    const poster = await openBuyer(market, 'base-mainnet', 11_000_000n);
    const { id } = await postBounty(url, poster, { deadline_hours: 1 });
    const order = await acceptClaim(market, id, await claimBounty(url, id, provider), poster);
    await advanceClock(url, ONE_DAY_SECONDS + 3600);
    await untilBounty(url, id, 'cancelled');
    await untilTransferred(url, order, poster, 'refund');
    assert.equal(await usdcOn(url, 'base-mainnet', poster.address), '11.00');
  });

  test('the books are sound after the bounties', async () => {
    await requireSoundBooks(market);
  });
});
