/** kill -9 at every crash point of an on-chain registration: two processes finish it, and the registry has the agent exactly once. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, suite, test } from 'node:test';
import { createWalletClient, http } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { callSigned, fundWallet, type OwnedAgent, openOwnedAgent, readLog } from '../agent-wallets/stage.ts';
import { call, type Reply } from '../harness/http.ts';
import type { ServerProcess } from '../harness/market.ts';
import { asHeaders, signedFor } from '../harness/people.ts';
import { isThorough, THOROUGH_ONLY, times } from '../harness/thoroughness.ts';
import { chainOf, requireSound, until } from '../money/money.ts';
import { openSharedMoney, type SharedMoney } from '../money/shared-money.ts';
import { ENOUGH_WEI, openRegistry, readIdentity, register, untilRegistered } from '../onchain/stage.ts';
import { forgetLeases, hasEnded } from './crash-lab.ts';
import { pointsToDieAt, REGISTRATION_POINTS } from './crash-points.ts';

/** Enough for the fee of a transfer; a registration needs more. */
const KEPT_WEI = 10n ** 14n;
const DEATHS = pointsToDieAt(
  [...REGISTRATION_POINTS.unordered, ...REGISTRATION_POINTS.ordered],
  ['outgoing.after_store', 'outgoing.after_broadcast'],
);

interface Errand {
  readonly point: string;
  readonly agent: OwnedAgent;
  readonly idempotencyKey: string;
}

suite('a process that crashes while it registers an agent on chain', () => {
  let shared: SharedMoney;
  let desk: ServerProcess;
  before(async () => {
    shared = await openSharedMoney({ hosted: true });
    // Serves requests without jobs, so that only the process under test reaches the crash points.
    desk = await shared.startServer({ JOBS: 'off' });
  });
  after(() => shared.close());

  async function prepare(url: string, point: string): Promise<Errand> {
    const agent = await openOwnedAgent(url);
    await fundWallet(shared, agent, 'base-mainnet', { native: ENOUGH_WEI });
    return { point, agent, idempotencyKey: randomUUID() };
  }

  async function order(url: string, { agent, idempotencyKey }: Errand): Promise<Reply> {
    const path = `/api/agents/${agent.id}/onchain-identity` as const;
    const signature = asHeaders(await signedFor(url, agent.owner, { method: 'POST', path, body: {} }));
    return await call(url, `POST ${path}`, { headers: { ...signature, 'idempotency-key': idempotencyKey }, body: {} });
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
    await bury();
  }

  /** Starts a server with jobs that continues stored work and dies at the point. */
  async function dieWorking(point: string): Promise<void> {
    const dying = await shared.startServer({ CRASH_AT: point }).catch((error: Error) => {
      assert.match(error.message, /ended with null before it was ready/, point);
      return undefined;
    });
    if (dying !== undefined) await until(`death at ${point}`, async () => (hasEnded(dying) ? true : undefined), 60);
    await bury();
  }

  /** Ends the leases of the dead process: of jobs and of answers. */
  async function bury(): Promise<void> {
    await forgetLeases(shared);
    await shared.database.pool.query('update idempotency_keys set lease_until = clock_timestamp() where sealed_answer is null');
  }

  test('C01, R12: a crash at each point of an on-chain registration is followed by exactly one, whichever of two processes finishes it', async () => {
    const registry = openRegistry(shared);
    const errands: Errand[] = [];
    for (const point of DEATHS) errands.push(await prepare(desk.url, point));
    for (const errand of errands) await dieAt(errand);
    for (const { point, agent } of errands) {
      const { rowCount } = await shared.database.pool.query('select 1 from agent_registrations where agent_id = $1', [agent.id]);
      assert.equal(rowCount, (REGISTRATION_POINTS.unordered as readonly string[]).includes(point) ? 0 : 1, point);
    }
    if (isThorough) {
      const last = await prepare(desk.url, REGISTRATION_POINTS.finishing);
      assert.equal((await order(desk.url, last)).status, 200);
      await dieWorking(REGISTRATION_POINTS.finishing);
      errands.push(last);
    }

    const servers = await Promise.all(Array.from({ length: times(1, 2) }, () => shared.startServer()));
    const [first, second = first] = servers;
    assert.ok(first && second);
    for (const errand of errands) {
      const { point, agent } = errand;
      // The client got no answer, and asks both processes again with the same key.
      for (const { status, body } of await Promise.all([order(first.url, errand), order(second.url, errand)]))
        assert.ok(status === 200 || body['code'] === 'idempotency_in_flight', `${point}: ${status} ${JSON.stringify(body)}`);
      const { agent_id: id, uri } = await untilRegistered(first.url, agent);
      assert.deepEqual(await Promise.all([registry.ownerOf(id), registry.uriOf(id)]), [agent.evm, uri], point);
      assert.equal(await registry.countOf(agent.evm), 1n, `${point}: registered once`);
      assert.equal((await readLog(first.url, agent)).length, 1, point);
    }
    await requireSound(shared.money);
    for (const server of servers) await server.kill('SIGTERM');
  });

  test('an on-chain registration whose coins left before it, at registration.before_failed_commit, fails once and may be repeated', {
    skip: !isThorough && THOROUGH_ONLY,
  }, async () => {
    const registry = openRegistry(shared);
    const errand = await prepare(desk.url, 'registration.after_queue');
    const { agent } = errand;
    const exported = await callSigned(desk.url, agent.owner, `POST /api/agents/${agent.id}/export-key`, { chain: 'base' });
    const key = exported.body['data'].private_key;
    await dieAt(errand);
    // The owner exported the key and spends the coins elsewhere.
    const base = shared.localChains.networks.find(({ network }) => network === 'base-mainnet');
    const owner = createWalletClient({ account: privateKeyToAccount(key), transport: http(base?.rpcUrl) });
    await owner.sendTransaction({ chain: null, to: '0x000000000000000000000000000000000000dEaD', value: ENOUGH_WEI - KEPT_WEI });
    await until('the empty wallet', async () =>
      (await chainOf(shared, 'base-mainnet').readBalances(agent.evm)).native <= KEPT_WEI ? true : undefined,
    );
    await dieWorking(REGISTRATION_POINTS.failing);
    const server = await shared.startServer();
    const failed = await until('the failure', async () => {
      const identity = await readIdentity(server.url, agent);
      return identity['status'] === 'none' ? identity : undefined;
    });
    // No chain shows what a wallet's own coin paid for, so the failure can only say that the key was used.
    assert.match(failed['last_failure'], /its key was used elsewhere/);
    assert.equal(await registry.countOf(agent.evm), 0n);
    await fundWallet(shared, agent, 'base-mainnet', { native: ENOUGH_WEI });
    assert.equal((await register(server.url, agent)).status, 200);
    await untilRegistered(server.url, agent);
    assert.equal(await registry.countOf(agent.evm), 1n);
    assert.equal((await register(server.url, agent)).status, 409);
    await requireSound(shared.money);
    await server.kill('SIGTERM');
  });
});
