/** Chains that stall, lose, refuse or revert during x402 payments: no double payment, and each payment ends as an order or as nothing. */
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { type NetworkName, networkNames } from '@market/contract';
import type { Hex } from 'viem';
import { encodeUse } from '../../packages/server/src/platform/facilitator/evm-authorization.ts';
import type { AuthorizedTransfer } from '../../packages/server/src/platform/facilitator/exact-payload.ts';
import type { Reply } from '../harness/http.ts';
import {
  askNode,
  CHARGED_MICROS,
  countOrders,
  countSent,
  hireUntilKnown,
  hireWith,
  type MachineBuyer,
  type MachineStage,
  openMachineBuyer,
  openMachineBuyers,
  openMachineStage,
  PRICE_MICROS,
  readOffer,
  requireHired,
  signPayment,
  transferProof,
  versionTwo,
} from '../harness/machine-buyers.ts';
import type { ServerProcess } from '../harness/market.ts';
import { act, deliver, readOrder } from '../harness/orders.ts';
import { createPayer, freshAddress, untilLanded } from '../harness/payers.ts';
import { asHeaders, signed } from '../harness/people.ts';
import { isThorough, some, THOROUGH_ONLY } from '../harness/thoroughness.ts';
import { chainOf, requireSound, until } from '../money/money.ts';
import { passTime } from '../orders/market-time.ts';

const evmNetworks = some(['base-mainnet', 'alt-mainnet'] as const, 1);
/** Each test of an everyday run uses other networks. */
const erring = some(networkNames, 1);
const stalling = some(networkNames, 1);
const waiting = some(networkNames.toReversed(), 1);

suite('an x402 payment on a faulty chain', () => {
  let stage: MachineStage;
  let buyers: Record<NetworkName, MachineBuyer>;
  /** Started by the first test that needs jobs; from then on payments proceed by themselves. */
  let worker: Promise<ServerProcess> | undefined;
  const startWorker = async () => {
    worker ??= stage.startServer();
    return await worker;
  };
  before(async () => {
    // Without jobs, so that only the tests' calls move a payment.
    stage = await openMachineStage({ JOBS: 'off' }, { ownChains: true });
    buyers = await openMachineBuyers(stage);
  });
  after(() => stage.close());

  const holds = async (network: NetworkName, address: string) => (await chainOf(stage, network).readBalances(address)).usdcMicros;
  const fault = (network: NetworkName, mode: 'none' | 'down' | 'drop_tx' | 'slow', seconds?: number) =>
    stage.localChains.setFault({ network, mode, ...(seconds !== undefined && { seconds }) });
  const readReceipt = ({ headers }: Reply) => JSON.parse(Buffer.from(headers.get('payment-response') ?? '', 'base64').toString());

  /** A payment whose transaction the node accepts and drops. */
  async function payIntoTheVoid(buyer: MachineBuyer): Promise<{ headers: Record<string, string>; reference: string }> {
    const headers = await signPayment(stage, buyer);
    const reply = await hireWith(stage.urls[0], stage.serviceId, headers);
    assert.deepEqual([reply.status, reply.body['code']], [503, 'payment_pending'], JSON.stringify(reply.body));
    assert.ok(Number(reply.headers.get('retry-after')) > 0);
    const { success, transaction, errorReason } = readReceipt(reply);
    assert.deepEqual([success, errorReason], [false, 'settlement_pending']);
    assert.match(transaction, /^\w{64,90}$/);
    return { headers, reference: transaction };
  }

  for (const network of erring) {
    test(`on ${network}, an internal error after an x402 settlement is reported as pending, never as failed, and a retry returns the order`, async () => {
      const buyer = buyers[network];
      const [had, orders] = [await holds(network, buyer.address), await countOrders(stage, network)];
      const headers = await signPayment(stage, buyer);
      const { pool } = stage.database;
      await pool.query(`create function break_down() returns trigger language plpgsql as $$ begin raise 'broken'; end $$`);
      await pool.query('create trigger broken before insert on x402_purchases for each row execute function break_down()');
      const reply = await hireWith(stage.urls[0], stage.serviceId, headers);
      await pool.query('drop function break_down() cascade');
      assert.deepEqual([reply.status, reply.body['code']], [503, 'payment_pending'], JSON.stringify(reply.body));
      assert.deepEqual([readReceipt(reply).success, readReceipt(reply).errorReason], [false, 'settlement_pending']);
      assert.equal(await countOrders(stage, network), orders);

      await requireHired(hireUntilKnown(stage.urls[1], stage.serviceId, headers));
      assert.deepEqual([await countOrders(stage, network), await holds(network, buyer.address)], [orders + 1, had - CHARGED_MICROS]);
    });
  }

  async function stallAndRecover(network: NetworkName): Promise<void> {
    const buyer = buyers[network];
    const probe = await requireHired(hireWith(stage.urls[0], stage.serviceId, await signPayment(stage, buyer)));
    const [sent, had, orders] = [
      await countSent(stage, network, probe.reference),
      await holds(network, buyer.address),
      await countOrders(stage, network),
    ];
    const poor = await openMachineBuyer(stage, network, CHARGED_MICROS);
    await fault(network, 'drop_tx');
    const [kept, drained] = await Promise.all([payIntoTheVoid(buyer), payIntoTheVoid(poor)]);
    assert.equal(await countOrders(stage, network), orders, 'nothing is granted before the money moved');
    await fault(network, 'none');

    // Between signing and landing the buyer spends the money elsewhere.
    await poor.payer.pay(freshAddress(network), CHARGED_MICROS, 'confirmed');
    const { orderId, reference } = await requireHired(hireUntilKnown(stage.urls[1], stage.serviceId, kept.headers));
    assert.equal(reference, kept.reference);
    const refused = await hireUntilKnown(stage.urls[1], stage.serviceId, drained.headers);
    assert.equal(refused.status, 402, JSON.stringify(refused.body));
    assert.equal(readReceipt(refused).success, false);
    assert.equal(await countOrders(stage, network), orders + 1);
    assert.equal(await holds(network, buyer.address), had - CHARGED_MICROS);
    assert.ok((await countSent(stage, network, reference)) <= sent + 2, 'each payment was sent once at most');
    assert.equal((await requireHired(hireWith(stage.urls[0], stage.serviceId, kept.headers))).orderId, orderId);

    // Once it has money again, a new payment works.
    await stage.localChains.fund({ network, address: poor.address, usdcMicros: CHARGED_MICROS, native: 0n });
    await until('the faucet', async () => ((await holds(network, poor.address)) === CHARGED_MICROS ? true : undefined));
    if (network !== 'solana-mainnet') {
      // The failed attempt may have made the authorisation public.
      const copied = await hireWith(stage.urls[1], stage.serviceId, drained.headers, { brief: 'All of it for me.' });
      assert.deepEqual([copied.status, copied.body['code']], [409, 'payment_reserved'], JSON.stringify(copied.body));
    }
    await requireHired(hireWith(stage.urls[0], stage.serviceId, await signPayment(stage, poor)));
    assert.equal(await holds(network, poor.address), 0n);
  }

  async function outlastOutage(network: NetworkName): Promise<void> {
    const buyer = buyers[network];
    const had = await holds(network, buyer.address);
    const payment = await signPayment(stage, buyer);
    await fault(network, 'down');
    const refused = await hireWith(stage.urls[0], stage.serviceId, payment);
    assert.equal(refused.status, 503, JSON.stringify(refused.body));
    assert.ok(Number(refused.headers.get('retry-after')) > 0);
    await fault(network, 'none');
    const { orderId } = await requireHired(hireUntilKnown(stage.urls[0], stage.serviceId, payment));
    const slow = await signPayment(stage, buyer);
    await fault(network, 'slow', 3);
    await requireHired(hireUntilKnown(stage.urls[0], stage.serviceId, slow));
    assert.equal((await requireHired(hireWith(stage.urls[1], stage.serviceId, payment))).orderId, orderId);
    assert.equal(await holds(network, buyer.address), had - 2n * CHARGED_MICROS);
  }

  // All chains at once, because each wait is long.
  test('C03, V15: an x402 payment with unknown outcome is a 503 with the hash; a retry returns the order under that hash', async () => {
    await Promise.all(stalling.map(stallAndRecover));
  });

  test('a node that is down or slow delays an x402 payment and charges it once', async () => {
    await Promise.all(waiting.map(outlastOutage));
  });

  /** A stranger who saw the payment sends its authorisation first. */
  async function preempt(payload: Record<string, unknown>, network: NetworkName = 'base-mainnet'): Promise<string> {
    const thief = await createPayer(stage, network);
    assert.ok(thief.kind === 'evm');
    const data = encodeUse(payload as unknown as AuthorizedTransfer);
    const reference = await thief.wallet.sendTransaction({ to: thief.chain.usdcAddress as Hex, data, gas: 300_000n });
    await untilLanded(thief.chain, reference, 'confirmed');
    return reference;
  }

  for (const network of evmNetworks) {
    test(`on ${network}, an authorisation broadcast by a stranger becomes the buyer’s order with a signature, and is not sent again`, async () => {
      const buyer = buyers[network];
      const probe = await requireHired(hireWith(stage.urls[0], stage.serviceId, await signPayment(stage, buyer)));
      const sent = await countSent(stage, network, probe.reference);
      const offer = await readOffer(stage, stage.urls[0], stage.serviceId, network);
      const payload = await buyer.authorise(offer);
      const reference = await preempt(payload, network);
      const proof = asHeaders(await signed(buyer));
      const hired = await requireHired(hireWith(stage.urls[0], stage.serviceId, { ...versionTwo(offer, payload), ...proof }));
      assert.equal(hired.reference, reference);
      assert.equal(await countSent(stage, network, probe.reference), sent);
      const again = await hireWith(stage.urls[1], stage.serviceId, transferProof(network, reference), { brief: 'More.' });
      assert.deepEqual([again.status, again.body['code']], [409, 'payment_for_other_request']);
    });
  }

  test('V15, M06, X01: a stranger who presents the hash or the authorisation is refused, and the payer’s signature buys the order', async () => {
    const buyer = buyers['base-mainnet'];
    const offer = await readOffer(stage, stage.urls[0], stage.serviceId, 'base-mainnet');
    const payload = await buyer.authorise(offer);
    const reference = await preempt(payload);
    const orders = await countOrders(stage);
    const taken = await hireWith(stage.urls[0], stage.serviceId, transferProof('base-mainnet', reference), { brief: 'For me.' });
    assert.deepEqual([taken.status, taken.body['code']], [409, 'payment_reserved'], JSON.stringify(taken.body));
    const copied = await hireWith(stage.urls[1], stage.serviceId, versionTwo(offer, payload), { brief: 'For me.' });
    assert.deepEqual([copied.status, copied.body['code']], [409, 'payment_reserved'], JSON.stringify(copied.body));
    const headers = { ...versionTwo(offer, payload), ...asHeaders(await signed(buyer)) };
    const own = await Promise.all(stage.urls.map((url) => requireHired(hireWith(url, stage.serviceId, headers))));
    assert.equal(new Set(own.map(({ orderId }) => orderId)).size, 1);
    assert.equal(own[0]?.reference, reference);
    assert.equal(await countOrders(stage), orders + 1);
    const { rows } = await stage.database.pool.query(`select alias from x402_payments where state in ('settling', 'unknown')`);
    assert.deepEqual(rows, [], 'nothing is left for the reconciler to try for ever');
  });

  test('if the payer spends the preempted transfer by signature, the authorisation buys no second order', {
    skip: !isThorough && THOROUGH_ONLY,
  }, async () => {
    const buyer = buyers['base-mainnet'];
    const offer = await readOffer(stage, stage.urls[0], stage.serviceId, 'base-mainnet');
    const payload = await buyer.authorise(offer);
    const headers = { ...transferProof('base-mainnet', await preempt(payload)), ...asHeaders(await signed(buyer)) };
    const taken = await requireHired(hireWith(stage.urls[0], stage.serviceId, headers, { brief: 'For me.' }));
    const orders = await countOrders(stage);
    for (const url of stage.urls) {
      const reply = await hireWith(url, stage.serviceId, { ...versionTwo(offer, payload), ...asHeaders(await signed(buyer)) });
      assert.deepEqual([reply.status, reply.body['code']], [409, 'payment_already_used'], JSON.stringify(reply.body));
    }
    assert.equal(await countOrders(stage), orders);
    const { rows } = await stage.database.pool.query(`select alias from x402_payments where state in ('settling', 'unknown')`);
    assert.deepEqual(rows, [], 'nothing is left for the reconciler to try for ever');
    assert.equal((await readOrder(stage.urls[0], taken.orderId, buyer)).order.client_wallet, buyer.address);
  });

  test('M22, M23: an order is refunded in full when cancelled before its payout, and cannot be cancelled after it', async () => {
    const buyer = await openMachineBuyer(stage, 'base-mainnet', 3n * CHARGED_MICROS);
    const hires = [];
    for (const settlement of ['instant', 'on_approval', 'on_approval']) {
      const hired = requireHired(hireWith(stage.urls[0], stage.serviceId, await signPayment(stage, buyer), { settlement }));
      hires.push((await hired).orderId);
    }
    const [early, held, approved] = hires as [string, string, string];
    assert.equal(await holds('base-mainnet', buyer.address), 0n);
    assert.equal((await act(stage.urls[0], early, buyer, 'cancel')).status, 200);
    const late = await requireHired(hireWith(stage.urls[0], stage.serviceId, await signPayment(stage, buyers['base-mainnet'])));

    const worker = await startWorker();
    const isPaidOut = async (orderId: string) => {
      const { rows } = await stage.database.pool.query(`select 1 from payouts where subject_id = $1 and state = 'confirmed'`, [orderId]);
      return rows.length === 1;
    };
    await until('the provider of the instant hire being paid', async () => ((await isPaidOut(late.orderId)) ? true : undefined));
    const tooLate = await act(worker.url, late.orderId, buyers['base-mainnet'], 'cancel');
    assert.deepEqual([tooLate.status, tooLate.body['code']], [400, 'already_settled'], JSON.stringify(tooLate.body));
    assert.equal(await isPaidOut(held), false, 'kept until somebody approves');
    const cancelled = await act(worker.url, held, buyer, 'cancel');
    assert.equal(cancelled.status, 200, JSON.stringify(cancelled.body));
    assert.equal((await deliver(worker.url, approved, stage.provider)).status, 200);
    assert.equal(await isPaidOut(approved), false);
    assert.equal((await act(worker.url, approved, buyer, 'approve')).status, 200);
    await until('the approved hire being paid', async () => ((await isPaidOut(approved)) ? true : undefined));
    await until('both refunds', async () => ((await holds('base-mainnet', buyer.address)) === 2n * CHARGED_MICROS ? true : undefined));
  });

  async function freezeAndThaw(network: (typeof evmNetworks)[number], worker: ServerProcess): Promise<void> {
    const chain = chainOf(stage, network);
    const buyer = await openMachineBuyer(stage, network);
    // The buyer's money must be final, out of reach of the reorganisation.
    await buyer.payer.pay(freshAddress(network), 1n, 'final');
    const { orderId, reference } = await until('a settlement that is taken back', async () => {
      const hired = await requireHired(hireWith(worker.url, stage.serviceId, await signPayment(stage, buyer)));
      await stage.localChains.setFault({ network, mode: 'reorg' });
      return (await chain.readReceipt(hired.reference)).state === 'missing' ? hired : undefined;
    });
    await passTime(stage, 10);
    const finality = async () => {
      const { rows } = await stage.database.pool.query('select finality from chain_receipts where reference = $1', [reference]);
      return rows[0]?.finality;
    };
    await until('its going', async () => ((await finality()) === 'gone' ? true : undefined));
    const { order } = await readOrder(worker.url, orderId, buyer);
    assert.ok(order.payment_reverted);
    assert.equal((await deliver(worker.url, orderId, stage.provider)).body['code'], 'payment_reverted');
    const payouts = async () => (await stage.database.pool.query('select state from payouts where subject_id = $1', [orderId])).rows;
    assert.ok(!(await payouts()).some(({ state }) => state === 'confirmed'));

    const { rows } = await stage.database.pool.query('select signed_bytes from x402_payments where transaction = $1', [reference]);
    await askNode(stage, network, 'eth_sendRawTransaction', [`0x${Buffer.from(rows[0].signed_bytes, 'base64').toString('hex')}`]);
    await until('its coming back', async () => ((await finality()) === 'final' ? true : undefined));
    await passTime(stage, 31);
    await until('the payout', async () => ((await payouts()).some(({ state }) => state === 'confirmed') ? true : undefined));
    const { rows: paid } = await stage.database.pool.query('select amount_micros from payouts where subject_id = $1', [orderId]);
    assert.deepEqual(paid, [{ amount_micros: PRICE_MICROS }]);
  }

  test('X09: an x402 settlement reverted by its chain freezes the order and its payout until it is restored', {
    skip: !isThorough && THOROUGH_ONLY,
  }, async () => {
    const worker = await startWorker();
    await Promise.all(evmNetworks.map((network) => freezeAndThaw(network, worker)));
    await requireSound(stage.money);
  });
});
