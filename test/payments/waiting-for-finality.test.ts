/** A payment before its block, or not yet final, is awaited inside the request: at every entrance, on every network, within limits. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, suite, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { type NetworkName, networkFacts } from '@market/contract';
import { createWaitingRoom } from '../../packages/server/src/features/payments/index.ts';
import type { Chain } from '../../packages/server/src/platform/chains/chain.ts';
import { call, type Reply } from '../harness/http.ts';
import { transferProof } from '../harness/machine-buyers.ts';
import { openMarket, type TestMarket, withChains } from '../harness/market.ts';
import { act, type Buyer, listService, openBuyer, openProvider, placeOrder, requireSoundBooks } from '../harness/orders.ts';
import { agentBody } from '../harness/people.ts';
import { NETWORKS, until } from '../money/money.ts';

const BRIEF = 'A logo for a bakery.';
/** From 4 USDC on a payment must be final, so that its first block is never enough. */
const finalOnly = { ...withChains, PAYMENT_FINAL_FROM_USD: '4', REGISTRATION_PRICE_USD: '5' };

/** Pays, and returns as soon as the transfer is in a block. */
async function paysIntoBlock({ payer }: Buyer, micros: bigint): Promise<string> {
  const reference = await payer.pay(payer.chain.treasury, micros, 'sent');
  await until('a block', async () => {
    const reading = await payer.chain.readReceipt(reference);
    return reading.state === 'landed' || (reading.state === 'missing' && reading.inBlock === true) ? true : undefined;
  });
  return reference;
}

/** Until the returned function runs, no transaction on the network is more final than seen. All other readings stay true. */
function hold({ chains }: TestMarket, network: NetworkName): () => void {
  const all = chains as Map<NetworkName, Chain>;
  const chain = all.get(network);
  assert.ok(chain);
  let isHeld = true;
  all.set(network, {
    ...chain,
    async readReceipt(reference, known) {
      const reading = await chain.readReceipt(reference, known);
      return isHeld && reading.state === 'landed' ? { ...reading, receipt: { ...reading.receipt, finality: 'seen' } } : reading;
    },
  });
  return () => {
    isHeld = false;
    all.set(network, chain);
  };
}

/** Until the returned function runs, the network shows no transaction, like a node without new blocks. */
function hide({ chains }: TestMarket, network: NetworkName): () => void {
  const all = chains as Map<NetworkName, Chain>;
  const chain = all.get(network);
  assert.ok(chain);
  let isHidden = true;
  all.set(network, {
    ...chain,
    readReceipt: async (reference, known) => (isHidden ? { state: 'missing' } : await chain.readReceipt(reference, known)),
  });
  return () => {
    isHidden = false;
    all.set(network, chain);
  };
}

async function waitingIn(url: string): Promise<number> {
  const { body } = await call(url, 'GET /metrics');
  return Number(/^market_payments_waiting (\d+)$/m.exec(body['text'])?.[1]);
}

const asksToComeBack = ({ status, headers }: Reply) => status === 402 && Number(headers.get('retry-after')) > 0;

suite('a payment before its block', () => {
  let market: TestMarket;
  let service: string;
  before(async () => {
    market = await openMarket({ ...withChains, REGISTRATION_PRICE_USD: '5' });
    service = await listService(market.url, await openProvider(market.url), { price_usd: '5.00' });
  });
  after(async () => {
    await requireSoundBooks(market);
    await market.close();
  });

  for (const network of NETWORKS) {
    test(`M12: on ${network} a payment before its block is awaited and accepted at the first try, by an order and by a machine`, async () => {
      const [person, machine] = [await openBuyer(market, network), await openBuyer(market, network)];
      const orderId = await placeOrder(market.url, service, person);
      const sent = await Promise.all([
        person.payer.pay(person.payer.chain.treasury, 5_000_000n),
        machine.payer.pay(machine.payer.chain.treasury, 5_500_000n),
      ]);
      const release = hide(market, network);
      const { chain } = networkFacts[network];
      const paying = act(market.url, orderId, person, 'pay', { escrow_tx_hash: sent[0], payment_chain: chain });
      const hiring = call(market.url, `POST /api/x402/pay?service_id=${service}`, {
        headers: transferProof(network, sent[1]),
        body: { brief: BRIEF },
      });
      await until('both waiting', async () => ((await waitingIn(market.url)) === 2 ? true : undefined));
      release();
      for (const reply of await Promise.all([paying, hiring])) assert.equal(reply.status, 200, JSON.stringify(reply.body));
    });
  }
});

test('a transfer that no block shows in time is refused with Retry-After, and stays unused', async () => {
  const market = await openMarket({ ...withChains, PAYMENT_WAIT_SECONDS: '1' });
  try {
    const service = await listService(market.url, await openProvider(market.url), { price_usd: '5.00' });
    const buyer = await openBuyer(market, 'base-mainnet');
    const reference = await buyer.payer.pay(buyer.payer.chain.treasury, 5_500_000n);
    const hire = () =>
      call(market.url, `POST /api/x402/pay?service_id=${service}`, {
        headers: transferProof('base-mainnet', reference),
        body: { brief: BRIEF },
      });
    const release = hide(market, 'base-mainnet');
    const startedAt = performance.now();
    const refused = await hire();
    assert.ok(performance.now() - startedAt >= 1_000, 'it waited');
    assert.deepEqual([asksToComeBack(refused), refused.body['reason']], [true, 'payment_not_found'], JSON.stringify(refused.body));
    release();
    assert.equal((await hire()).status, 200);
  } finally {
    await market.close();
  }
});

suite('a payment in its first block', () => {
  let market: TestMarket;
  let service: string;
  before(async () => {
    market = await openMarket(finalOnly);
    service = await listService(market.url, await openProvider(market.url), { price_usd: '5.00' });
  });
  after(() => market.close());

  /** Every entrance that takes a payment. */
  const doors: Record<string, (buyer: Buyer) => Promise<Reply>> = {
    'an order': async (buyer) => {
      const orderId = await placeOrder(market.url, service, buyer);
      const { chain } = networkFacts[buyer.payer.chain.network];
      const fields = { escrow_tx_hash: await paysIntoBlock(buyer, 5_000_000n), payment_chain: chain };
      return await act(market.url, orderId, buyer, 'pay', fields);
    },
    'POST /api/orders': async (buyer) => {
      const headers = await proofOf(buyer, 5_500_000n);
      return await call(market.url, 'POST /api/orders', { headers, body: { service_id: service, brief: BRIEF } });
    },
    'POST /api/x402/pay': async (buyer) => {
      const headers = await proofOf(buyer, 5_500_000n);
      return await call(market.url, `POST /api/x402/pay?service_id=${service}`, { headers, body: { brief: BRIEF } });
    },
    'GET /api/x402/discover': async (buyer) => {
      const headers = await proofOf(buyer, 5_500_000n);
      return await call(market.url, `GET /api/x402/discover/${service}?brief=${encodeURIComponent(BRIEF)}`, { headers });
    },
    'a registration': async (buyer) => {
      const headers = await proofOf(buyer, 5_000_000n);
      return await call(market.url, 'POST /api/agents/register?pay=x402', { headers, body: agentBody() });
    },
  };
  const proofOf = async (buyer: Buyer, micros: bigint) => transferProof(buyer.payer.chain.network, await paysIntoBlock(buyer, micros));

  for (const network of NETWORKS) {
    test(`M12: on ${network} a payment in its first block is accepted at the first try at every entrance`, async () => {
      await Promise.all(
        Object.entries(doors).map(async ([door, present]) => {
          const reply = await present(await openBuyer(market, network));
          assert.ok(reply.status === 200 || reply.status === 201, `${door}: ${reply.status} ${JSON.stringify(reply.body)}`);
        }),
      );
    });
  }

  test('the books are sound after awaited payments', async () => {
    await requireSoundBooks(market);
  });
});

suite('a request that waits for a payment', () => {
  let market: TestMarket;
  let service: string;
  let isOpen = true;
  before(async () => {
    market = await openMarket({ ...withChains, PAYMENT_WAIT_SECONDS: '40', PAYMENT_WAIT_REQUESTS: '4' });
    service = await listService(market.url, await openProvider(market.url), { price_usd: '5.00' });
  });
  after(async () => {
    if (isOpen) await market.close();
  });

  const hire = (reference: string, more: { signal?: AbortSignal; key?: string } = {}): Promise<Response> =>
    fetch(`${market.url}/api/x402/pay?service_id=${service}`, {
      method: 'POST',
      headers: {
        ...transferProof('base-mainnet', reference),
        'content-type': 'application/json',
        ...(more.key !== undefined && { 'idempotency-key': more.key }),
      },
      body: JSON.stringify({ brief: BRIEF }),
      ...(more.signal && { signal: more.signal }),
    });
  const pays = async () => {
    const buyer = await openBuyer(market, 'base-mainnet');
    return await buyer.payer.pay(buyer.payer.chain.treasury, 5_500_000n);
  };
  const untilWaiting = (count: number) =>
    until(`${count} waiting`, async () => ((await waitingIn(market.url)) === count ? true : undefined));

  test('a request that waits for a payment takes one of a bounded number of slots and no transaction; others get Retry-After at once', async () => {
    const references = await Promise.all([pays(), pays(), pays(), pays(), pays()]);
    const [first = '', ...others] = references;
    const release = hold(market, 'base-mainnet');
    const patient = hire(first);
    await untilWaiting(1);
    const copy = await hire(first);
    assert.deepEqual(
      [copy.status, Number(copy.headers.get('retry-after')) > 0],
      [402, true],
      'one transfer has a share of the places only',
    );
    const more = others.slice(0, 3).map((reference) => hire(reference));
    await untilWaiting(4);
    const startedAt = performance.now();
    const last = await hire(others[3] ?? '');
    assert.deepEqual([last.status, Number(last.headers.get('retry-after')) > 0], [402, true]);
    assert.ok(performance.now() - startedAt < 10_000, 'the last one did not wait');
    const { rows } = await market.database.pool.query(
      `select count(*)::int as held from pg_stat_activity where datname = current_database() and state like 'idle in transaction%'`,
    );
    assert.deepEqual(rows, [{ held: 0 }]);
    release();
    for (const reply of await Promise.all([patient, ...more])) assert.equal(reply.status, 200, await reply.text());
    assert.equal((await hire(others[3] ?? '')).status, 200, 'nothing of the refused one was used up');
    await untilWaiting(0);
  });

  test('a request that waits for a payment keeps its Idempotency-Key: a parallel repeat gets 409, a later one the stored answer', async () => {
    const [reference, key] = [await pays(), randomUUID()];
    const release = hold(market, 'base-mainnet');
    const waiting = hire(reference, { key });
    await untilWaiting(1);
    const meanwhile = await hire(reference, { key });
    assert.deepEqual([meanwhile.status, ((await meanwhile.json()) as Reply['body'])['code']], [409, 'idempotency_in_flight']);
    release();
    const answer = await (await waiting).text();
    const again = await hire(reference, { key });
    assert.deepEqual([again.headers.get('idempotent-replayed'), await again.text()], ['true', answer]);
  });

  test('a request that waits for a payment ends when its client disconnects', async () => {
    const reference = await pays();
    const release = hold(market, 'base-mainnet');
    const goingAway = new AbortController();
    const sent = hire(reference, { signal: goingAway.signal });
    await untilWaiting(1);
    goingAway.abort();
    await assert.rejects(sent);
    await untilWaiting(0);
    release();
    assert.equal((await hire(reference)).status, 200);
  });

  test('a request that waits for a payment ends when the process stops, and uses nothing', async () => {
    const reference = await pays();
    hold(market, 'base-mainnet');
    const sent = hire(reference);
    await untilWaiting(1);
    const startedAt = performance.now();
    isOpen = false;
    const closing = market.close();
    const reply = await sent;
    assert.deepEqual([reply.status, Number(reply.headers.get('retry-after')) > 0], [402, true]);
    await closing;
    assert.ok(performance.now() - startedAt < 30_000);
  });
});

suite('payments with PAYMENT_WAIT_SECONDS at 0', () => {
  test('M12: without a payment wait a payment that is not final is refused at once with Retry-After, and accepted later', async () => {
    const market = await openMarket({ ...withChains, PAYMENT_WAIT_SECONDS: '0' });
    try {
      const service = await listService(market.url, await openProvider(market.url), { price_usd: '5.00' });
      for (const network of NETWORKS) {
        const buyer = await openBuyer(market, network);
        const headers = transferProof(network, await buyer.payer.pay(buyer.payer.chain.treasury, 5_500_000n));
        const release = hold(market, network);
        const hire = () => call(market.url, `POST /api/x402/pay?service_id=${service}`, { headers, body: { brief: BRIEF } });
        const refused = await hire();
        assert.ok(asksToComeBack(refused), `${network}: ${refused.status} ${JSON.stringify(refused.body)}`);
        release();
        assert.equal((await hire()).status, 200);
      }
    } finally {
      await market.close();
    }
  });
});

test('a waiting room frees a slot when its request leaves, and admits none after it closed', async () => {
  const room = createWaitingRoom({ seconds: 5, places: 2 });
  const never = new AbortController().signal;
  const stays = [room.enter('a', never, true), room.enter('b', never, true)];
  assert.deepEqual([room.enter('c', never, true), room.waiting()], [undefined, 2]);
  stays[0]?.leave();
  const next = room.enter('c', never, true);
  assert.ok(next);
  assert.equal(await next.next(), true);
  const [woken] = await Promise.all([next.next(), pause(20).then(() => room.close())]);
  assert.deepEqual([woken, room.enter('d', never, true)], [false, undefined]);
});

test('references that no block shows get a quarter of the slots of a waiting room', () => {
  const room = createWaitingRoom({ seconds: 5, places: 8 });
  const never = new AbortController().signal;
  const unseen = ['a', 'b', 'c'].map((reference) => room.enter(reference, never, false));
  assert.deepEqual([unseen[2], room.waiting()], [undefined, 2]);
  for (const reference of ['d', 'e', 'f', 'g', 'h', 'i']) assert.ok(room.enter(reference, never, true));
  unseen[0]?.leave();
  assert.ok(room.enter('c', never, false));
  room.close();
});
