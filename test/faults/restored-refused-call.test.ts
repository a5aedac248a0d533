/** A backup between the signature of a redemption and its end: the venue refused it to the lost books, which redeemed anew. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { balanceOf, deposited, LEND, openSigner, positionOf, steer, withdraw } from '../earn/stage.ts';
import { isThorough, THOROUGH_ONLY } from '../harness/thoroughness.ts';
import { requireSound, USDC, until } from '../money/money.ts';
import { openSharedMoney, type SharedMoney } from '../money/shared-money.ts';
import { forgetLeases, hasEnded } from './crash-lab.ts';
import { reconcile, startCompared, untilHurried } from './restored-stage.ts';

const skip = !isThorough && THOROUGH_ONLY;

let shared: SharedMoney;
before(async () => {
  shared = await openSharedMoney({ ownChains: true, hosted: true });
});
after(() => shared.close());

test('B01: a redemption that was signed in the backup and refused afterwards is paid once', { skip }, async () => {
  const first = await startCompared(shared);
  const at = (url: string) => ({ ...shared, url });
  const [ben, anna] = [await openSigner(at(first.url), 500n * USDC), await openSigner(at(first.url), 500n * USDC)];
  await deposited(at(first.url), ben, 200);
  await deposited(at(first.url), anna, 150);
  const had = await balanceOf(anna);
  const gone = await balanceOf(ben);
  // The first withdrawal sets the router's allowance.
  const shares = BigInt(String((await positionOf(at(first.url), ben))?.['shares'])) / 4n;
  assert.equal((await withdraw(at(first.url), ben, { shares: String(shares), key: LEND })).status, 200);
  await until('the money of the first one', async () => ((await balanceOf(ben)) > gone ? true : undefined));
  await first.kill('SIGTERM');
  const dying = await shared.startServer({ CRASH_AT: 'outgoing.after_store', JOBS: 'off' });
  await withdraw(at(dying.url), anna, { all: true, key: LEND }).catch(() => undefined);
  await until('death', async () => (hasEnded(dying) ? true : undefined), 20);
  await forgetLeases(shared);
  const { pool } = shared.database;
  const backup = await shared.backUpBooks();

  const calm = await shared.startServer({ JOBS: 'off' });
  await steer(at(calm.url), LEND, 'pause');
  const lost = await shared.startServer();
  await untilHurried(shared, 'the refusal', async () => {
    const { rows } = await pool.query(`select 1 from earn_intents where state = 'failed' and kind = 'redeem'`);
    return rows.length > 0 ? true : undefined;
  });
  await steer(at(calm.url), LEND, 'resume');
  await untilHurried(shared, 'the money', async () => ((await balanceOf(anna)) > had + 149n * USDC ? true : undefined), 120);
  const paid = await balanceOf(anna);
  await lost.kill('SIGTERM');
  await calm.kill('SIGTERM');
  await backup.restore();

  const { code, output } = await reconcile(shared);
  assert.match(output, /Another call is under way for it/);
  assert.equal(code, 0, output);
  const second = await shared.startServer();
  await untilHurried(
    shared,
    'the withdrawal',
    async () => {
      const { rows } = await pool.query(`select 1 from earn_withdrawals where status <> 'settled'`);
      return rows.length === 0 ? true : undefined;
    },
    120,
  );
  assert.equal(await balanceOf(anna), paid);
  await requireSound(shared.money);
  await second.kill('SIGTERM');
});
