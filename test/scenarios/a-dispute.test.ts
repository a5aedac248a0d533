/** Disputes from the opening to the last transfer on chain, with every possible ruling. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type NetworkName, parseUsd } from '@market/contract';
import { runAudit } from '../../packages/server/src/features/audit/index.ts';
import { acceptClaim, claimBounty, postBounty } from '../harness/bounties.ts';
import {
  DISPUTE_REASON,
  disputeOrder,
  headersOf,
  type Opponents,
  openOpponents,
  RULING_REASON,
  readDispute,
  rule,
  stateCase,
} from '../harness/disputes.ts';
import { call } from '../harness/http.ts';
import { openMarket, type TestMarket, withOwnChains } from '../harness/market.ts';
import { act, advanceClock, deliver, readOrder, untilStatus } from '../harness/orders.ts';
import { some } from '../harness/thoroughness.ts';
import { until } from '../money/money.ts';

interface Ruled {
  readonly of?: 'bounty';
  readonly ruling: string;
  readonly refund_usd?: string;
  readonly status: string;
  readonly provider: string;
  readonly buyer: string;
  readonly fee: bigint;
  readonly state: string;
  readonly revenue: string;
}

/** The division of a price of 10.00. The escrow of a bounty is 11.00, because its fee is added. */
const rulings: readonly Ruled[] = [
  { ruling: 'release', status: 'completed', provider: '9.00', buyer: '0.00', fee: 1_000_000n, state: 'released', revenue: '10.00' },
  { ruling: 'refund', status: 'cancelled', provider: '0.00', buyer: '10.00', fee: 0n, state: 'refunded', revenue: '0.00' },
  {
    ruling: 'split',
    refund_usd: '4.00',
    status: 'completed',
    provider: '5.40',
    buyer: '4.00',
    fee: 600_000n,
    state: 'split',
    revenue: '6.00',
  },
  {
    of: 'bounty',
    ruling: 'split',
    refund_usd: '1.00',
    status: 'completed',
    provider: '9.090909',
    buyer: '1.00',
    fee: 909_091n,
    state: 'split',
    revenue: '9.090909',
  },
];

const networks = some<NetworkName>(['base-mainnet', 'solana-mainnet'], 1);

describe('a dispute', () => {
  let market: TestMarket;
  before(async () => {
    market = await openMarket(withOwnChains);
  });
  after(() => market.close());

  const balanceOf = async (network: NetworkName, address: string): Promise<bigint> =>
    (await market.chains.get(network)?.readBalances(address))?.usdcMicros ?? -1n;

  for (const network of networks) {
    for (const { of, ruling, status, provider: released, buyer: refunded, fee, state, revenue, ...more } of rulings) {
      test(`a dispute ${of === undefined ? '' : `of a ${of} `}ruled ${ruling} on ${network}: both sides make statements, the money moves once on chain, both read the reason`, async () => {
        const { url } = market;
        const opponents = await openOpponents(market, network);
        const { buyer, provider, admin } = opponents;
        const order = of === undefined ? await disputeOrder(url, opponents) : await disputeBounty(opponents);
        assert.equal((await stateCase(url, order, await headersOf(buyer), { statement: 'Pages 2 and 4 are missing.' })).status, 200);
        assert.equal((await stateCase(url, order, provider.headers, { statement: 'They were empty in the original.' })).status, 200);
        const paid = await balanceOf(network, buyer.address);

        const ruled = await rule(url, order, admin, { ruling, ...more });
        assert.equal(ruled.status, 200, JSON.stringify(ruled.body));
        const view = await until('the transfers', async () => {
          const seen = await readOrder(url, order, buyer);
          const transfers = [seen.money.payout, seen.money.refund].filter((transfer) => transfer !== null);
          return transfers.every((transfer) => transfer.state === 'confirmed') ? seen : undefined;
        });

        assert.equal(view.order.status, status);
        assert.deepEqual(
          [view.money.state, view.money.held_usd, view.money.released_usd, view.money.refunded_usd],
          [state, '0.00', released, refunded],
        );
        assert.equal(await balanceOf(network, provider.owner.address), micros(released));
        assert.equal((await balanceOf(network, buyer.address)) - paid, micros(refunded));
        assert.equal(await feeOf(order), fee);
        assert.deepEqual(await untilRevenue(provider.id, revenue), [revenue, revenue]);
        for (const headers of [await headersOf(buyer), provider.headers]) {
          const { dispute, statements, may_state } = (await readDispute(url, order, headers)).body['data'];
          assert.deepEqual(
            [dispute.state, dispute.ruling, dispute.ruling_reason, dispute.refund_usd, may_state],
            ['ruled', ruling, RULING_REASON, refunded, false],
          );
          assert.deepEqual(
            statements.map((said: { side: string }) => said.side),
            ['buyer', 'provider'],
          );
        }
        assert.deepEqual(
          view.timeline.slice(-2).map((step: { action: string; by: string; note: string }) => [step.action, step.by, step.note]),
          [
            ['dispute', 'buyer', DISPUTE_REASON],
            [`rule_${ruling}`, 'admin', RULING_REASON],
          ],
        );
      });
    }
  }

  /** A bounty accepted for 10.00 and the added fee, delivered and disputed. */
  async function disputeBounty({ buyer, provider }: Opponents): Promise<string> {
    const { url } = market;
    const { id } = await postBounty(url, buyer);
    const order = await acceptClaim(market, id, await claimBounty(url, id, provider), buyer);
    assert.equal((await deliver(url, order, provider)).status, 200);
    assert.equal((await act(url, order, buyer, 'dispute', { reason: DISPUTE_REASON })).status, 200);
    return order;
  }

  /** The agent's revenue in total and of this week, once the order is counted. */
  async function untilRevenue(agentId: string, awaited: string): Promise<readonly string[]> {
    const look = async () => {
      const { data } = (await call(market.url, 'GET /api/leaderboard/agents')).body;
      const agent = data.find((row: { id: string }) => row.id === agentId);
      return [agent.total_revenue, agent.weekly_revenue];
    };
    return await until(
      'the figures',
      async () => {
        const seen = await look();
        return seen[0] === awaited ? seen : undefined;
      },
      5,
    ).catch(look);
  }

  async function feeOf(order: string): Promise<bigint> {
    const { rows } = await market.database.pool.query('select fee_micros from settlements where order_id = $1', [order]);
    return rows[0].fee_micros;
  }

  test('a withdrawn dispute leaves the buyer at least a day for review, then the provider is paid automatically', async () => {
    const { url } = market;
    const opponents = await openOpponents(market);
    const order = await disputeOrder(url, opponents);
    await advanceClock(url, 60 * 3600);
    assert.equal((await readOrder(url, order, opponents.buyer)).order.status, 'disputed', 'a dispute stops the clock');
    assert.equal((await act(url, order, opponents.buyer, 'withdraw_dispute')).status, 200);
    const withdrawn = (await readDispute(url, order, opponents.provider.headers)).body['data'].dispute;
    assert.deepEqual([withdrawn.state, withdrawn.ruling], ['withdrawn', null]);
    await advanceClock(url, 24 * 3600 + 1);
    await untilStatus(url, order, opponents.buyer, 'completed');
  });

  test('a dispute ended by the provider’s refund returns the whole price, and cannot be ruled', async () => {
    const { url } = market;
    const opponents = await openOpponents(market);
    const { buyer, provider, admin } = opponents;
    const order = await disputeOrder(url, opponents);
    const refunded = await call(url, `PATCH /api/orders/${order}`, {
      headers: provider.headers,
      body: { action: 'refund', reason: 'Sorry.' },
    });
    assert.equal(refunded.status, 200, JSON.stringify(refunded.body));
    const { dispute, money } = (await readDispute(url, order, await headersOf(buyer))).body['data'];
    assert.deepEqual([dispute.state, money.refunded_usd], ['refunded', '10.00']);
    const late = await rule(url, order, admin, { ruling: 'release' });
    assert.deepEqual([late.status, late.body['code']], [400, 'illegal_transition']);
  });

  test('a dispute opened by the system after a revision was not delivered in 7 days is ruled like any other', async () => {
    const { url } = market;
    const opponents = await openOpponents(market);
    const { buyer, admin } = opponents;
    const order = await disputeOrder(url, opponents);
    assert.equal((await act(url, order, buyer, 'withdraw_dispute')).status, 200);
    assert.equal((await act(url, order, buyer, 'revision', { feedback: 'Add the missing pages.' })).status, 200);
    await advanceClock(url, 7 * 24 * 3600 + 1);
    await untilStatus(url, order, buyer, 'disputed');
    const { dispute, may_state } = (await readDispute(url, order, await headersOf(buyer))).body['data'];
    assert.deepEqual([dispute.opened_by, dispute.state, may_state], ['system', 'open', true]);
    assert.equal((await rule(url, order, admin, { ruling: 'refund' })).status, 200);
  });

  test('the books are sound after disputes', async () => {
    const audit = async () => (await runAudit(market.database, market.chains)).findings;
    await until('a clean audit', async () => ((await audit()).length === 0 ? true : undefined), 30).catch(async () => {
      assert.deepEqual(await audit(), []);
    });
  });
});

function micros(usd: string): bigint {
  return parseUsd(usd) ?? -1n;
}
