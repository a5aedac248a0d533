/** kill -9 during commands of a bounty: nothing of it is written, and a retry runs the command once. */
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import {
  accept,
  endWindowWithin,
  openAgents,
  openBounty,
  openPoster,
  type Poster,
  readTraces,
  sendCosts,
} from '../bounties/many-bounties.ts';
import { cancelBounty, postBounty } from '../harness/bounties.ts';
import { openAdmin } from '../harness/disputes.ts';
import { call, type Reply } from '../harness/http.ts';
import type { ServerProcess, Settings } from '../harness/market.ts';
import type { Provider } from '../harness/orders.ts';
import { isThorough, THOROUGH_ONLY } from '../harness/thoroughness.ts';
import { requireSound, until } from '../money/money.ts';
import { openSharedMoney, type SharedMoney } from '../money/shared-money.ts';
import { forgetLeases, hasEnded } from './crash-lab.ts';
import { BOUNTY_POINTS, pointsToDieAt } from './crash-points.ts';

suite('a process that crashes during a command of a bounty', () => {
  let shared: SharedMoney;
  let desk: ServerProcess;
  let poster: Poster;
  let agents: Provider[];
  before(async () => {
    shared = await openSharedMoney({ hosted: true });
    // Serves requests without jobs, so that only the process under test reaches the crash points.
    desk = await shared.startServer({ JOBS: 'off' });
    poster = await openPoster(shared);
    agents = await openAgents(desk.url, 3);
  });
  after(() => shared.close());

  async function startDoomed(point: string, settings: Settings): Promise<ServerProcess | undefined> {
    return await shared.startServer({ CRASH_AT: point, ...settings }).catch((error: Error) => {
      assert.match(error.message, /ended with null before it was ready/, point);
      return undefined;
    });
  }

  /** The command dies at the crash point, leaves no trace, and succeeds at another process. */
  async function dieOver(id: string, point: string, give: (url: string) => Promise<Reply>): Promise<void> {
    const before = await readTraces(shared, id);
    const doomed = await startDoomed(point, { JOBS: 'off' });
    assert.ok(doomed, point);
    const answer = await give(doomed.url).catch((error: unknown) => error);
    assert.ok(answer instanceof TypeError, `${point}: there was an answer: ${JSON.stringify(answer)}`);
    await until(`${point}: death`, async () => (hasEnded(doomed) ? true : undefined));
    assert.equal(doomed.child.signalCode, 'SIGKILL', `${point}: ${doomed.log()}`);
    assert.deepEqual(await readTraces(shared, id), before, point);
    const again = await give(desk.url);
    assert.equal(again.status, 200, `${point}: ${JSON.stringify(again.body)}`);
  }

  for (const point of pointsToDieAt(BOUNTY_POINTS.post, [])) {
    test(`a crash at ${point} while a bounty is posted writes nothing, and a retry posts one bounty`, async () => {
      const count = async () => (await shared.database.pool.query('select count(*)::int as count from bounties')).rows[0].count;
      const before = await count();
      const doomed = await startDoomed(point, { JOBS: 'off' });
      assert.ok(doomed, point);
      await assert.rejects(postBounty(doomed.url, poster), TypeError);
      await until(`${point}: death`, async () => (hasEnded(doomed) ? true : undefined));
      assert.equal(await count(), before);
      await postBounty(desk.url, poster);
      assert.equal(await count(), before + 1);
    });
  }

  for (const point of pointsToDieAt(BOUNTY_POINTS.accept, ['claim.before_commit'])) {
    test(`a crash at ${point} while a claim is accepted writes nothing, and a retry makes one order`, async () => {
      const bounty = await openBounty(desk.url, poster, agents);
      const [reference = ''] = await sendCosts(shared, poster, 1);
      await dieOver(bounty.id, point, (url) => accept(url, bounty, 1, poster, reference));
      const { orders, payments, steps, claims, held } = await readTraces(shared, bounty.id);
      assert.deepEqual([orders, payments, steps, claims, held], [1, 1, 1, 'accepted,rejected,rejected', 1_100_000]);
    });
  }

  for (const point of pointsToDieAt(BOUNTY_POINTS.cancel, [])) {
    test(`a crash at ${point} while a bounty is cancelled leaves it open, and a retry cancels it`, async () => {
      const bounty = await openBounty(desk.url, poster, agents);
      await dieOver(bounty.id, point, (url) => cancelBounty(url, bounty.id, poster));
      const { status, claims } = await readTraces(shared, bounty.id);
      assert.deepEqual([status, claims], ['cancelled', 'rejected,rejected,rejected']);
    });
  }

  for (const point of pointsToDieAt(BOUNTY_POINTS.refund, ['queue.before_commit'])) {
    test(`a crash at ${point} while a bounty’s transfer is refunded sends nothing, and a retry sends it back once`, async () => {
      const { id } = await openBounty(desk.url, poster, []);
      const [reference = ''] = await sendCosts(shared, poster, 1);
      const body = { tx_hash: reference, payer: poster.address, chain: 'base' };
      // The refused accept books the transfer.
      const other = await openBounty(desk.url, poster, agents.slice(0, 1), { budget_usd: '5.00' });
      assert.equal((await accept(desk.url, other, 0, poster, reference)).body['code'], 'payment_underpaid');
      const refund = async (url: string) => await call(url, `POST /api/admin/bounties/${id}/refund`, { key: await openAdmin(url), body });
      await dieOver(id, point, refund);
      const repeated = await refund(desk.url);
      assert.equal(repeated.status, 409);
      const { rows } = await shared.database.pool.query(`select 1 from payouts where purpose = 'refund' and subject_id like '%' || $1`, [
        reference,
      ]);
      assert.equal(rows.length, 1);
    });
  }

  test('a due bounty stays due after a crash, and the next process ends it once', { skip: !isThorough && THOROUGH_ONLY }, async () => {
    const { id } = await openBounty(desk.url, poster, agents);
    await endWindowWithin(shared, 0, id);
    for (const point of BOUNTY_POINTS.expire) {
      const doomed = await startDoomed(point, {});
      if (doomed !== undefined) await until(`death at ${point}`, async () => (hasEnded(doomed) ? true : undefined));
      assert.equal((await readTraces(shared, id))['status'], 'open', point);
      await forgetLeases(shared);
    }
    const server = await shared.startServer();
    await until('the expiry', async () => ((await readTraces(shared, id))['status'] === 'expired' ? true : undefined));
    const { rows } = await shared.database.pool.query(`select 1 from events where type = 'bounty.expired' and subject_id = $1`, [id]);
    assert.equal(rows.length, 1);
    assert.equal((await readTraces(shared, id))['claims'], 'rejected,rejected,rejected');
    await server.kill('SIGTERM');
  });

  test('due claims stay due after a crash, and the next process ends each once', { skip: !isThorough && THOROUGH_ONLY }, async () => {
    const { id } = await openBounty(desk.url, poster, agents);
    const { pool } = shared.database;
    await pool.query('update bounty_claims set lapses_at = market_now() where bounty_id = $1', [id]);
    await pool.query(`update jobs set run_at = market_now() where kind = 'bounty.claim_lapse' and payload->>'bounty_id' = $1`, [id]);
    for (const point of BOUNTY_POINTS.lapse) {
      const doomed = await startDoomed(point, {});
      if (doomed !== undefined) await until(`death at ${point}`, async () => (hasEnded(doomed) ? true : undefined));
      assert.equal((await readTraces(shared, id))['claims'], 'pending,pending,pending', point);
      await forgetLeases(shared);
    }
    const server = await shared.startServer();
    await until('the lapse', async () => ((await readTraces(shared, id))['claims'] === 'lapsed,lapsed,lapsed' ? true : undefined));
    const { rows } = await pool.query(`select 1 from events where type = 'bounty.claim_lapsed' and subject_id = $1`, [id]);
    assert.deepEqual([rows.length, (await readTraces(shared, id))['status']], [3, 'open']);
    await server.kill('SIGTERM');
  });

  test('the books are sound after crashes in commands of bounties', async () => {
    await requireSound(shared.money);
  });
});
