/**
 * Everything that moves money happens after a backup, the backup is restored, and everybody repeats it: nothing is paid twice and
 * nobody's money is gone, with the documented order of steps and with a wrong one.
 */
import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import type { ServerProcess } from '../harness/market.ts';
import { runMarketCommand } from '../harness/market-command.ts';
import { isThorough, THOROUGH_ONLY } from '../harness/thoroughness.ts';
import { requireSound, until } from '../money/money.ts';
import { openSharedMoney, type SharedMoney } from '../money/shared-money.ts';
import {
  openFeePart,
  openHirePart,
  openLaunchPart,
  openOrderPart,
  openRegistrationPart,
  openStakePart,
  openSwapPart,
  type Part,
  partSettings,
  type Stage,
} from './restored-parts.ts';

let shared: SharedMoney;
before(async () => {
  shared = await openSharedMoney({ ownChains: true, hosted: true });
});
after(() => shared.close());

const at = ({ url }: ServerProcess): Stage => ({ ...shared, url });
const started: ServerProcess[] = [];
async function start(): Promise<ServerProcess> {
  const server = await shared.startServer(partSettings);
  started.push(server);
  return server;
}

/** Solana's chain moves on meanwhile; otherwise bytes that lost books signed could still land. */
async function reconcile(): Promise<{ readonly code: number | null; readonly output: string }> {
  const command = runMarketCommand(['reconcile'], { ...shared.settings, ...partSettings });
  const moving = setInterval(() => void shared.localChains.advance(30).catch(() => undefined), 500);
  const code = await command.ended;
  clearInterval(moving);
  return { code, output: command.output() };
}

async function openParts(stage: Stage): Promise<Readonly<Record<string, Part>>> {
  const vault = String(shared.feeVault?.treasury);
  return {
    order: await openOrderPart(stage),
    hire: await openHirePart(stage),
    stake: await openStakePart(stage),
    registration: await openRegistrationPart(stage),
    fee: await openFeePart(stage, vault),
    launch: await openLaunchPart(stage),
    swap: await openSwapPart(stage),
  };
}

async function balancesOf(parts: Readonly<Record<string, Part>>): Promise<Readonly<Record<string, readonly bigint[]>>> {
  return Object.fromEntries(await Promise.all(Object.entries(parts).map(async ([name, part]) => [name, await part.balances()])));
}

const OPEN = `select 'payout' as what, id, state, reason from payouts where state in ('queued', 'signed', 'sent', 'unknown')
  union all select 'fee', id, state, reason from creator_fee_payouts where state in ('queued', 'signed', 'sent', 'unknown')
  union all select 'movement', id, state, reason from wallet_movements where state in ('queued', 'signed', 'sent', 'unknown')`;

async function untilNothingIsUnderWay(): Promise<void> {
  let rows: unknown[] = [];
  await until(
    'everything having left or been found',
    async () => {
      await shared.database.pool.query(`update jobs set run_at = market_now() where run_at > market_now() and lease_until is null`);
      ({ rows } = await shared.database.pool.query(OPEN));
      return rows.length === 0 ? true : undefined;
    },
    180,
  ).catch((error: unknown) => {
    throw new Error(`${String(error)}: ${JSON.stringify(rows)}`);
  });
}

const inOrder = 'stop, put back, reconcile, start';
const inDisorder = 'put back under a running process, go on, reconcile at last';

/** A failed test leaves its process running, which would hold the books of the next test. */
afterEach(async () => {
  for (const server of started.splice(0)) await server.kill('SIGKILL');
});

for (const steps of [inOrder, inDisorder]) {
  test(`B02, B04, B08: ${steps}: nothing is paid twice, and nobody’s money is gone`, { skip: !isThorough && THOROUGH_ONLY }, async () => {
    const first = await start();
    const parts = await openParts(at(first));
    await first.kill('SIGTERM');
    const backup = await shared.backUpBooks();

    const lost = await start();
    for (const part of Object.values(parts)) await part.act(at(lost));
    await untilNothingIsUnderWay();
    const paid = await balancesOf(parts);

    let server = lost;
    if (steps === inOrder) {
      await lost.kill('SIGTERM');
      await backup.restore();
      const { code, output } = await reconcile();
      assert.equal(code, 0, output);
      server = await start();
      for (const part of Object.values(parts)) await part.repeat(at(server));
    } else {
      await backup.restore();
      // Its memory of the books is wrong, so it ends before it signs anything; its supervisor starts it again.
      await until('the process noticing it', async () => (lost.child.exitCode === null ? undefined : true), 120);
      assert.equal(lost.child.exitCode, 1);
      server = await start();
      for (const part of Object.values(parts)) await part.repeat(at(server));
      const { code, output } = await reconcile();
      assert.equal(code, 0, output);
    }
    await untilNothingIsUnderWay();
    assert.deepEqual(await balancesOf(parts), paid);
    const { rows } = await shared.database.pool.query(`select purpose, subject_id, reason from payouts where state = 'parked'`);
    assert.deepEqual(rows, []);
    await requireSound(shared.money);
    await server.kill('SIGTERM');
    for (const part of Object.values(parts)) part.close?.();
  });
}
