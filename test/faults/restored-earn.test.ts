/** An old backup is restored after a deposit reached its venue: it is not sent again, and its depositor has the shares. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { advance, deposited, LEND, openSigner, positionOf, register, transfer, untilStatus } from '../earn/stage.ts';
import { runMarketCommand } from '../harness/market-command.ts';
import { isThorough, THOROUGH_ONLY } from '../harness/thoroughness.ts';
import { requireSound, USDC, until, untilCompared } from '../money/money.ts';
import { openSharedMoney } from '../money/shared-money.ts';

test('C22, C24: after a restore, a deposit that reached its venue is found there and minted, not sent again', {
  skip: !isThorough && THOROUGH_ONLY,
}, async (t) => {
  const shared = await openSharedMoney({ ownChains: true, hosted: true });
  t.after(() => shared.close());
  const first = await shared.startServer();
  const at = (url: string) => ({ ...shared, url });
  await untilCompared(shared);
  const anna = await openSigner(at(first.url), 500n * USDC);
  await deposited(at(first.url), anna, 100);
  await first.kill('SIGTERM');
  const backup = await shared.backUpBooks();
  const lost = await shared.startServer();
  const reference = await transfer(anna, 50n * USDC, 'final');
  const body = { amount_usd: 50, incoming_tx_hash: reference, key: LEND };
  const sent = await register(at(lost.url), anna, body);
  const id = String(sent.body['data'].deposit_id);
  const deployed = await untilStatus(at(lost.url), anna, id, 'deployed');
  const had = await positionOf(at(lost.url), anna);
  await lost.kill('SIGTERM');
  await backup.restore();

  const second = await shared.startServer();
  await register(at(second.url), anna, body);
  await until('outflow being closed', async () => {
    const { rows } = await shared.database.pool.query('select reason from outflow_gate where reason is not null');
    return rows.length > 0 ? true : undefined;
  });
  const reconcile = runMarketCommand(['reconcile'], shared.settings);
  assert.equal(await reconcile.ended, 0, reconcile.output());
  // Its job checks again a minute after outflow was closed.
  await advance(at(second.url), 61);
  const found = await untilStatus(at(second.url), anna, id, 'deployed');
  assert.equal(found['deploy_tx_hash'], deployed['deploy_tx_hash'], 'the same transaction');
  assert.equal((await positionOf(at(second.url), anna))?.['shares'], had?.['shares']);
  await requireSound(shared.money);
  // The market continues.
  await deposited(at(second.url), anna, 10);
  await second.kill('SIGTERM');
});
