/** One payment for a registration, presented in parallel, for other purposes and by others: one agent of the payer, on two servers. */
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { type NetworkName, networkFacts } from '@market/contract';
import { call } from '../harness/http.ts';
import {
  CHARGED_MICROS,
  countOrders,
  countSent,
  hireWith,
  type MachineBuyer,
  type MachineStage,
  openMachineBuyer,
  openMachineStage,
  requireHired,
  signPayment,
  transferProof,
} from '../harness/machine-buyers.ts';
import {
  countAgents,
  REGISTRATION_MICROS,
  readOwnAgent,
  registerUntilKnown,
  registerWith,
  requireRegistered,
  signRegistration,
} from '../harness/machine-registrations.ts';
import { act, placeOrder } from '../harness/orders.ts';
import { agentBody, asHeaders, baseWallet, signed } from '../harness/people.ts';
import { some, times } from '../harness/thoroughness.ts';
import { chainOf, requireSound, until } from '../money/money.ts';

const COPIES = times(6, 20);

suite('a payment for a registration', () => {
  let stage: MachineStage;
  let buyers: readonly [MachineBuyer, MachineBuyer, MachineBuyer];
  before(async () => {
    stage = await openMachineStage({ OUTBOUND_ALLOW: '127.0.0.1' }, { hosted: false });
    const on = (network: NetworkName) => openMachineBuyer(stage, network);
    buyers = await Promise.all([on('base-mainnet'), on('solana-mainnet'), on('alt-mainnet')]);
  });
  after(() => stage.close());

  const holds = async ({ payer, address }: MachineBuyer) => (await payer.chain.readBalances(address)).usdcMicros;
  /** Wallets that own no agent yet; an owner would have to sign. */
  const strangers = (...networks: readonly NetworkName[]) =>
    Promise.all(some(networks, 1).map((network) => openMachineBuyer(stage, network)));
  const transfer = async ({ payer }: MachineBuyer, micros = REGISTRATION_MICROS) =>
    transferProof(payer.chain.network, await payer.pay(chainOf(stage, payer.chain.network).treasury, micros));

  test(`${COPIES} parallel copies of a standard registration payment make one agent, one charge and one broadcast`, async () => {
    for (const buyer of some(buyers, 2)) {
      const { network } = buyer.payer.chain;
      const probe = await requireHired(hireWith(stage.urls[0], stage.serviceId, await signPayment(stage, buyer)));
      const [sent, had, agents] = [await countSent(stage, network, probe.reference), await holds(buyer), await countAgents(stage)];
      const [payment, body] = [await signRegistration(stage, stage.urls[0], buyer), agentBody()];
      const replies = await Promise.all(
        Array.from({ length: COPIES }, (_, index) => registerWith(stage.urls[index % 2 === 0 ? 0 : 1], payment, body)),
      );
      const statuses = new Set(replies.map(({ status }) => status));
      assert.ok(statuses.has(201) && [...statuses].every((status) => status === 201 || status === 503), [...statuses].join());
      const last = await requireRegistered(registerUntilKnown(stage.urls[1], payment, body));
      const ids = replies.filter(({ status }) => status === 201).map((reply) => reply.body['data'].agent_id);
      assert.deepEqual([...new Set(ids)], [last['agent_id']]);
      assert.deepEqual([await holds(buyer), await countAgents(stage)], [had - REGISTRATION_MICROS, agents + 1]);
      assert.equal(await countSent(stage, network, probe.reference), sent + 1);
    }
  });

  test(`${COPIES} parallel copies of a transfer for a registration make one agent, and one answer contains its key`, async () => {
    for (const buyer of await strangers('base-mainnet', 'solana-mainnet')) {
      const [proof, body, agents] = [await transfer(buyer), agentBody(), await countAgents(stage)];
      const replies = await Promise.all(
        Array.from({ length: COPIES }, (_, index) => registerWith(stage.urls[index % 2 === 0 ? 0 : 1], proof, body)),
      );
      const data = await Promise.all(replies.map(requireRegistered));
      assert.equal(new Set(data.map((one) => one['agent_id'])).size, 1);
      const keys = data.map((one) => one['api_key']).filter((key) => key !== null);
      assert.equal(keys.length, 1);
      assert.equal((await readOwnAgent(stage.urls[1], keys[0]))?.['owner_wallet'], buyer.address);
      assert.equal(await countAgents(stage), agents + 1);
    }
  });

  test(`${COPIES} parallel registration payments for one name make one agent, and the others are refunded`, async () => {
    const [buyer] = buyers;
    const [had, agents, body] = [await holds(buyer), await countAgents(stage), agentBody()];
    const payments = await Promise.all(Array.from({ length: COPIES }, () => signRegistration(stage, stage.urls[0], buyer)));
    const replies = await Promise.all(
      payments.map((payment, index) => registerUntilKnown(stage.urls[index % 2 === 0 ? 0 : 1], payment, body)),
    );
    const statuses = replies.map(({ status }) => status).sort();
    assert.deepEqual(statuses, [201, ...Array<number>(COPIES - 1).fill(409)]);
    assert.equal(await countAgents(stage), agents + 1);
    await until('every refund', async () => ((await holds(buyer)) === had - REGISTRATION_MICROS ? true : undefined));
  });

  test('one transfer used in parallel for an order and a registration buys one of them, and the other is 409', async () => {
    for (const buyer of await strangers('solana-mainnet', 'base-mainnet')) {
      const proof = await transfer(buyer, CHARGED_MICROS);
      const [orders, agents] = [await countOrders(stage), await countAgents(stage)];
      const replies = await Promise.all([hireWith(stage.urls[0], stage.serviceId, proof), registerWith(stage.urls[1], proof, agentBody())]);
      const statuses = replies.map(({ status }) => status).sort();
      assert.ok(statuses[1] === 409 && [200, 201].includes(statuses[0] ?? 0), JSON.stringify(replies.map(({ body }) => body)));
      assert.equal((await countOrders(stage)) + (await countAgents(stage)), orders + agents + 1);
    }
  });

  test('M02: a payment that bought a registration pays no order or hire, and a settled payment is no transfer proof', async () => {
    for (const buyer of some(buyers, 1)) {
      const { network } = buyer.payer.chain;
      const [payment, body] = [await signRegistration(stage, stage.urls[0], buyer), agentBody()];
      const registered = await registerWith(stage.urls[0], payment, body);
      const { agent_id: agentId } = await requireRegistered(registered);
      const settled = transferProof(network, registered.body['x402'].tx_signature);
      for (const headers of [payment, settled]) {
        const hired = await hireWith(stage.urls[1], stage.serviceId, headers);
        assert.deepEqual([hired.status, hired.body['code'], hired.body['data'].agent_id], [409, 'payment_for_other_request', agentId]);
        const other = await registerWith(stage.urls[1], headers, agentBody());
        assert.deepEqual([other.status, other.body['code']], [409, 'payment_for_other_request']);
      }
      const shown = await requireRegistered(registerWith(stage.urls[1], settled, body));
      assert.deepEqual([shown['agent_id'], shown['api_key']], [agentId, null]);
      const order = await placeOrder(stage.urls[0], stage.serviceId, buyer);
      const { chain } = networkFacts[network];
      const paid = await act(stage.urls[1], order, buyer, 'pay', {
        escrow_tx_hash: registered.body['x402'].tx_signature,
        payment_chain: chain,
      });
      assert.deepEqual([paid.status, paid.body['code']], [409, 'payment_already_used']);
    }
  });

  test('M02: a payment that bought a hire registers no agent', async () => {
    const [buyer] = buyers;
    const payment = await signPayment(stage, buyer);
    const { orderId } = await requireHired(hireWith(stage.urls[0], stage.serviceId, payment));
    const reply = await registerWith(stage.urls[1], payment, agentBody());
    assert.deepEqual([reply.status, reply.body['code'], reply.body['data'].order_id], [409, 'payment_for_other_request', orderId]);
  });

  test('A19: a stranger who presents a registration’s transfer first gets a key, but the payer owns the agent and replaces the key', async () => {
    for (const buyer of await strangers('solana-mainnet', 'base-mainnet')) {
      const stranger = baseWallet();
      const [proof, body] = [await transfer(buyer), agentBody({ endpoint_url: 'http://127.0.0.1:9/hook' })];
      const stolen = await registerWith(stage.urls[0], proof, body);
      const data = await requireRegistered(stolen);
      const key = data['api_key'];
      assert.equal(stolen.body['x402'].payer_wallet, buyer.address);
      assert.equal((await readOwnAgent(stage.urls[1], key))?.['owner_wallet'], buyer.address);
      const signedBy = await registerWith(stage.urls[1], { ...proof, ...asHeaders(await signed(stranger)) }, body);
      assert.equal((await requireRegistered(signedBy))['api_key'], null);
      const recovered = await call(stage.urls[0], 'POST /api/agents/recover', { body: await signed(stranger) });
      assert.equal(recovered.body['code'], 'no_agents_found');

      // The key spends no other transfer of the wallet: neither for an order of the agent nor, after the wallet signed, for a hire.
      const second = await transfer(buyer, CHARGED_MICROS);
      const placed = await call(stage.urls[0], 'POST /api/orders', {
        key,
        body: { service_id: stage.serviceId, brief: 'For the thief, please.' },
      });
      assert.equal(placed.status, 200, JSON.stringify(placed.body));
      const paid = await call(stage.urls[0], `PATCH /api/orders/${placed.body['data'].order_id}`, {
        key,
        body: { action: 'pay', escrow_tx_hash: second['x-payment'], payment_chain: networkFacts[buyer.payer.chain.network].chain },
      });
      assert.deepEqual([paid.status, paid.body['code']], [403, 'payment_wrong_payer'], JSON.stringify(paid.body));

      // The payer recovers a new key, which ends the stranger's. Only the payer's own proof spends its transfer.
      const own = await call(stage.urls[1], 'POST /api/agents/recover', { body: { ...(await signed(buyer)), agent_name: body.name } });
      const [owned] = own.body['data'].agents;
      assert.deepEqual([owned.replaced, owned.api_key === key], [true, false]);
      assert.equal(await readOwnAgent(stage.urls[1], key), undefined);
      assert.equal((await readOwnAgent(stage.urls[1], owned.api_key))?.['owner_wallet'], buyer.address);
      await requireHired(hireWith(stage.urls[1], stage.serviceId, { ...second, ...asHeaders(await signed(buyer)) }));
    }
  });

  test('each transfer for a registration bought exactly one thing, and the books are sound', async () => {
    const { rows } = await stage.database.pool.query(
      `select c.purpose, count(*)::int from payment_claims c
       left join agents a on a.id = c.subject_id and a.owner_wallet = c.payer
       left join payouts p on p.subject_id = c.subject_id and p.purpose = 'refund' and p.destination = c.payer
       where c.purpose = 'registration' and (a.id is null) = (p.id is null) group by 1`,
    );
    assert.deepEqual(rows, [], 'a registration is an agent of its payer or goes back to them');
    await requireSound(stage.money);
  });
});
