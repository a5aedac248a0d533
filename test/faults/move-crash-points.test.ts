/** kill -9 at every crash point of a waiting move, and cancellations that race its time on two processes: it happens once or not at all. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, suite, test } from 'node:test';
import { moveLimits } from '@market/contract';
import { fundWallet, type OwnedAgent, openAccountAgent, readLog, readMoves } from '../agent-wallets/stage.ts';
import { startProcess } from '../earn/same-market.ts';
import { call, type Reply } from '../harness/http.ts';
import type { ServerProcess } from '../harness/market.ts';
import { advanceClock } from '../harness/orders.ts';
import { freshAddress } from '../harness/payers.ts';
import { times } from '../harness/thoroughness.ts';
import { chainOf, requireSound, until } from '../money/money.ts';
import { openSharedMoney, type SharedMoney } from '../money/shared-money.ts';
import { forgetLeases, hasEnded } from './crash-lab.ts';
import { MOVE_POINTS } from './crash-points.ts';

const USDC = 1_000_000n;
const DAY = 24 * 3600;
const RACES = times(12, moveLimits.mostWaiting);

interface Errand {
  readonly point: string;
  readonly agent: OwnedAgent;
  readonly to: string;
  readonly idempotencyKey: string;
}

suite('a process that crashes while a move waits', () => {
  let shared: SharedMoney;
  let desk: ServerProcess;
  before(async () => {
    shared = await openSharedMoney({ ownChains: true, hosted: true });
    // Serves requests without jobs, so that only the process under test reaches the crash points.
    desk = await startProcess(shared, { JOBS: 'off' });
  });
  after(() => shared.close());

  const usdcAt = async (address: string) => (await chainOf(shared, 'base-mainnet').readBalances(address)).usdcMicros;

  async function prepare(point: string): Promise<Errand> {
    const agent = await openAccountAgent(desk.url);
    await fundWallet(shared, agent, 'base-mainnet', { usdcMicros: 5n * USDC });
    return { point, agent, to: freshAddress('base-mainnet'), idempotencyKey: randomUUID() };
  }

  async function ask(url: string, { agent, to, idempotencyKey }: Errand): Promise<Reply> {
    const body = { chain: 'base', to, amount: 2 };
    const headers = { 'idempotency-key': idempotencyKey };
    return await call(url, `POST /api/agents/${agent.id}/wallet/send`, { key: agent.token, headers, body });
  }

  async function dieIn(settings: Record<string, string>, act: (url: string) => Promise<unknown>): Promise<void> {
    const dying = await startProcess(shared, settings).catch((error: Error) => {
      assert.match(error.message, /ended with null before it was ready/);
      return undefined;
    });
    if (dying !== undefined) {
      await act(dying.url).catch((error: unknown) => assert.ok(error instanceof TypeError, String(error)));
      await until(`death at ${settings['CRASH_AT']}`, async () => (hasEnded(dying) ? true : undefined));
    }
    await forgetLeases(shared);
    await shared.database.pool.query('update idempotency_keys set lease_until = clock_timestamp() where sealed_answer is null');
  }

  const stateOf = async ({ agent }: Errand) => (await readMoves(desk.url, { key: agent.token })).map(({ status }) => status);

  test('C01, V23: a request for a waiting move that dies leaves a whole move or none, and the same key asks for it once', async () => {
    const errand = await prepare(MOVE_POINTS.hold);
    await dieIn({ CRASH_AT: MOVE_POINTS.hold, JOBS: 'off' }, (url) => ask(url, errand));
    assert.deepEqual(await stateOf(errand), []);
    const replies = [await ask(desk.url, errand), await ask(desk.url, errand)];
    assert.deepEqual(
      replies.map(({ body }) => body['data']?.status),
      ['waiting', 'waiting'],
    );
    const id = replies[0]?.body['data'].move_id;
    assert.deepEqual(await stateOf(errand), ['waiting']);
    const cancel = (url: string) => call(url, `DELETE /api/moves/${id}`, { key: errand.agent.token });
    await dieIn({ CRASH_AT: MOVE_POINTS.cancel, JOBS: 'off' }, cancel);
    assert.deepEqual(await stateOf(errand), ['waiting'], 'the cancellation was not committed');
    assert.equal((await cancel(desk.url)).body['data']?.status, 'cancelled');
    await requireSound(shared.money);
  });

  /** A move whose time has come and whose job has died at this point. */
  async function dieAtMove(point: string): Promise<Errand> {
    const errand = await prepare(point);
    assert.equal((await ask(desk.url, errand)).body['data']?.status, 'waiting');
    await advanceClock(desk.url, DAY + 5);
    await dieIn({ CRASH_AT: point }, async () => undefined);
    assert.deepEqual(await stateOf(errand), [point === MOVE_POINTS.done ? 'done' : 'waiting'], point);
    return errand;
  }

  async function requireSentOnceByPair(errands: readonly Errand[]): Promise<void> {
    const pair = await Promise.all([startProcess(shared), startProcess(shared)]);
    for (const errand of errands) {
      await until(`the money after ${errand.point}`, async () => {
        const log = await readLog(desk.url, errand.agent);
        assert.ok(log.length <= 1, `${errand.point}: ${log.length} movements`);
        return log[0]?.['movement'].status === 'confirmed' ? true : undefined;
      });
      assert.equal(await usdcAt(errand.to), 2n * USDC, errand.point);
      assert.equal(await usdcAt(errand.agent.evm), 3n * USDC, errand.point);
    }
    await requireSound(shared.money);
    await Promise.all(pair.map((server) => server.kill('SIGTERM')));
  }

  test('C01, R12, V23: a waiting move’s job that dies at each crash point sends exactly once', async () => {
    const undone: Errand[] = [];
    for (const point of MOVE_POINTS.undone) undone.push(await dieAtMove(point));
    await requireSentOnceByPair(undone);
    // Alone, because a process that also runs earlier moves could die after one of those.
    await requireSentOnceByPair([await dieAtMove(MOVE_POINTS.done)]);
  });

  test('R12, V23: a cancellation that races the time of a waiting move wins or loses as a whole, on two processes', async () => {
    const errand = await prepare('race');
    await fundWallet(shared, errand.agent, 'base-mainnet', { usdcMicros: 200n * USDC });
    const { agent } = errand;
    const ids: string[] = [];
    for (let index = 0; index < RACES; index++) {
      const reply = await ask(desk.url, { ...errand, to: freshAddress('base-mainnet'), idempotencyKey: randomUUID() });
      ids.push(reply.body['data'].move_id);
    }
    const pair = await Promise.all([startProcess(shared), startProcess(shared)]);
    const [first, second] = pair;
    assert.ok(first && second);
    const cancel = async (id: string, url: string) => {
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 1_500));
      return await call(url, `DELETE /api/moves/${id}`, { key: agent.token });
    };
    const [, ...answers] = await Promise.all([
      advanceClock(desk.url, DAY + 5),
      ...ids.flatMap((id) => [cancel(id, first.url), cancel(id, second.url)]),
    ]);
    for (const { status, body } of answers)
      assert.ok(status === 200 || (status === 409 && body['code'] === 'move_ended'), `${status} ${JSON.stringify(body)}`);
    await until('all ends', async () => ((await stateOf(errand)).includes('waiting') ? undefined : true));
    const moves = await readMoves(desk.url, { key: agent.token }, '?limit=100');
    const done = moves.filter(({ status }) => status === 'done');
    const cancelled = moves.filter(({ status }) => status === 'cancelled');
    assert.equal(done.length + cancelled.length, RACES, JSON.stringify(moves.map(({ status, reason }) => [status, reason])));
    for (const [index, id] of ids.entries()) {
      const wasCancelled = cancelled.some((move) => move['id'] === id);
      const [one, two] = [answers[2 * index], answers[2 * index + 1]];
      assert.deepEqual([one?.status, two?.status], wasCancelled ? [200, 200] : [409, 409], id);
    }
    assert.equal((await readLog(desk.url, agent)).length, done.length, 'each move that was not cancelled sent once');
    await until('the movements', async () => {
      const log = await readLog(desk.url, agent);
      return log.every(({ movement }) => movement?.status === 'confirmed') ? true : undefined;
    });
    await requireSound(shared.money);
  });
});
