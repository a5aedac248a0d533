/** Returns of a venue to lost books are listed as unclaimed, paid by the router: a refund would send other people's money to a contract. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { balanceOf, deposited, LEND, openSigner, withdraw } from '../earn/stage.ts';
import { call, type Envelope } from '../harness/http.ts';
import { listService, openBuyer, openProvider, payOrder, placeOrder } from '../harness/orders.ts';
import { tokenFor } from '../harness/people.ts';
import { chainOf, requireSound, USDC, until } from '../money/money.ts';
import { openSharedMoney, type SharedMoney } from '../money/shared-money.ts';
import { holdsFor, reconcile, startCompared } from './restored-stage.ts';

const NETWORK = 'base-mainnet';

let shared: SharedMoney;
before(async () => {
  shared = await openSharedMoney({ ownChains: true, hosted: true });
});
after(() => shared.close());

test('B01: after market reconcile no return of a venue to lost books can be refunded to its router', async () => {
  const settings = { ADMIN_EMAILS: 'boss@example.com' };
  const first = await startCompared(shared, settings);
  const at = (url: string) => ({ ...shared, url });
  const [ben, anna] = [await openSigner(at(first.url), 500n * USDC), await openSigner(at(first.url), 500n * USDC)];
  await deposited(at(first.url), ben, 200);
  // Another person's money in the treasury.
  const provider = await openProvider(first.url, NETWORK);
  const buyer = await openBuyer(shared, NETWORK, 300n * USDC);
  const order = await placeOrder(first.url, await listService(first.url, provider, { price_usd: '200.00' }), buyer);
  await payOrder(first.url, order, buyer, 'final');
  await first.kill('SIGTERM');
  const backup = await shared.backUpBooks();

  const lost = await shared.startServer(settings);
  await deposited(at(lost.url), anna, 150);
  const had = await balanceOf(anna);
  assert.equal((await withdraw(at(lost.url), anna, { all: true, key: LEND })).status, 200);
  await until('the money', async () => ((await balanceOf(anna)) > had + 149n * USDC ? true : undefined));
  await lost.kill('SIGTERM');
  await backup.restore();

  const { output } = await reconcile(shared, settings);
  const second = await shared.startServer(settings);
  const admin = { key: await tokenFor(second.url, { email: 'boss@example.com' }) };
  const listed = (await call(second.url, 'GET /api/admin/receipts/unmatched', admin)).body['data'] as Envelope[];
  const treasury = async () => (await chainOf(shared, NETWORK).readBalances(chainOf(shared, NETWORK).treasury)).usdcMicros;
  const held = await treasury();
  // The guide's advice: "The payer presents the transfer again, or you refund it."
  const answers: string[] = [];
  for (const { network, reference, payer } of listed.filter((row) => row['network'] === NETWORK)) {
    const { status, body } = await call(second.url, 'POST /api/admin/receipts/refund', { ...admin, body: { network, reference } });
    answers.push(`${payer}: ${status} ${JSON.stringify(body)}`);
  }
  await holdsFor(shared, 10_000, async () => {
    await shared.localChains.advance(30);
    const { rows } = await shared.database.pool.query('select state, reason from payouts');
    assert.equal(
      await treasury(),
      held,
      `both transfers had left already: ${answers.join('; ')} ${JSON.stringify(rows)}; reconcile said: ${output}`,
    );
  });
  const { rows } = await shared.database.pool.query('select state, reason, reference from payouts');
  assert.deepEqual(
    answers.filter((answer) => answer.includes(': 200 ')),
    [],
    `neither is given back: ${JSON.stringify(rows)}`,
  );
  await requireSound(shared.money);
  await second.kill('SIGTERM');
});
