/** kill -9 while a stake is paid or returned: nothing of the step is written, and the next attempt does it once. */
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { accept, endWindowWithin, openPoster, type Poster, readTraces, sendCosts } from '../bounties/many-bounties.ts';
import {
  endDelivery,
  type FundedStaker,
  nextTransfer,
  openFundedStakers,
  openStakedBounty,
  readStakes,
  STAKE_MICROS,
  STAKED,
} from '../bounties/many-stakes.ts';
import { cancelBounty, postBounty, withdrawClaim } from '../harness/bounties.ts';
import { untilHandled } from '../harness/events.ts';
import type { Reply } from '../harness/http.ts';
import type { ServerProcess, Settings } from '../harness/market.ts';
import { tryClaimWith } from '../harness/stakes.ts';
import { isThorough, THOROUGH_ONLY, times } from '../harness/thoroughness.ts';
import { requireSound, until } from '../money/money.ts';
import { openSharedMoney, type SharedMoney } from '../money/shared-money.ts';
import { forgetLeases, hasEnded } from './crash-lab.ts';
import { pointsToDieAt, STAKE_POINTS } from './crash-points.ts';

const HELD = Number(STAKE_MICROS);

suite('a process that crashes while a stake moves', () => {
  let shared: SharedMoney;
  let desk: ServerProcess;
  let poster: Poster;
  let agents: [FundedStaker, FundedStaker];
  before(async () => {
    shared = await openSharedMoney({ hosted: true });
    // Serves requests without jobs, so that only the process under test reaches the crash points.
    desk = await shared.startServer({ JOBS: 'off' });
    poster = await openPoster(shared);
    agents = (await openFundedStakers(shared, desk.url, 2, times(4, 20))) as [FundedStaker, FundedStaker];
  });
  after(() => shared.close());

  async function startDoomed(point: string, settings: Settings): Promise<ServerProcess | undefined> {
    return await shared.startServer({ CRASH_AT: point, ...settings }).catch((error: Error) => {
      assert.match(error.message, /ended with null before it was ready/, point);
      return undefined;
    });
  }

  const everything = async (id: string) => ({ ...(await readTraces(shared, id)), ...(await readStakes(shared, id)) });

  /** The command dies at the crash point, leaves no trace, and succeeds at another process, where it may be repeated. */
  async function dieOver(id: string, point: string, status: number, give: (url: string) => Promise<Reply>): Promise<void> {
    const before = await everything(id);
    const doomed = await startDoomed(point, { JOBS: 'off' });
    assert.ok(doomed, point);
    const answer = await give(doomed.url).catch((error: unknown) => error);
    assert.ok(answer instanceof TypeError, `${point}: there was an answer: ${JSON.stringify(answer)}`);
    await until(`${point}: death`, async () => (hasEnded(doomed) ? true : undefined));
    assert.equal(doomed.child.signalCode, 'SIGKILL', `${point}: ${doomed.log()}`);
    assert.deepEqual(await everything(id), before, point);
    const again = await give(desk.url);
    assert.equal(again.status, status, `${point}: ${JSON.stringify(again.body)}`);
  }

  for (const point of pointsToDieAt(STAKE_POINTS.claim, ['claim.before_commit'])) {
    test(`a crash at ${point} of a claim with a stake writes nothing, and a retry takes the stake once`, async () => {
      const { id } = await postBounty(desk.url, poster, STAKED);
      const [agent] = agents;
      const transfer = nextTransfer(agent);
      await dieOver(id, point, 201, (url) => tryClaimWith(url, id, agent, transfer));
      assert.equal((await tryClaimWith(desk.url, id, agent, transfer)).status, 201);
      assert.deepEqual(await readStakes(shared, id), { stakes: 'pending held', held: HELD, payouts: 0, announced: 0 });
    });
  }

  for (const point of STAKE_POINTS.end) {
    test(`a crash at ${point} of an accept makes no order and returns no stake, and a retry returns the other claim’s stake once`, async () => {
      const bounty = await openStakedBounty(desk.url, poster, agents);
      const [reference = ''] = await sendCosts(shared, poster, 1);
      await dieOver(bounty.id, point, 200, (url) => accept(url, bounty, 0, poster, reference));
      assert.equal((await accept(desk.url, bounty, 0, poster, reference)).status, 200);
      const after = await readStakes(shared, bounty.id);
      assert.deepEqual(after, { stakes: 'accepted held,rejected returned', held: HELD, payouts: 1, announced: 1 });
    });

    test(`withdraw with a crash at ${point}: a retry returns the claim’s stake once`, { skip: !isThorough && THOROUGH_ONLY }, async () => {
      const [agent] = agents;
      const { id } = await openStakedBounty(desk.url, poster, [agent]);
      await dieOver(id, point, 200, (url) => withdrawClaim(url, id, agent));
      assert.equal((await withdrawClaim(desk.url, id, agent)).status, 200);
      assert.deepEqual(await readStakes(shared, id), { stakes: 'withdrawn returned', held: 0, payouts: 1, announced: 1 });
    });

    test(`a crash at ${point} of a cancellation leaves the bounty open, and a retry returns every stake once`, {
      skip: !isThorough && THOROUGH_ONLY,
    }, async () => {
      const { id } = await openStakedBounty(desk.url, poster, agents);
      await dieOver(id, point, 200, (url) => cancelBounty(url, id, poster));
      assert.deepEqual(await readStakes(shared, id), { stakes: 'rejected returned,rejected returned', held: 0, payouts: 2, announced: 2 });
    });
  }

  test('after crashes at the expiry of a bounty or an order stakes stay held until the next process ends them once', {
    skip: !isThorough && THOROUGH_ONLY,
  }, async () => {
    const lapsed = await openStakedBounty(desk.url, poster, agents);
    const late = await openStakedBounty(desk.url, poster, agents.slice(0, 1));
    const [reference = ''] = await sendCosts(shared, poster, 1);
    assert.equal((await accept(desk.url, late, 0, poster, reference)).status, 200);
    // Followers of what happened so far may still add jobs.
    const earlier = await shared.startServer();
    await untilHandled(shared.database.pool);
    await earlier.kill('SIGTERM');
    for (const [id, end] of [
      [lapsed.id, () => endWindowWithin(shared, 0, lapsed.id)],
      [late.id, () => endDelivery(shared, late.id)],
    ] as const) {
      const before = await everything(id);
      await end();
      for (const point of STAKE_POINTS.end) {
        const doomed = await startDoomed(point, {});
        if (doomed !== undefined) await until(`death at ${point}`, async () => (hasEnded(doomed) ? true : undefined));
        assert.deepEqual(await everything(id), before, point);
        await forgetLeases(shared);
      }
      const calm = await shared.startServer();
      await until('the end of its stakes', async () => ((await readStakes(shared, id))['held'] === 0 ? true : undefined));
      await untilHandled(shared.database.pool);
      await calm.kill('SIGTERM');
    }
    const told = { held: 0, payouts: 2, announced: 2 };
    assert.deepEqual(await readStakes(shared, lapsed.id), { stakes: 'rejected returned,rejected returned', ...told });
    assert.deepEqual(await readStakes(shared, late.id), { stakes: 'accepted forfeited', held: 0, payouts: 1, announced: 1 });
    const { rows } = await shared.database.pool.query(
      'select p.destination from payouts p join bounty_stakes s on s.id = p.subject_id join bounty_claims c on c.id = s.claim_id where c.bounty_id = $1',
      [late.id],
    );
    assert.deepEqual(rows, [{ destination: poster.address }]);
  });

  test('the books are sound after crashes with stakes, and every returned stake arrived once', async () => {
    await shared.startServer();
    await until('all payouts', async () => {
      const { rowCount } = await shared.database.pool.query(`select 1 from payouts where state <> 'confirmed' limit 1`);
      return rowCount === 0 ? true : undefined;
    });
    await requireSound(shared.money);
  });
});
