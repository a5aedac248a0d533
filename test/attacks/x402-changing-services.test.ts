/** Services that change, close or become unhireable during payment: nothing is charged without an order, and paid orders stay. */
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { type NetworkName, networkNames } from '@market/contract';
import { call } from '../harness/http.ts';
import {
  CHARGED_MICROS,
  hireWith,
  inEveryVersion,
  type MachineBuyer,
  type MachineStage,
  openMachineBuyers,
  openMachineStage,
  readHoldings,
  readOffer,
  requireHired,
  signPayment,
  transferProof,
} from '../harness/machine-buyers.ts';
import { listService, openProvider } from '../harness/orders.ts';
import { some } from '../harness/thoroughness.ts';
import { chainOf, requireSound } from '../money/money.ts';

suite('a service that changes during payment', () => {
  let stage: MachineStage;
  let buyers: Record<NetworkName, MachineBuyer>;
  before(async () => {
    stage = await openMachineStage();
    buyers = await openMachineBuyers(stage);
  });
  after(() => stage.close());

  const everybodyHas = () => readHoldings(stage, Object.values(buyers));

  for (const network of some(networkNames, 1)) {
    test(`X04: on ${network}: a request that cannot be fulfilled charges nothing, and the same payment works once it can`, async () => {
      const provider = await openProvider(stage.urls[0]);
      const service = await listService(stage.urls[0], provider, { price_usd: '1.00' });
      const buyer = buyers[network];
      const url = stage.urls[0];
      const change = async (path: string, body: Record<string, unknown>) => {
        const reply = await call(url, `PATCH ${path}` as `PATCH /${string}`, { headers: provider.headers, body });
        assert.equal(reply.status, 200, JSON.stringify(reply.body));
      };
      const path = `/api/services/${service}`;
      const reference = await buyer.payer.pay(chainOf(stage, network).treasury, CHARGED_MICROS);
      // The bare transfer comes first, because a standard payment proves the wallet, which must then sign for its transfers.
      const proofs = [transferProof(network, reference), await signPayment(stage, buyer, service)];
      const before = await everybodyHas();
      const refuse = async (status: number, code: string, body: Record<string, unknown> = {}) => {
        for (const proof of proofs) {
          const reply = await hireWith(url, service, proof, body);
          assert.deepEqual([reply.status, reply.body['code']], [status, code], JSON.stringify(reply.body));
        }
      };
      for (const proof of proofs) {
        const unbriefed = await call(url, `POST /api/x402/pay?service_id=${service}`, { headers: proof, body: {} });
        assert.deepEqual([unbriefed.status, unbriefed.body['code']], [400, 'brief_required']);
        const nowhere = await hireWith(url, 'svc_nobody', proof);
        assert.deepEqual([nowhere.status, nowhere.body['code']], [404, 'service_not_found']);
      }
      await change(path, { active: false });
      await refuse(404, 'service_not_found');
      await change(path, { active: true, price_type: 'weekly' });
      await refuse(400, 'service_not_payable');
      await change(path, { price_type: 'fixed' });
      await stage.database.pool.query('update agents set active = false where id = $1', [provider.id]);
      const hidden = await hireWith(url, service, proofs[0] ?? {});
      assert.ok([403, 404].includes(hidden.status), JSON.stringify(hidden.body));
      await stage.database.pool.query('update agents set active = true where id = $1', [provider.id]);
      assert.deepEqual(await everybodyHas(), before);
      const made = [];
      for (const proof of proofs) made.push(await requireHired(hireWith(url, service, proof)));
      assert.equal(new Set(made.map(({ orderId }) => orderId)).size, 2);

      // A bought order stays: the service may change or close, the same payment still finds the order.
      await change(path, { active: false });
      for (const [index, proof] of proofs.entries()) {
        assert.equal((await requireHired(hireWith(stage.urls[1], service, proof))).orderId, made[index]?.orderId);
      }
    });
  }

  test('M21: after a price change the shown price is valid for ten minutes, then the new price; a lower price is never raised', async () => {
    const provider = await openProvider(stage.urls[0]);
    const url = stage.urls[1];
    for (const network of some(networkNames, 1)) {
      const service = await listService(stage.urls[0], provider, { price_usd: '1.00' });
      const buyer = buyers[network];
      const old = [
        await signPayment(stage, buyer, service),
        await signPayment(stage, buyer, service),
        await signPayment(stage, buyer, service),
      ];
      const shown = await readOffer(stage, url, service, network);
      const older = inEveryVersion(network, shown, await buyer.authorise(shown));
      const path: `PATCH /${string}` = `PATCH /api/services/${service}`;
      assert.equal((await call(url, path, { headers: provider.headers, body: { price_usd: '2.00' } })).status, 200);
      const asked = await readOffer(stage, url, service, network);
      assert.equal(asked.amount, '2200000');
      const { orderId } = await requireHired(hireWith(url, service, old[0] ?? {}));
      const { rows } = await stage.database.pool.query('select price_micros from orders where id = $1', [orderId]);
      assert.deepEqual(rows, [{ price_micros: 1_000_000n }]);
      for (const headers of older) await requireHired(hireWith(url, service, headers));
      await stage.database.pool.query(`update services set price_changed_at = price_changed_at - interval '11 minutes' where id = $1`, [
        service,
      ]);
      const late = await hireWith(url, service, old[1] ?? {});
      assert.equal(late.status, 402, JSON.stringify(late.body));
      assert.equal(late.body['maxAmountRequired'], '2200000');
      // A hire at the old price is still found, so no buyer pays again.
      assert.equal((await requireHired(hireWith(url, service, old[0] ?? {}))).orderId, orderId);
      assert.equal((await call(url, path, { headers: provider.headers, body: { price_usd: '1.00' } })).status, 200);
      await requireHired(hireWith(url, service, old[2] ?? {}));
    }
  });

  test('the books are sound after services changed during payment', async () => {
    await requireSound(stage.money);
  });
});
