/** Nodes that fail, hang, lie or belong to another network: the market answers 503, and no transfer is used up. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type NetworkName, networkFacts } from '@market/contract';
import { type FaultyNode, inflate, receiptMethods, silence, startFaultyNode, troubles } from '../harness/faulty-nodes.ts';
import { call, type Reply } from '../harness/http.ts';
import { openMarket, type TestMarket, withOwnChains } from '../harness/market.ts';
import { act, type Buyer, listService, openBuyer, openProvider, placeOrder, requireSoundBooks } from '../harness/orders.ts';
import { asHeaders, signed } from '../harness/people.ts';
import { some } from '../harness/thoroughness.ts';

const networks = some<NetworkName>(['base-mainnet', 'solana-mainnet', 'alt-mainnet'], 2);
/** The time within which the market must answer if a node hangs. */
const LONGEST_MS = 12_000;

interface Nodes {
  readonly behind: string;
  readonly first: FaultyNode;
  readonly second: FaultyNode;
}

/** A transfer for the market: how it is presented, and what it should buy. */
interface Attempt {
  readonly reference: string;
  present(): Promise<Reply>;
}

describe('faulty blockchain nodes', () => {
  const nodes = new Map<NetworkName, Nodes>();
  let market: TestMarket;
  let service: string;

  before(async () => {
    market = await openMarket(
      { ...withOwnChains, JOBS: 'off', SECOND_OPINION_FROM_USD: '0.01' },
      {
        // A node must prove itself with every question, and its circuit breaker sees its other answers.
        provenForMs: 0,
        reroute: (places) =>
          Promise.all(
            places.map(async (place) => {
              const behind = place.urls[0] ?? '';
              const [first, second] = [await startFaultyNode(behind), await startFaultyNode(behind)];
              nodes.set(place.network, { behind, first, second });
              return { ...place, urls: [first.url], secondUrl: second.url };
            }),
          ),
      },
    );
    service = await listService(market.url, await openProvider(market.url), { price_usd: '5.00' });
  });
  after(async () => {
    await requireSoundBooks(market);
    await market.close();
    for (const { first, second } of nodes.values()) for (const node of [first, second]) node.close();
  });

  const nodesOf = (network: NetworkName): Nodes => {
    const found = nodes.get(network);
    assert.ok(found);
    return found;
  };

  /** A transfer for an order, and a bare one for a hire. */
  async function openAttempts(network: NetworkName): Promise<readonly Attempt[]> {
    const buyer = await openBuyer(market, network);
    return [await orderAttempt(network, buyer), await hireAttempt(network, buyer)];
  }

  async function orderAttempt(network: NetworkName, buyer: Buyer): Promise<Attempt> {
    const order = await placeOrder(market.url, service, buyer);
    const reference = await buyer.payer.pay(buyer.payer.chain.treasury, 5_000_000n, 'final');
    const fields = { escrow_tx_hash: reference, payment_chain: networkFacts[network].chain };
    return { reference, present: () => act(market.url, order, buyer, 'pay', fields) };
  }

  async function hireAttempt(network: NetworkName, buyer: Buyer): Promise<Attempt> {
    const reference = await buyer.payer.pay(buyer.payer.chain.treasury, 5_500_000n, 'final');
    return {
      reference,
      async present() {
        const headers = { 'x-payment': reference, 'x-payment-network': network, ...asHeaders(await signed(buyer)) };
        return await call(market.url, `POST /api/x402/pay?service_id=${service}`, { headers, body: { brief: 'A logo for a bakery.' } });
      },
    };
  }

  async function requireUnclaimed(attempts: readonly Attempt[], what: string): Promise<void> {
    const references = attempts.map(({ reference }) => reference);
    const { rows } = await market.database.pool.query('select reference from payment_claims where reference = any($1)', [references]);
    assert.deepEqual(rows, [], what);
  }

  async function requireUnavailable(attempts: readonly Attempt[], what: string): Promise<void> {
    const replies = await Promise.all(attempts.map(({ present }) => present()));
    for (const reply of replies) {
      assert.deepEqual([reply.status, reply.body['code']], [503, 'chain_unavailable'], `${what}: ${JSON.stringify(reply.body)}`);
      assert.ok(Number(reply.headers.get('retry-after')) > 0, what);
    }
    await requireUnclaimed(attempts, what);
  }

  /** After the fault the same transfers buy what they should, as soon as the circuit breaker admits the node again. */
  async function requirePayable(attempts: readonly Attempt[]): Promise<void> {
    for (const { present } of attempts) {
      let reply = await present();
      for (let look = 0; look < 60 && reply.status === 503; look++) {
        await new Promise((resolve) => setTimeout(resolve, 250));
        reply = await present();
      }
      assert.equal(reply.status, 200, JSON.stringify(reply.body));
    }
  }

  const onEveryNetwork = (work: (network: NetworkName) => Promise<void>) => async () => {
    await Promise.all(networks.map(work));
  };

  test(
    'C13: no fault of a node uses up a transfer, and the transfer counts once the fault is over',
    onEveryNetwork(async (network) => {
      const { first } = nodesOf(network);
      const attempts = await openAttempts(network);
      for (const [trouble, fault] of some(Object.entries(troubles), 3)) {
        first.spoil(fault, receiptMethods);
        await requireUnavailable(attempts, `${network} ${trouble}`);
      }
      first.spoil(undefined);
      await requirePayable(attempts);
    }),
  );

  test(
    'C09: a node’s false receipt is contradicted by the other node',
    onEveryNetwork(async (network) => {
      const { first, second } = nodesOf(network);
      const attempts = await openAttempts(network);
      for (const [place, liar] of Object.entries({ first, second })) {
        liar.spoil(inflate, receiptMethods);
        await requireUnavailable(attempts, `the ${place} node of ${network} lies`);
        liar.spoil(undefined);
      }
      await requirePayable(attempts);
    }),
  );

  test(
    'C10: a node replaced by one of another network after the start is not trusted',
    onEveryNetwork(async (network) => {
      const { first, second, behind } = nodesOf(network);
      const elsewhere = nodesOf(network === 'base-mainnet' ? 'alt-mainnet' : 'base-mainnet').behind;
      const attempts = await openAttempts(network);
      for (const node of [first, second]) {
        node.swapFor(elsewhere);
        await requireUnavailable(attempts, `${network} swapped`);
        node.swapFor(behind);
      }
      await requirePayable(attempts);
    }),
  );

  test('C10: on base-mainnet: a node with the right chain id and another genesis block is not trusted', async () => {
    const { first } = nodesOf('base-mainnet');
    const attempts = await openAttempts('base-mainnet');
    first.spoil(
      async (response, ask) => {
        const answer = (await ask()) as { result: { number: string; hash: string } };
        const hash = answer.result?.number === '0x0' ? `0x${'ab'.repeat(32)}` : answer.result?.hash;
        response.end(JSON.stringify({ ...answer, result: { ...answer.result, hash } }));
      },
      ['eth_getBlockByNumber'],
    );
    await requireUnavailable(attempts, 'another first block');
    first.spoil(undefined);
    await requirePayable(attempts);
  });

  test('C12: a hanging node delays a payer by at most 12 s, and browsing not at all', async () => {
    const payers = await Promise.all(networks.map(openAttempts));
    for (const network of networks) nodesOf(network).first.spoil(silence);
    const startedAt = performance.now();
    let pending = 0;
    const paying = payers.flat().map(async ({ present }) => {
      pending += 1;
      const reply = await present();
      pending -= 1;
      return { reply, ms: performance.now() - startedAt };
    });
    for (let look = 0; look < 20; look++) {
      for (const route of ['GET /api/agents', 'GET /api/services', `GET /api/services/${service}`] as const)
        assert.equal((await call(market.url, route)).status, 200);
    }
    assert.equal(pending, paying.length, 'browsing waited for the node');
    for (const { reply, ms } of await Promise.all(paying)) {
      assert.deepEqual([reply.status, reply.body['code']], [503, 'chain_unavailable'], JSON.stringify(reply.body));
      assert.ok(ms < LONGEST_MS, `${Math.round(ms)} ms`);
    }
    await requireUnclaimed(payers.flat(), 'hanging');
    for (const network of networks) nodesOf(network).first.spoil(undefined);
    await requirePayable(payers.flat());
  });
});
