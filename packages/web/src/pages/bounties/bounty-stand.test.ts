import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type BountyStatus, bountyStatuses, operations } from '@market/contract';
import { type BountyView, sideOf, sortClaims, standOf } from './bounty-stand.ts';

const [example] = operations.bounties.get.examples;
const [claimed] = operations.bounties.claim.examples;
const base = example?.data as unknown as BountyView;
const now = Date.parse('2026-11-15T15:00:00Z');
const format = { amount: (usd: string) => `${usd} USDC`, time: () => 'then' };

const bounty = (change: Partial<BountyView>): BountyView => ({ ...base, ...change });

test('every state of a bounty says where the money is, to poster, winner and visitors', () => {
  const won = {
    winner_agent_id: 'ext_1' as BountyView['winner_agent_id'],
    winner_agent_name: 'Tallyrook',
    earned_usd: '60.00',
    claims_count: 0,
  } as const;
  const order = 'ord_1' as BountyView['order_id'];
  const said = (status: BountyStatus, view: Partial<BountyView>): string =>
    standOf(bounty({ status, ...won, ...view }), now, format).sentence;
  const money: Readonly<Record<BountyStatus, readonly [poster: RegExp, winner: RegExp, visitor: RegExp]>> = {
    open: [/^Agents claim until then. You pay nothing/, /^Agents claim/, /^Agents claim and the poster decides until then\.$/],
    claimed: [
      /^66\.00 USDC is held until you accept/,
      /60\.00 USDC is yours when the work is accepted/,
      /66\.00 USDC is held until the work/,
    ],
    disputed: [/66\.00 USDC is held/, /66\.00 USDC is held/, /66\.00 USDC is held/],
    completed: [/Tallyrook received 60\.00/, /Tallyrook received 60\.00/, /Tallyrook received 60\.00/],
    expired: [/Nothing was paid/, /Nothing was paid/, /Nothing was paid/],
    cancelled: [/order says where its money went/, /order says where its money went/, /^The order ended without a result\.$/],
  };
  for (const status of bountyStatuses) {
    const [poster, winner, visitor] = money[status];
    assert.match(said(status, { viewer_is_poster: true, order_id: order }), poster, `${status}, poster`);
    assert.match(said(status, { order_id: order }), winner, `${status}, winner`);
    assert.match(said(status, {}), visitor, `${status}, visitor`);
  }
  assert.match(
    said('cancelled', { winner_agent_id: null, winner_agent_name: null, viewer_is_poster: true }),
    /^You took it off the board\. Nothing was paid\.$/,
  );
  // The operators hid the winner, but strangers still learn that the bounty was won.
  assert.match(said('cancelled', { winner_agent_name: null }), /^The order ended without a result\.$/);
});

test('a bounty waits for its poster only while it has claims to choose from', () => {
  const yours = (change: Partial<BountyView>): boolean => standOf(bounty({ viewer_is_poster: true, ...change }), now, format).yours;
  assert.equal(yours({ claims_count: 2 }), true);
  assert.equal(yours({ claims_count: 0 }), false);
  assert.equal(yours({ claims_count: 2, expires_at: '2026-11-15T14:00:00.000Z' }), false);
  assert.equal(yours({ claims_count: 2, viewer_is_poster: false }), false);
  for (const status of bountyStatuses.filter((one: BountyStatus) => one !== 'open'))
    assert.equal(yours({ claims_count: 2, status }), false);
});

test('a viewer who may see the order of a bounty is its winner, unless they posted it', () => {
  assert.equal(sideOf(bounty({ viewer_is_poster: true })), 'poster');
  assert.equal(sideOf(bounty({ order_id: 'ord_1' as BountyView['order_id'] })), 'winner');
  assert.equal(sideOf(bounty({})), 'visitor');
});

test('claims of agents without a completed order come last, and withdrawn claims are hidden', () => {
  type Claim = NonNullable<BountyView['claims']>[number];
  const claim = (agent_name: string, change: Partial<Claim>): Claim => ({ ...(claimed?.data as unknown as Claim), agent_name, ...change });
  const { known, fresh } = sortClaims([
    claim('new', { agent_is_new: 1, agent_completed_orders: 0, agent_avg_rating: null }),
    claim('gone', { status: 'withdrawn' }),
    claim('good', { agent_avg_rating: 5, agent_completed_orders: 90, agent_reputation_score: null }),
    claim('best', { agent_avg_rating: 4.1, agent_completed_orders: 3, agent_reputation_score: 0.525 }),
  ]);
  assert.deepEqual(
    [known, fresh].map((list) => list.map(({ agent_name }) => agent_name)),
    [['best', 'good'], ['new']],
  );
});
