/** Transfer references are public on chain. A stranger who presents one gets nothing, and the payer gets the paid order. */
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { type NetworkName, networkFacts } from '@market/contract';
import { postBounty } from '../harness/bounties.ts';
import { call, type Reply } from '../harness/http.ts';
import { hireWith, type MachineStage, openMachineStage, requireHired, transferProof } from '../harness/machine-buyers.ts';
import { registerWith } from '../harness/machine-registrations.ts';
import { act, type Buyer, listService, openBuyer, openProvider, type Provider, placeOrder, readOrder } from '../harness/orders.ts';
import { agentBody, asHeaders, signed } from '../harness/people.ts';
import { some, times } from '../harness/thoroughness.ts';
import { chainOf, NETWORKS, requireSound, USDC } from '../money/money.ts';

/** The price at which a machine pays exactly the buyer's transfer. */
const THIEVES_PRICE = '4.545454';

suite('a transfer presented by a stranger', () => {
  let stage: MachineStage;
  let thief: Provider;
  let bait: string;
  let wanted: string;
  const buyers = new Map<NetworkName, Buyer>();

  before(async () => {
    stage = await openMachineStage({}, { hosted: false });
    thief = await openProvider(stage.urls[0]);
    bait = await listService(stage.urls[0], thief, { price_usd: THIEVES_PRICE, title: 'Nothing at all' });
    wanted = await listService(stage.urls[0], stage.provider, { price_usd: '5.00', title: 'Honest work' });
    for (const network of NETWORKS) buyers.set(network, await openBuyer(stage, network));
  });
  after(() => stage.close());

  const buyerOn = (network: NetworkName): Buyer => {
    const buyer = buyers.get(network);
    assert.ok(buyer);
    return buyer;
  };
  const treasuryOf = (network: NetworkName) => chainOf(stage, network).treasury;
  const payWith = (url: string, orderId: string, buyer: Buyer, reference: string) =>
    act(url, orderId, buyer, 'pay', { escrow_tx_hash: reference, payment_chain: networkFacts[buyer.payer.chain.network].chain });

  /** Every way in which a stranger can present a reference. */
  function entrances(network: NetworkName, reference: string): Record<string, () => Promise<Reply>> {
    const headers = transferProof(network, reference);
    const [one, two] = stage.urls;
    return {
      pay: () => hireWith(one, bait, headers),
      'the path': () => call(two, `POST /api/x402/discover/${bait}`, { headers, body: { brief: 'All of it for me.' } }),
      'the path by GET': () => call(one, `GET /api/x402/discover/${bait}?brief=All%20of%20it%20for%20me`, { headers }),
      'the query': () => call(two, `GET /api/x402/discover?service_id=${bait}&brief=All%20of%20it%20for%20me`, { headers }),
      orders: () => call(one, 'POST /api/orders', { headers, body: { service_id: bait, brief: 'All of it for me.' } }),
      'orders with the key of the thief': () =>
        call(two, 'POST /api/orders', {
          headers: { ...headers, ...thief.headers },
          body: { service_id: bait, brief: 'All of it for me.' },
        }),
      registration: () => registerWith(one, headers, agentBody()),
    };
  }

  async function thiefHas(network: NetworkName): Promise<bigint> {
    const { rows } = await stage.database.pool.query<{ micros: string }>(
      `select coalesce(sum(p.amount_micros), 0) as micros from payouts p join orders o on o.id = p.subject_id
       where o.provider_agent_id = $1 and p.network = $2`,
      [thief.id, network],
    );
    return BigInt(rows[0]?.micros ?? 0);
  }

  for (const network of some(NETWORKS, 1)) {
    test(`M06, X01: on ${network} a stranger cannot spend a transfer while its payer has an unpaid order, through any entrance`, async () => {
      const buyer = buyerOn(network);
      const orderId = await placeOrder(stage.urls[0], wanted, buyer);
      const reference = await buyer.payer.pay(treasuryOf(network), 5n * USDC);
      for (const [entrance, present] of Object.entries(entrances(network, reference))) {
        const { status, body } = await present();
        assert.deepEqual([status, body['code']], [409, 'payment_reserved'], `${entrance}: ${JSON.stringify(body)}`);
        assert.equal(body['data'].payer, buyer.address);
        assert.match(body['data'].sign.message, new RegExp(`^market:${buyer.address}:\\d+$`));
      }
      const paid = await payWith(stage.urls[1], orderId, buyer, reference);
      assert.deepEqual([paid.status, paid.body['data'].status, paid.body['data'].contestable_until], [200, 'paid', null]);
      assert.equal(await thiefHas(network), 0n);
    });
  }

  test('M06, X01: a stranger cannot spend a transfer while its payer has an open bounty, through any entrance', async () => {
    const buyer = await openBuyer(stage, 'base-mainnet');
    await postBounty(stage.urls[0], buyer);
    const reference = await buyer.payer.pay(treasuryOf('base-mainnet'), 5n * USDC);
    for (const [entrance, present] of Object.entries(entrances('base-mainnet', reference))) {
      const { status, body } = await present();
      assert.deepEqual([status, body['code']], [409, 'payment_reserved'], `${entrance}: ${JSON.stringify(body)}`);
    }
  });

  test('M06, X01: a stranger cannot spend a large transfer', async () => {
    const buyer = await openBuyer(stage, 'base-mainnet');
    const service = await listService(stage.urls[0], stage.provider, { price_usd: '999.00', title: 'A lot of work' });
    const greedy = await listService(stage.urls[0], thief, { price_usd: '908.181818', title: 'Still nothing' });
    const orderId = await placeOrder(stage.urls[0], service, buyer);
    const reference = await buyer.payer.pay(treasuryOf('base-mainnet'), 999n * USDC);
    const stolen = await hireWith(stage.urls[0], greedy, transferProof('base-mainnet', reference));
    assert.deepEqual([stolen.status, stolen.body['code']], [409, 'payment_reserved']);
    assert.equal((await payWith(stage.urls[1], orderId, buyer, reference)).status, 200);
  });

  test('M06: a reserved transfer is accepted with the payer’s signature of the message that the refusal names', async () => {
    const buyer = buyerOn('base-mainnet');
    await placeOrder(stage.urls[0], wanted, buyer);
    const reference = await buyer.payer.pay(treasuryOf('base-mainnet'), 5n * USDC);
    const headers = transferProof('base-mainnet', reference);
    const { body } = await hireWith(stage.urls[0], bait, headers);
    const { message, headers: carriers } = body['data'].sign;
    const proof = { ...carriers, 'X-Market-Wallet-Sig': await buyer.sign(message) };
    const { orderId } = await requireHired(hireWith(stage.urls[1], bait, { ...headers, ...proof }));
    assert.equal((await readOrder(stage.urls[0], orderId, buyer)).order.contestable_until, null);
  });

  test('M06: a transfer that thief and buyer present in parallel on two processes pays the buyer’s order', async () => {
    const buyer = buyerOn('solana-mainnet');
    for (let round = 0; round < times(2, 5); round++) {
      const orderId = await placeOrder(stage.urls[0], wanted, buyer);
      const reference = await buyer.payer.pay(treasuryOf('solana-mainnet'), 5n * USDC);
      const [stolen, paid] = await Promise.all([
        hireWith(stage.urls[round % 2 === 0 ? 0 : 1], bait, transferProof('solana-mainnet', reference)),
        payWith(stage.urls[round % 2 === 0 ? 1 : 0], orderId, buyer, reference),
      ]);
      assert.equal(stolen.status, 409, JSON.stringify(stolen.body));
      assert.equal(paid.status, 200, JSON.stringify(paid.body));
    }
  });

  test('M06, A19: a transfer of a wallet linked to an account or an agent needs the payer’s signature', async () => {
    const [url] = stage.urls;
    const owner = await openBuyer(stage, 'base-mainnet');
    await openProvider(url, 'base-mainnet', owner);
    const paidTo = await openBuyer(stage, 'base-mainnet');
    const payout = { body: { payout_address_base: paidTo.address }, headers: thief.headers };
    const set = await call(url, 'PATCH /api/agents/me', payout);
    for (const buyer of set.status === 200 ? [owner, paidTo] : [owner]) {
      const reference = await buyer.payer.pay(treasuryOf('base-mainnet'), 5n * USDC);
      const stolen = await hireWith(url, bait, transferProof('base-mainnet', reference));
      assert.deepEqual([stolen.status, stolen.body['code']], [409, 'payment_reserved'], JSON.stringify(stolen.body));
      // A payout address is no proof, so the key of the agent that names it spends nothing.
      const byKey = await hireWith(url, bait, { ...transferProof('base-mainnet', reference), ...thief.headers });
      assert.deepEqual([byKey.status, byKey.body['code']], [409, 'payment_reserved']);
      const own = { ...transferProof('base-mainnet', reference), ...asHeaders(await signed(buyer)) };
      assert.equal((await hireWith(url, stage.serviceId, own)).status, 200);
    }
  });

  test('the books are sound after stolen transfers', async () => {
    await requireSound(stage.money);
  });
});
