/** A deposit that lost books brought into a venue is presented for another vault or amount. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import {
  advance,
  type Depositor,
  deposited,
  LEND,
  openSigner,
  POOL,
  readMovement,
  register,
  transfer,
  untilStatus,
} from '../earn/stage.ts';
import { requireSound, USDC, until } from '../money/money.ts';
import { openSharedMoney, type SharedMoney } from '../money/shared-money.ts';
import { readReason, reconcile, startCompared, untilHurried } from './restored-stage.ts';

let shared: SharedMoney;
before(async () => {
  shared = await openSharedMoney({ ownChains: true, hosted: true });
});
after(() => shared.close());

test('B01: a deposit of lost books presented for another vault or amount is refused, or held before it can block the vault', async () => {
  const at = (url: string) => ({ ...shared, url });
  const first = await startCompared(shared);
  const anna = await openSigner(at(first.url), 2_000n * USDC);
  for (const key of [LEND, POOL]) await deposited(at(first.url), anna, 100, key, 'final');
  await first.kill('SIGTERM');
  const backup = await shared.backUpBooks();

  const lost = await shared.startServer();
  const deploy = async (depositor: Depositor): Promise<string> => {
    const reference = await transfer(depositor, 50n * USDC, 'final');
    const { body } = await register(at(lost.url), depositor, { amount_usd: 50, incoming_tx_hash: reference, key: LEND });
    await untilStatus(at(lost.url), depositor, String(body['data'].deposit_id), 'deployed');
    return reference;
  };
  const [early, late] = [await deploy(anna), await deploy(anna)];
  await lost.kill('SIGTERM');
  await backup.restore();

  // The books do not know yet which deposit was deployed.
  const second = await shared.startServer();
  const booked = await register(at(second.url), anna, { amount_usd: 50, incoming_tx_hash: early, key: POOL });
  const id = String(booked.body['data'].deposit_id);
  await until('outflow being closed', async () => ((await readReason(shared)) === null ? undefined : true), 60);
  const { code, output } = await reconcile(shared);
  assert.equal(code, 0, output);
  await advance(at(second.url), 61);
  await untilHurried(shared, 'the deposit being held', async () =>
    (await readMovement(at(second.url), anna, id))['status'] === 'held' ? true : undefined,
  );
  const { rows } = await shared.database.pool.query(`select reason from earn_deposits where id = $1`, [id]);
  assert.match(rows[0].reason, /became a deposit of 50\.00 USDC into lend_a:usdc/);
  const open = await shared.database.pool.query(`select 1 from earn_intents where state in ('queued', 'signed', 'sent', 'unknown')`);
  assert.equal(open.rowCount, 0, 'nothing blocks the vaults');

  const refusedFor = async (body: Record<string, unknown>) => {
    const reply = await register(at(second.url), anna, { incoming_tx_hash: late, ...body });
    assert.deepEqual([reply.status, reply.body['code']], [409, 'earn_deposit_differs'], JSON.stringify(reply.body));
    assert.deepEqual([reply.body['data'].key, reply.body['data'].amount_usd], [LEND, '50.00']);
  };
  await refusedFor({ amount_usd: 50, key: POOL });
  await refusedFor({ amount_usd: 40, key: LEND });
  const right = await register(at(second.url), anna, { amount_usd: 50, incoming_tx_hash: late, key: LEND });
  await untilStatus(at(second.url), anna, String(right.body['data'].deposit_id), 'deployed');
  await requireSound(shared.money);
  await second.kill('SIGTERM');
});
