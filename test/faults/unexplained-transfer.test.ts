/** While one transfer of lost books is unexplained, unrelated payouts leave. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { balanceOf, deposited, LEND, openSigner, withdraw } from '../earn/stage.ts';
import type { ServerProcess } from '../harness/market.ts';
import { createPayer } from '../harness/payers.ts';
import { isThorough, THOROUGH_ONLY } from '../harness/thoroughness.ts';
import { USDC } from '../money/money.ts';
import { payForOrder, queueOutgoing, untilState } from '../money/outgoing.ts';
import { openSharedMoney, type SharedMoney } from '../money/shared-money.ts';
import { reconcile, startCompared, untilHurried } from './restored-stage.ts';

const NETWORK = 'base-mainnet';
let shared: SharedMoney;
before(async () => {
  shared = await openSharedMoney({ ownChains: true, hosted: true });
});
after(() => shared.close());
const at = ({ url }: ServerProcess) => ({ ...shared, url });

const title = 'B01: a withdrawal of Earn is paid while another transfer of the lost books is unexplained';
test(title, { skip: !isThorough && THOROUGH_ONLY }, async () => {
  const { money } = shared;
  const first = await startCompared(shared);
  const ben = await openSigner(at(first), 500n * USDC);
  await deposited(at(first), ben, 200);
  await first.kill('SIGTERM');
  const backup = await shared.backUpBooks();

  const lost = await shared.startServer();
  const subjectId = await payForOrder(money, await createPayer(shared, NETWORK), 5n * USDC);
  const { id } = await queueOutgoing(money, { purpose: 'refund', network: NETWORK, subjectId, amountMicros: 5n * USDC });
  await untilState(money, id, 'confirmed', 60);
  await lost.kill('SIGTERM');
  await backup.restore();

  const { code, output } = await reconcile(shared);
  assert.equal(code, 0, output);
  const second = await shared.startServer();
  const had = await balanceOf(ben);
  assert.equal((await withdraw(at(second), ben, { all: true, key: LEND })).status, 200);
  await untilHurried(shared, 'Ben being paid', async () => ((await balanceOf(ben)) > had + 199n * USDC ? true : undefined));
  await second.kill('SIGTERM');
});
