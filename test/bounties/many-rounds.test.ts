/**
 * Story: 20 agents claim one bounty; two accepts and a withdrawal race through two processes; the accept is repeated. Many rounds
 * with the same agents: a quarter of a second of processor time each. `BOUNTY_ROUNDS` sets another number.
 */
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { BOUNTY, withdrawClaim } from '../harness/bounties.ts';
import { call, type Reply } from '../harness/http.ts';
import type { Provider } from '../harness/orders.ts';
import { openReceiver, type Receiver } from '../harness/receiver.ts';
import { times } from '../harness/thoroughness.ts';
import { requireSound, until } from '../money/money.ts';
import { openSharedMoney, type SharedMoney } from '../money/shared-money.ts';
import { inTurns } from '../orders/many-orders.ts';
import { accept, BUDGET, openAgents, openBounty, openPoster, type Poster, readTraces, sendCosts } from './many-bounties.ts';

const ROUNDS = Number(process.env['BOUNTY_ROUNDS'] ?? times(12, 200));
const ROUNDS_AT_ONCE = 4;
const AGENTS = 20;

suite(`20 agents, one bounty, ${ROUNDS} rounds`, () => {
  let shared: SharedMoney;
  let urls: readonly [string, string];
  let poster: Poster;
  let agents: Provider[];
  let receiver: Receiver;
  before(async () => {
    shared = await openSharedMoney();
    receiver = await openReceiver();
    const reach = { OUTBOUND_ALLOW: '127.0.0.1' };
    const [one, two] = await Promise.all([shared.startServer(reach), shared.startServer(reach)]);
    urls = [one.url, two.url];
    poster = await openPoster(shared);
    agents = await openAgents(one.url, AGENTS);
    await inTurns(agents, 4, async ({ key, id }) => {
      const body = { endpoint_url: `${receiver.url}/${id}` };
      assert.equal((await call(urls[0], 'PATCH /api/agents/me', { key, body })).status, 200);
    });
  });
  after(async () => {
    await shared.close();
    await receiver.close();
  });

  interface Outcome {
    readonly id: string;
    readonly order: string;
    readonly winner: string;
    /** The agent whose withdrawal came before the acceptance. */
    readonly left: string | undefined;
  }

  async function runRound(round: number, references: readonly string[]): Promise<Outcome> {
    const turned = [...agents.slice(round % AGENTS), ...agents.slice(0, round % AGENTS)];
    const here = urls[round % 2] ?? '';
    const there = urls[(round + 1) % 2] ?? '';
    const bounty = await openBounty(here, poster, turned);
    const [mine = '', theirs = ''] = references;
    const leaver = turned[2] as Provider;
    const [first, rival, left] = await Promise.all([
      accept(here, bounty, 0, poster, mine),
      accept(there, bounty, 1, poster, theirs),
      withdrawClaim(there, bounty.id, leaver),
    ]);
    const what = `round ${round}: ${[first, rival, left].map(({ status, body }) => `${status} ${body['code'] ?? ''}`).join(', ')}`;
    assert.deepEqual([first.status, rival.status].sort(), [200, 400], what);
    assert.equal(left.status, 200, what);
    const [won, used, index] = first.status === 200 ? ([first, mine, 0] as const) : ([rival, theirs, 1] as const);
    const before = await readTraces(shared, bounty.id);
    assert.deepEqual([before['orders'], before['payments'], before['steps'], before['held']], [1, 1, 1, 1_100_000], what);
    const again: Reply[] = await Promise.all(urls.map((url) => accept(url, bounty, index, poster, used)));
    for (const reply of again) assert.deepEqual([reply.status, reply.body['data']], [200, won.body['data']], what);
    assert.deepEqual(await readTraces(shared, bounty.id), before, `${what}: accepting again changed something`);
    const statuses = String(before['claims']).split(',');
    const withdrew = statuses.includes('withdrawn');
    assert.deepEqual(
      statuses,
      ['accepted', ...Array<string>(withdrew ? 18 : 19).fill('rejected'), ...(withdrew ? ['withdrawn'] : [])],
      what,
    );
    return {
      id: bounty.id,
      order: won.body['data'].order_id,
      winner: (turned[index] as Provider).id,
      left: withdrew ? leaver.id : undefined,
    };
  }

  test('R06, M24: a contested bounty ends in one order and one escrow, everybody else is rejected and notified once, and nothing is refunded', async () => {
    const references = await sendCosts(shared, poster, ROUNDS * 2);
    const outcomes = await inTurns([...Array(ROUNDS).keys()], ROUNDS_AT_ONCE, (round) =>
      runRound(round, references.slice(round * 2, round * 2 + 2)),
    );
    const expected = outcomes.reduce((sum, { left }) => sum + AGENTS - (left === undefined ? 0 : 1), 0);
    // Webhooks are queued a moment after the calls.
    await until('all webhooks', async () => {
      const { rowCount } = await shared.database.pool.query('select 1 from webhook_queue limit 1');
      return rowCount === 0 && receiver.received.length >= expected ? true : undefined;
    });
    assert.equal(receiver.received.length, expected);
    const told = Map.groupBy(receiver.received, ({ json }) => String(json['data'].bounty_id));
    for (const { id, order, winner, left } of outcomes) {
      const calls = told.get(id) ?? [];
      assert.deepEqual(
        calls.map(({ path }) => path.slice(1)).toSorted(),
        agents
          .map((agent) => agent.id)
          .filter((agent) => agent !== left)
          .toSorted(),
      );
      for (const { path, json } of calls) {
        const isWinner = path.slice(1) === winner;
        const data = { bounty_id: id, brief: BOUNTY.brief, budget_usd: BUDGET, deadline_hours: BOUNTY.deadline_hours };
        assert.deepEqual(
          json,
          isWinner
            ? { event: 'bounty.accepted', order_id: order, data }
            : { event: 'bounty.claim_rejected', order_id: '', data: { bounty_id: id } },
        );
      }
    }
    const refunds = await shared.database.pool.query('select count(*)::int as made from payouts where destination = $1', [poster.address]);
    assert.equal(refunds.rows[0].made, 0);
  });

  test('the books are sound after many bounty rounds', async () => {
    await requireSound(shared.money);
  });
});
