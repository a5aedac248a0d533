/** kill -9 at every crash point of a send and a withdrawal: two processes finish it, and the money moves exactly once. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, suite, test } from 'node:test';
import type { NetworkName } from '@market/contract';
import { chainWord, fundWallet, type OwnedAgent, openOwnedAgent, readLog, setWithdrawAddress, walletOn } from '../agent-wallets/stage.ts';
import { call, type Reply } from '../harness/http.ts';
import type { ServerProcess } from '../harness/market.ts';
import { freshAddress } from '../harness/payers.ts';
import { asHeaders, signedFor } from '../harness/people.ts';
import { isThorough, some, THOROUGH_ONLY } from '../harness/thoroughness.ts';
import { makeViewsWritable } from '../harness/writable-views.ts';
import { chainOf, NETWORKS, requireSound, until } from '../money/money.ts';
import { openSharedMoney, type SharedMoney } from '../money/shared-money.ts';
import { forgetLeases, hasEnded } from './crash-lab.ts';
import { EXPIRY_POINT, MOVEMENT_POINTS, pointsToDieAt } from './crash-points.ts';

const USDC = 1_000_000n;
const FUNDED = 5n * USDC;
const SENT = 2n * USDC;
const DEATHS = pointsToDieAt(
  [...MOVEMENT_POINTS.unordered, ...MOVEMENT_POINTS.ordered],
  ['outgoing.after_store', 'outgoing.after_broadcast'],
);
const FINISHING_DEATHS = pointsToDieAt(MOVEMENT_POINTS.finishing, []);

interface Errand {
  readonly point: string;
  readonly kind: 'send' | 'withdraw';
  readonly network: NetworkName;
  readonly agent: OwnedAgent;
  readonly to: string;
  readonly idempotencyKey: string;
}

suite('a process that crashes while it moves money out of an agent wallet', () => {
  let shared: SharedMoney;
  let desk: ServerProcess;
  let pair: readonly ServerProcess[] | undefined;
  before(async () => {
    // Only the loss of signed bytes for good needs own chains.
    shared = await openSharedMoney({ ownChains: isThorough, hosted: true });
    // Serves requests without jobs, so that only the process under test reaches the crash points.
    desk = await shared.startServer({ JOBS: 'off' });
  });
  after(() => shared.close());

  const usdcAt = async (network: NetworkName, address: string) => (await chainOf(shared, network).readBalances(address)).usdcMicros;

  async function prepare(url: string, point: string, kind: Errand['kind'], network: NetworkName): Promise<Errand> {
    const agent = await openOwnedAgent(url);
    const to = freshAddress(network);
    await fundWallet(shared, agent, network, { usdcMicros: FUNDED });
    const field = network === 'solana-mainnet' ? 'withdraw_address_solana' : 'withdraw_address_base';
    if (kind === 'withdraw') assert.equal((await setWithdrawAddress(url, agent, { [field]: to })).status, 200);
    return { point, kind, network, agent, to, idempotencyKey: randomUUID() };
  }

  async function order(url: string, { kind, network, agent, to, idempotencyKey }: Errand): Promise<Reply> {
    const amount = '2';
    const key = { 'idempotency-key': idempotencyKey };
    if (kind === 'withdraw')
      return await call(url, 'POST /api/agents/me/withdraw', { key: agent.key, headers: key, body: { chain: chainWord[network], amount } });
    const body = { chain: chainWord[network], to, amount };
    const path = `/api/agents/${agent.id}/wallet/send`;
    const signature = asHeaders(await signedFor(url, agent.owner, { method: 'POST', path, body }));
    return await call(url, `POST /api/agents/${agent.id}/wallet/send`, { headers: { ...signature, ...key }, body });
  }

  /** Starts a server without jobs, so that this request alone reaches the point. */
  async function dieAt(errand: Errand): Promise<void> {
    const server = await shared.startServer({ CRASH_AT: errand.point, JOBS: 'off' });
    const reply = await order(server.url, errand).catch((error: unknown) => {
      assert.ok(error instanceof TypeError, String(error));
      return undefined;
    });
    await until(`death at ${errand.point}`, async () => (hasEnded(server) ? true : undefined), 20).catch((error: unknown) => {
      throw new Error(`${errand.point} was not reached: ${JSON.stringify(reply?.body)} ${server.log()}`, { cause: error });
    });
    assert.equal(server.child.signalCode, 'SIGKILL', errand.point);
  }

  /** Requested at a process without jobs; the process that finishes it dies. */
  async function dieFinishing(errand: Errand): Promise<void> {
    assert.equal((await order(desk.url, errand)).status, 200);
    await bury();
    const dying = await shared.startServer({ CRASH_AT: errand.point }).catch((error: Error) => {
      assert.match(error.message, /ended with null before it was ready/, errand.point);
      return undefined;
    });
    if (dying !== undefined) await until(`death at ${errand.point}`, async () => (hasEnded(dying) ? true : undefined));
  }

  /** Ends the leases of the dead process: of jobs and of answers. */
  async function bury(): Promise<void> {
    await forgetLeases(shared);
    await shared.database.pool.query('update idempotency_keys set lease_until = clock_timestamp() where sealed_answer is null');
  }

  /** Two processes with jobs, started once for successive tests. */
  async function startPair(): Promise<readonly ServerProcess[]> {
    pair ??= await Promise.all([shared.startServer(), shared.startServer()]);
    return pair;
  }

  async function proveOnce(servers: readonly ServerProcess[], errand: Errand): Promise<void> {
    const { point, network, agent, to } = errand;
    const [first, second] = servers;
    assert.ok(first && second);
    // The client got no answer, and asks both processes again with the same key.
    const replies = await Promise.all([order(first.url, errand), order(second.url, errand)]);
    for (const { status, body } of replies)
      assert.ok(status === 200 || body['code'] === 'idempotency_in_flight', `${point}: ${status} ${JSON.stringify(body)}`);
    await until(`the end after ${point}`, async () => {
      const log = (await readLog(first.url, agent)).filter(({ movement }) => movement !== null);
      assert.ok(log.length <= 1, `${point}: ${log.length} movements`);
      return log[0]?.['movement'].status === 'confirmed' ? true : undefined;
    });
    assert.equal(await usdcAt(network, to), SENT, `${point}: it arrived once`);
    assert.equal(await usdcAt(network, walletOn(agent, network)), FUNDED - SENT, `${point}: it left once`);
  }

  test('C01, R12: a crash at each point of a wallet movement is followed by one transfer, whichever of two processes finishes it', async () => {
    const errands: Errand[] = [];
    for (const [index, point] of DEATHS.entries()) {
      const network = NETWORKS[index % NETWORKS.length] ?? 'base-mainnet';
      errands.push(await prepare(desk.url, point, index % 2 === 0 ? 'send' : 'withdraw', network));
    }
    for (const errand of errands) await dieAt(errand);
    for (const [index, point] of FINISHING_DEATHS.entries()) {
      const errand = await prepare(desk.url, point, 'send', NETWORKS[index] ?? 'base-mainnet');
      await dieFinishing(errand);
      errands.push(errand);
    }
    await bury();
    for (const { point, agent } of errands) {
      const { rowCount } = await shared.database.pool.query('select 1 from wallet_movements where agent_id = $1', [agent.id]);
      const wasOrdered = !(MOVEMENT_POINTS.unordered as readonly string[]).includes(point);
      assert.equal(rowCount, wasOrdered ? 1 : 0, point);
    }
    const servers = await startPair();
    for (const errand of errands) await proveOnce(servers, errand);
    await requireSound(shared.money);
  });

  test('R12: two processes that are asked to send an agent’s whole balance at once send it once', async () => {
    const servers = await startPair();
    const [first, second] = servers;
    assert.ok(first && second);
    for (const network of some(NETWORKS, 1)) {
      const agent = await openOwnedAgent(first.url);
      await fundWallet(shared, agent, network, { usdcMicros: FUNDED });
      const to = freshAddress(network);
      const field = network === 'solana-mainnet' ? 'withdraw_address_solana' : 'withdraw_address_base';
      assert.equal((await setWithdrawAddress(first.url, agent, { [field]: to })).status, 200);
      const body = { chain: chainWord[network] };
      const replies: Reply[] = await Promise.all(
        [first, second, first, second].map(({ url }) => call(url, 'POST /api/agents/me/withdraw', { key: agent.key, body })),
      );
      assert.deepEqual(
        replies.map(({ status }) => status).sort(),
        [200, 400, 400, 400],
        JSON.stringify(replies.map((reply) => reply.body)),
      );
      await until('the money', async () => ((await usdcAt(network, to)) === FUNDED ? true : undefined));
    }
    await requireSound(shared.money);
    for (const server of servers) await server.kill('SIGTERM');
  });

  test('C02: a movement whose bytes were lost for good, with a crash at outgoing.after_expiry, is signed anew and paid once', {
    skip: !isThorough && THOROUGH_ONLY,
  }, async () => {
    const errand = await prepare(desk.url, EXPIRY_POINT, 'send', 'solana-mainnet');
    await shared.localChains.setFault({ network: 'solana-mainnet', mode: 'drop_tx' });
    const server = await shared.startServer({ CRASH_AT: EXPIRY_POINT, PAYMENT_WAIT_SECONDS: '1' });
    const reply = await order(server.url, errand);
    assert.deepEqual([reply.status, reply.body['data']?.status], [200, 'sent'], JSON.stringify(reply.body));
    await until('the expiry', async () => {
      if (hasEnded(server)) return true;
      await shared.localChains.advance(60);
      return undefined;
    });
    await shared.localChains.setFault({ network: 'solana-mainnet', mode: 'none' });
    await bury();
    const servers = await Promise.all([shared.startServer(), shared.startServer()]);
    await proveOnce(servers, errand);
    await requireSound(shared.money);
    for (const one of servers) await one.kill('SIGTERM');
  });

  test('a chain’s refusal of a movement that was not stored, at movement.before_fail_commit, is found again and moves nothing', {
    skip: !isThorough && THOROUGH_ONLY,
  }, async () => {
    const agent = await openOwnedAgent(desk.url);
    await fundWallet(shared, agent, 'base-mainnet', { usdcMicros: FUNDED });
    // The destination cannot be paid, but passes every check of the request.
    const to = chainOf(shared, 'base-mainnet').usdcAddress;
    const { pool } = shared.database;
    await makeViewsWritable(pool);
    await pool.query(
      `with ordered as (insert into wallet_movements (id, agent_id, purpose, network, wallet, destination, asset, amount)
         values ('mov_1700000000000_refused00', $1, 'send', 'base-mainnet', $2, $3, 'usdc', 1000000) returning id)
       insert into wallet_log (agent_id, action, ordered_by, network, address, movement_id)
       select $1, 'send', 'owner_account', 'base-mainnet', $3, id from ordered`,
      [agent.id, agent.evm, to],
    );
    const dying = await shared.startServer({ CRASH_AT: 'movement.before_fail_commit' }).catch(() => undefined);
    if (dying !== undefined) await until('death', async () => (hasEnded(dying) ? true : undefined), 60);
    await bury();
    const server = await shared.startServer();
    const failed = await until(
      'the refusal',
      async () => {
        const [entry] = await readLog(server.url, agent);
        return entry?.['movement'].status === 'failed' ? entry : undefined;
      },
      60,
    );
    assert.match(failed['movement'].reason, /not a wallet/);
    assert.equal(await usdcAt('base-mainnet', agent.evm), FUNDED);
    await requireSound(shared.money);
    await server.kill('SIGTERM');
  });

  test('an export that dies with its answer, at wallet.after_export, is in the log', { skip: !isThorough && THOROUGH_ONLY }, async () => {
    const agent = await openOwnedAgent(desk.url);
    const path = `/api/agents/${agent.id}/export-key`;
    const body = { chain: 'base' };
    const dying = await shared.startServer({ CRASH_AT: 'wallet.after_export', JOBS: 'off' });
    const headers = asHeaders(await signedFor(dying.url, agent.owner, { method: 'POST', path, body }));
    await assert.rejects(call(dying.url, `POST /api/agents/${agent.id}/export-key`, { headers, body }), TypeError);
    assert.deepEqual(
      (await readLog(desk.url, agent)).map(({ action }) => action),
      ['key_exported'],
    );
  });
});
