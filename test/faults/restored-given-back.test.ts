/** An operator refunds a stranger's small transfer to a treasury: the audit must stay clean, or outflow could never open again. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { call, type Envelope } from '../harness/http.ts';
import { createPayer } from '../harness/payers.ts';
import { tokenFor } from '../harness/people.ts';
import { chainOf, USDC, until } from '../money/money.ts';
import { openSharedMoney, type SharedMoney } from '../money/shared-money.ts';
import { readReason, reconcile, startCompared, untilHurried } from './restored-stage.ts';

const NETWORK = 'base-mainnet';

let shared: SharedMoney;
before(async () => {
  shared = await openSharedMoney({ ownChains: true, hosted: true });
});
after(() => shared.close());

test('B07: market reconcile opens outflow after an operator refunded a stranger’s transfer', async () => {
  const settings = { ADMIN_EMAILS: 'boss@example.com' };
  const server = await startCompared(shared, settings);
  // A wallet that has never signed anything here.
  const stranger = await createPayer(shared, NETWORK, 5n * USDC);
  const reference = await stranger.pay(chainOf(shared, NETWORK).treasury, 10_000n, 'final');
  const admin = { key: await tokenFor(server.url, { email: 'boss@example.com' }) };
  await untilHurried(shared, 'the transfer in the books', async () => {
    const listed = (await call(server.url, 'GET /api/admin/receipts/unmatched', admin)).body['data'] as Envelope[];
    return listed.some((row) => row['reference'] === reference) ? true : undefined;
  });
  const given = await call(server.url, 'POST /api/admin/receipts/refund', { ...admin, body: { network: NETWORK, reference } });
  assert.equal(given.status, 200, JSON.stringify(given.body));
  await until('the money back', async () =>
    (await chainOf(shared, NETWORK).readBalances(stranger.address)).usdcMicros === 5n * USDC ? true : undefined,
  );
  await untilHurried(shared, 'the end', async () => {
    const { rows } = await shared.database.pool.query(`select 1 from payouts where state = 'confirmed'`);
    return rows.length === 1 ? true : undefined;
  });
  await server.kill('SIGTERM');
  const backup = await shared.backUpBooks();
  await backup.restore();
  const { code, output } = await reconcile(shared, settings);
  assert.equal(code, 0, output);
  assert.equal(await readReason(shared), null);
});
