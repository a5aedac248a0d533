/** A withdrawal from Earn of which the venue refused many parts before the backup: the part that lost books were paid has a high number. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { intentIdOf } from '../../packages/server/src/features/payments/index.ts';
import { balanceOf, deposited, LEND, leaveFree, openSigner, withdraw } from '../earn/stage.ts';
import { makeViewsWritable } from '../harness/writable-views.ts';
import { requireSound, USDC } from '../money/money.ts';
import { openSharedMoney, type SharedMoney } from '../money/shared-money.ts';
import { reconcile, startCompared, untilHurried } from './restored-stage.ts';

/** One per minute, as by a venue that was paused for an hour. */
const REFUSED = 50;

let shared: SharedMoney;
before(async () => {
  shared = await openSharedMoney({ ownChains: true, hosted: true });
});
after(() => shared.close());

test('B01: market reconcile recognises the redemption of a withdrawal with fifty parts refused before the backup', async () => {
  const first = await startCompared(shared);
  const at = (url: string) => ({ ...shared, url });
  const [ben, anna] = [await openSigner(at(first.url), 500n * USDC), await openSigner(at(first.url), 500n * USDC)];
  await deposited(at(first.url), ben, 200);
  await deposited(at(first.url), anna, 150);
  const had = await balanceOf(anna);
  // Without free cash the withdrawal waits; SQL writes the refusals as the venue's would be written.
  await leaveFree(at(first.url), LEND, 0);
  const ordered = await withdraw(at(first.url), anna, { all: true, key: LEND });
  assert.equal(ordered.status, 200, JSON.stringify(ordered.body));
  const { pool } = shared.database;
  await makeViewsWritable(pool);
  const { rows } = await pool.query(`select id, vault_key, units_left from earn_withdrawals`);
  const [{ id, vault_key: vaultKey, units_left: units }] = rows;
  for (let part = 0; part < REFUSED; part += 1)
    await pool.query(
      `insert into earn_intents (id, kind, vault_key, subject_id, network, router, venue, units, state, reason)
       select $1, 'redeem', vault_key, $2, network, router, venue, $3, 'failed', 'The venue refused it.' from earn_intents
       where vault_key = $4 and kind = 'deposit' limit 1`,
      [intentIdOf('redeem', id, part), id, units, vaultKey],
    );
  await first.kill('SIGTERM');
  const backup = await shared.backUpBooks();

  const lost = await shared.startServer();
  await leaveFree(at(lost.url), LEND, 1_000);
  await untilHurried(shared, 'the money', async () => ((await balanceOf(anna)) > had + 149n * USDC ? true : undefined), 120);
  const paid = await balanceOf(anna);
  await lost.kill('SIGTERM');
  await backup.restore();

  const { code, output } = await reconcile(shared);
  assert.equal(code, 0, output);
  assert.match(output, new RegExp(`for the withdrawal ${id}`));
  const second = await shared.startServer();
  await untilHurried(shared, 'the withdrawal', async () => {
    const { rows: now } = await pool.query(`select status from earn_withdrawals where id = $1`, [id]);
    return now[0]?.status === 'settled' ? true : undefined;
  });
  assert.equal(await balanceOf(anna), paid);
  await requireSound(shared.money);
  await second.kill('SIGTERM');
});
