/** Claims with stakes, acceptance and withdrawal in parallel through two server processes: every stake has exactly one outcome. */
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { cancelBounty, postBounty, withdrawClaim } from '../harness/bounties.ts';
import type { Reply } from '../harness/http.ts';
import { tryClaimWith } from '../harness/stakes.ts';
import { times } from '../harness/thoroughness.ts';
import { requireSound } from '../money/money.ts';
import { openSharedMoney, type SharedMoney } from '../money/shared-money.ts';
import { accept, openPoster, type Poster, sendCosts } from './many-bounties.ts';
import { type FundedStaker, nextTransfer, openFundedStakers, openStakedBounty, readStakes, STAKE_MICROS, STAKED } from './many-stakes.ts';

const ROUNDS = times(5, 16);
const TRANSFER_ROUNDS = times(3, 10);
const AGENTS = 3;

suite('stakes in two processes', () => {
  let shared: SharedMoney;
  let urls: readonly [string, string];
  let poster: Poster;
  let agents: FundedStaker[];
  before(async () => {
    shared = await openSharedMoney();
    const [one, two] = await Promise.all([shared.startServer(), shared.startServer()]);
    urls = [one.url, two.url];
    poster = await openPoster(shared);
    agents = await openFundedStakers(shared, one.url, AGENTS, ROUNDS * 3);
  });
  after(() => shared.close());

  const either = (n: number) => urls[n % 2] ?? '';
  const codeOf = ({ status, body }: Reply) => (status < 300 ? String(status) : `${status} ${body['code']}`);

  test(`R06: after accept and withdrawal of the winner at once its stake is held or returned, never both; ${ROUNDS} rounds`, async () => {
    const references = await sendCosts(shared, poster, ROUNDS);
    for (const [round, reference] of references.entries()) {
      const bounty = await openStakedBounty(either(round), poster, agents);
      const [accepted, left] = await Promise.all([
        accept(either(round), bounty, 0, poster, reference),
        withdrawClaim(either(round + 1), bounty.id, agents[0] as FundedStaker),
      ]);
      const what = `round ${round}: ${codeOf(accepted)}, ${codeOf(left)}`;
      const { stakes, held, payouts, announced } = await readStakes(shared, bounty.id);
      if (accepted.status === 200) {
        assert.equal(codeOf(left), '400 claim_accepted', what);
        assert.equal(stakes, 'accepted held,rejected returned,rejected returned', what);
        assert.deepEqual([held, payouts, announced], [Number(STAKE_MICROS), AGENTS - 1, AGENTS - 1], what);
      } else {
        assert.deepEqual([codeOf(accepted), codeOf(left)], ['400 claim_not_pending', '200'], what);
        assert.equal(stakes, 'pending held,pending held,withdrawn returned', what);
        assert.deepEqual([held, payouts, announced], [Number(STAKE_MICROS) * 2, 1, 1], what);
      }
    }
  });

  test(`R07, M02: one transfer for two bounties, or two transfers for one claim, at once make one claim each; ${TRANSFER_ROUNDS} rounds`, async () => {
    const [agent] = agents;
    assert.ok(agent);
    for (let round = 0; round < TRANSFER_ROUNDS; round++) {
      const [one, two] = [await postBounty(urls[0], poster, STAKED), await postBounty(urls[1], poster, STAKED)];
      const transfer = nextTransfer(agent);
      const replies: Reply[] = await Promise.all([one, two].map(({ id }, n) => tryClaimWith(either(round + n), id, agent, transfer)));
      assert.deepEqual(replies.map(codeOf).sort(), ['201', '409 payment_already_used']);
      const free = replies[0]?.status === 201 ? two : one;
      const [first, second]: [string, string] = [nextTransfer(agent), nextTransfer(agent)];
      const rivals: Reply[] = await Promise.all([first, second].map((one, n) => tryClaimWith(either(round + n), free.id, agent, one)));
      assert.deepEqual(rivals.map(codeOf).sort(), ['201', '409 claim_exists']);
      assert.equal((await readStakes(shared, free.id))['stakes'], 'pending held');
      agent.transfers.push(rivals[0]?.status === 201 ? second : first);
      for (const { id } of [one, two]) assert.equal((await cancelBounty(either(round), id, poster)).status, 200);
    }
  });

  test('the books are sound after races for stakes', async () => {
    await requireSound(shared.money);
  });
});
