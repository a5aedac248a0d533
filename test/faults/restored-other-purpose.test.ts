/** A transfer that lost books refunded or passed on is presented for another purpose in the restored books. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { balanceOf, deposited, LEND, openSigner, register } from '../earn/stage.ts';
import { idOf } from '../harness/bare-transfers.ts';
import { call, type Reply } from '../harness/http.ts';
import { transferProof } from '../harness/machine-buyers.ts';
import type { ServerProcess } from '../harness/market.ts';
import { act, type Buyer, listService, openProvider, walletOf } from '../harness/orders.ts';
import { createPayer } from '../harness/payers.ts';
import { asHeaders, signed } from '../harness/people.ts';
import { isThorough, THOROUGH_ONLY } from '../harness/thoroughness.ts';
import { chainOf, requireSound, USDC, until } from '../money/money.ts';
import { payForOrder } from '../money/outgoing.ts';
import { openSharedMoney, type SharedMoney } from '../money/shared-money.ts';
import { reconcile, startCompared } from './restored-stage.ts';

const NETWORK = 'base-mainnet';
let shared: SharedMoney;
before(async () => {
  shared = await openSharedMoney({ ownChains: true, hosted: true });
});
after(() => shared.close());
const at = ({ url }: ServerProcess) => ({ ...shared, url });

async function hire(
  url: string,
  service: string,
  buyer: Pick<Buyer, 'address' | 'sign'> & { payer: Buyer['payer'] },
  reference: string,
): Promise<Reply> {
  const headers = { ...transferProof(NETWORK, reference), ...asHeaders(await signed(buyer as Buyer)) };
  return await call(url, `POST /api/x402/pay?service_id=${service}&settlement=on_approval`, {
    headers,
    body: { brief: 'A logo for a bakery.' },
  });
}

const title = 'B08: a transfer that the lost books refunded becomes no deposit of Earn and no purchase';
test(title, { skip: !isThorough && THOROUGH_ONLY }, async () => {
  const first = await startCompared(shared);
  const ben = await openSigner(at(first), 500n * USDC);
  await deposited(at(first), ben, 200);
  const provider = await openProvider(first.url, NETWORK);
  const service = await listService(first.url, provider, { price_usd: '50.00' });
  const thief = await openSigner(at(first), 500n * USDC);
  const buyer = { ...walletOf(thief.payer), payer: thief.payer } as unknown as Buyer;
  // Money of others, in escrow.
  await payForOrder(shared.money, await createPayer(shared, NETWORK), 100n * USDC);
  await first.kill('SIGTERM');
  const backup = await shared.backUpBooks();
  const before = await balanceOf(thief);

  const lost = await shared.startServer();
  const reference = await thief.payer.pay(chainOf(shared, NETWORK).treasury, 55n * USDC, 'final');
  const hired = await hire(lost.url, service, buyer, reference);
  assert.ok(hired.status < 300, JSON.stringify(hired.body));
  const cancelled = await act(lost.url, idOf(hired), buyer, 'cancel');
  assert.ok(cancelled.status < 300, JSON.stringify(cancelled.body));
  await until('the refund', async () => ((await balanceOf(thief)) >= before ? true : undefined), 120);
  await lost.kill('SIGTERM');
  await backup.restore();

  const { code, output } = await reconcile(shared);
  assert.equal(code, 0, output);
  const second = await shared.startServer();
  const sent = await register(at(second), thief, { amount_usd: 55, incoming_tx_hash: reference, key: LEND });
  assert.deepEqual([sent.status, sent.body['code']], [409, 'payment_already_used'], JSON.stringify(sent.body));
  // It becomes no purchase either, for which a provider would work unpaid.
  const again = await hire(second.url, service, buyer, reference);
  assert.deepEqual([again.status, again.body['code']], [409, 'payment_already_used'], JSON.stringify(again.body));
  await second.kill('SIGTERM');
  assert.equal(await balanceOf(thief), before);
  await requireSound(shared.money);
});
