/** Reviews in the ERC-8004 Reputation Registry of the sandbox: who may publish, which transactions count, what is refused. */
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { sandboxReputationRegistry } from '@market/sandbox/evm';
import type { Hex } from 'viem';
import { decodeFunctionData, encodeFunctionData, keccak256, parseUnits } from 'viem/utils';
import { registerOwnedAgent } from '../harness/agents.ts';
import { call, expectCall } from '../harness/http.ts';
import { openMarket, type TestMarket, withChains } from '../harness/market.ts';
import { setOrderStatus } from '../harness/order-states.ts';
import { type Buyer, listService, openBuyer, placeOrder, readOrder } from '../harness/orders.ts';
import { asHeaders, baseWallet, signed, tokenFor } from '../harness/people.ts';
import { findBroken } from '../money/find-broken.ts';
import { until } from '../money/money.ts';
import { feedbackCorruptions } from '../onchain/feedback-corruptions.ts';
import {
  evmPayerOf,
  feedbackRoute,
  openRegisteredAgent,
  openReputation,
  prepare,
  type ReviewedAgent,
  readFeedback,
  record,
  reviewedOrder,
  sendCall,
  untilPublished,
} from '../onchain/feedback-stage.ts';

const { abi, creationCode } = sandboxReputationRegistry;
type FeedbackArgs = readonly [bigint, bigint, number, string, string, string, string, Hex];

suite('reviews on chain', () => {
  let market: TestMarket;
  let agent: ReviewedAgent;
  let buyer: Buyer;
  let order: string;
  let reputation: ReturnType<typeof openReputation>;
  before(async () => {
    market = await openMarket(withChains);
    reputation = openReputation(market);
    [agent, buyer] = await Promise.all([openRegisteredAgent(market), openBuyer(market, 'base-mainnet')]);
    order = await reviewedOrder(market, agent, buyer, { rating: 4, comment: 'Exact, and “early”.' });
  });
  after(() => market.close());

  async function prepared(id: string, who = buyer) {
    const reply = await prepare(market.url, id, who);
    assert.equal(reply.status, 200, JSON.stringify(reply.body));
    return reply.body['data'];
  }

  test('GET shows the author of a review the cost first and publishes nothing; others may not read it', async () => {
    const shown = await readFeedback(market.url, order, buyer);
    assert.deepEqual(
      [shown['status'], shown['registry'], shown['agent_id'], shown['value'], shown['wallets'], shown['tx_hash']],
      ['none', reputation.caip10, agent.onchainId, 80, [buyer.address], null],
    );
    const [expected, required] = [parseUnits(shown['cost'].cost_eth, 18), parseUnits(shown['cost'].required_eth, 18)];
    assert.ok(expected > 0n && expected < required, JSON.stringify(shown['cost']));
    assert.equal(await reputation.lastIndex(agent.onchainId, buyer.address), 0n);
    const route = `GET ${feedbackRoute(order)}` as const;
    assert.equal((await call(market.url, route)).status, 401);
    assert.equal((await call(market.url, route, { headers: agent.headers })).body['code'], 'wrong_side');
    assert.equal((await call(market.url, route, { headers: asHeaders(await signed(baseWallet())) })).body['code'], 'not_your_order');
    const foreign = await prepare(market.url, order, buyer, agent.owner.address);
    assert.deepEqual([foreign.status, foreign.body['code']], [403, 'onchain_feedback_wallet']);
    assert.equal((await readOrder(market.url, order, buyer)).can_publish_review, true);
    assert.equal((await readOrder(market.url, order, agent.owner)).can_publish_review, false);
  });

  test('a transaction by somebody else, in another registry, or about another agent, rating or file does not publish a review', async () => {
    const early = await record(market.url, order, buyer, `0x${'5'.repeat(64)}`);
    assert.deepEqual([early.status, early.body['code']], [409, 'onchain_feedback_not_prepared']);
    const { transaction } = await prepared(order);
    const stranger = evmPayerOf(await openBuyer(market, 'base-mainnet'));
    const own = evmPayerOf(buyer);
    const { args } = decodeFunctionData({ abi, data: transaction.data });
    const given = args as unknown as FeedbackArgs;
    const bent = (change: Partial<Record<number, unknown>>) =>
      encodeFunctionData({ abi, functionName: 'giveFeedback', args: given.map((arg, i) => change[i] ?? arg) as unknown as FeedbackArgs });
    const other = await openRegisteredAgent(market);
    const copy = await own.wallet.deployContract({ abi, bytecode: creationCode, gas: 5_000_000n });
    const { contractAddress } = await own.reader.waitForTransactionReceipt({ hash: copy });
    assert.ok(contractAddress);
    const wrong = {
      'the wallet of somebody else': await sendCall(stranger, transaction),
      'another registry': await sendCall(own, { ...transaction, to: contractAddress }),
      'another agent': await sendCall(own, { ...transaction, data: bent({ 0: BigInt(other.onchainId) }) }),
      'another rating': await sendCall(own, { ...transaction, data: bent({ 1: 100n }) }),
      'another tag': await sendCall(own, { ...transaction, data: bent({ 3: 'uptime' }) }),
      'another address': await sendCall(own, { ...transaction, data: bent({ 6: 'https://example.com/file.json' }) }),
      'another file': await sendCall(own, { ...transaction, data: bent({ 7: `0x${'5'.repeat(64)}` }) }),
      'a payment': (await readOrder(market.url, order, buyer)).review.proof.tx_hash as string,
    };
    for (const [what, reference] of Object.entries(wrong)) {
      const { status, body } = await record(market.url, order, buyer, reference);
      assert.deepEqual([status, body['code']], [422, 'onchain_feedback_mismatch'], `${what}: ${JSON.stringify(body)}`);
    }
    const failed = await record(market.url, order, buyer, await sendCall(own, { ...transaction, data: bent({ 2: 19 }) }));
    assert.deepEqual([failed.status, failed.body['code']], [422, 'onchain_feedback_failed']);
    const unknown = await record(market.url, order, buyer, `0x${'5'.repeat(64)}`);
    assert.deepEqual([unknown.status, unknown.body['code']], [404, 'onchain_feedback_not_found']);
    assert.equal((await record(market.url, order, buyer, 'nonsense')).body['code'], 'invalid_payment_reference');
    assert.equal((await readFeedback(market.url, order, buyer))['status'], 'none');
  });

  test('the author’s wallet publishes a review once: chain, file, review and notice agree, and repeats change nothing', async () => {
    const { file_url, file_hash, transaction, value } = await prepared(order);
    assert.deepEqual([(await prepared(order)).file_hash, transaction.value, value], [file_hash, '0x0', 80]);
    const reference = await sendCall(evmPayerOf(buyer), transaction);
    const replies = await Promise.all([1, 2, 3, 4].map(() => record(market.url, order, buyer, reference.toUpperCase().replace('X', 'x'))));
    for (const { status, body } of replies) assert.deepEqual([status, body['data']?.tx_hash], [200, reference], JSON.stringify(body));
    const done = await untilPublished(market.url, order, buyer);
    assert.deepEqual([done['tx_hash'], done['file_url'], done['cost']], [reference, file_url, null]);
    const index = await reputation.lastIndex(agent.onchainId, buyer.address);
    assert.deepEqual(await reputation.read(agent.onchainId, buyer.address, index), [80n, 0, 'starred', '', false]);

    const response = await fetch(file_url);
    const bytes = new Uint8Array(await response.arrayBuffer());
    assert.equal(keccak256(bytes), file_hash, 'the served bytes have the hash that is on chain');
    const { review } = await readOrder(market.url, order, buyer);
    const { proofOfPayment, ...file } = JSON.parse(new TextDecoder().decode(bytes));
    assert.deepEqual(
      [file.agentId, file.clientAddress, file.value, file.valueDecimals, file.tag1, file.comment, file.orderId],
      [Number(agent.onchainId), `eip155:8453:${buyer.address}`, 80, 0, 'starred', 'Exact, and “early”.', order],
    );
    assert.deepEqual(proofOfPayment, {
      fromAddress: buyer.address,
      toAddress: market.chains.get('base-mainnet')?.treasury,
      chainId: '8453',
      txHash: review.proof.tx_hash,
    });
    assert.equal(review.onchain.tx_hash, reference);
    const [listed] = (await expectCall(market.url, 200, `GET /api/agents/${agent.id}/reviews`)) as unknown as [typeof review];
    assert.deepEqual(listed.onchain, review.onchain);
    await until('the notice', async () => {
      const notes = (await expectCall(market.url, 200, 'GET /api/notifications', { key: agent.token })) as unknown as { body: string }[];
      return notes.some(({ body }) => body.includes('4 of 5') && body.includes(reference)) ? true : undefined;
    });

    const again = await prepare(market.url, order, buyer);
    assert.deepEqual([again.status, again.body['code'], again.body['data'].tx_hash], [409, 'onchain_feedback_exists', reference]);
    const second = await record(market.url, order, buyer, await sendCall(evmPayerOf(buyer), transaction));
    assert.deepEqual([second.status, second.body['code']], [409, 'onchain_feedback_exists']);
    assert.equal((await record(market.url, order, buyer, reference)).body['data'].status, 'published');
  });

  test('while operators hide the agent, the file of its review answers 410 and no transaction is prepared', async () => {
    const fresh = await reviewedOrder(market, agent, buyer);
    const { file_url } = await prepared(fresh);
    const before = await (await fetch(file_url)).text();
    const hide = (status: string) =>
      market.database.pool.query('update agents set moderation_status = $2 where id = $1', [agent.id, status]);
    await hide('spam');
    try {
      const gone = await fetch(file_url);
      assert.deepEqual([gone.status, ((await gone.json()) as { code: string }).code], [410, 'feedback_file_withdrawn']);
      assert.equal((await prepare(market.url, fresh, buyer)).body['code'], 'onchain_feedback_hidden');
    } finally {
      await hide('ok');
    }
    assert.equal(await (await fetch(file_url)).text(), before);
    assert.equal((await fetch(file_url.replace(/0x\w{8}/, '0x00000000'))).status, 404);
  });

  test('a buyer who paid on Solana links a Base wallet first; the proof of the review names the Solana payment', async () => {
    const payer = await openBuyer(market, 'solana-mainnet');
    const paid = await reviewedOrder(market, agent, payer, { rating: 5 });
    const shown = await readFeedback(market.url, paid, payer);
    assert.deepEqual([shown['wallets'], shown['cost']], [[], null]);
    const base = await openBuyer(market, 'base-mainnet');
    const refused = await prepare(market.url, paid, payer, base.address);
    assert.deepEqual([refused.status, refused.body['code']], [403, 'onchain_feedback_wallet']);
    assert.match(refused.body['error'], /link one/);
    const wallets = [payer, base].map(({ chain, address }) => ({ chain, address }));
    const key = await tokenFor(market.url, { email: `feedback-${process.pid}@example.com`, wallets });
    await expectCall(market.url, 200, 'POST /api/auth/user', { key });
    const linked = await call(market.url, `POST ${feedbackRoute(paid)}/prepare`, { key, body: { client_wallet: base.address } });
    assert.equal(linked.status, 200, JSON.stringify(linked.body));
    const file = (await (await fetch(linked.body['data'].file_url)).json()) as { comment?: string; proofOfPayment: Record<string, string> };
    assert.deepEqual([file.comment, file.proofOfPayment['fromAddress']], [undefined, payer.address]);
    assert.match(file.proofOfPayment['chainId'] ?? '', /^solana:/);
  });

  test('publishing a review is 404 for an order without one, and 409 for an agent that is not registered', async () => {
    const plain = await registerOwnedAgent(market.url, baseWallet());
    const headers = { authorization: `Bearer ${plain.key}` };
    const serviceId = await listService(market.url, { id: plain.id, headers });
    const unreviewed = await placeOrder(market.url, agent.serviceId, buyer);
    assert.equal((await prepare(market.url, unreviewed, buyer)).body['code'], 'review_not_found');
    const local = await reviewedOrder(market, { serviceId, headers }, buyer);
    const { status, body } = await prepare(market.url, local, buyer);
    assert.deepEqual([status, body['code']], [409, 'agent_not_onchain']);
    assert.equal((await readOrder(market.url, local, buyer)).can_publish_review, false);
  });

  test('without a registry, publishing a review answers 503 and the order does not offer it', async () => {
    const bare = await openMarket();
    try {
      const [who, plain] = [baseWallet(), await registerOwnedAgent(bare.url, baseWallet())];
      const serviceId = await listService(bare.url, { id: plain.id, headers: { authorization: `Bearer ${plain.key}` } });
      const id = await placeOrder(bare.url, serviceId, who);
      await setOrderStatus(bare, [id], 'completed');
      await expectCall(bare.url, 200, `POST /api/orders/${id}/review`, { headers: asHeaders(await signed(who)), body: { rating: 5 } });
      await bare.database.pool.query(`update agents set erc8004_registry = 'eip155:8453:0x0', erc8004_agent_id = '7' where id = $1`, [
        plain.id,
      ]);
      const read = await call(bare.url, `GET ${feedbackRoute(id)}`, { headers: asHeaders(await signed(who)) });
      for (const { status, body } of [read, await prepare(bare.url, id, who), await record(bare.url, id, who, `0x${'5'.repeat(64)}`)])
        assert.deepEqual([status, body['code']], [503, 'onchain_feedback_unavailable']);
      assert.equal((await readOrder(bare.url, id, who)).can_publish_review, false);
    } finally {
      await bare.close();
    }
  });

  test('a published review cannot change, and the audit finds nothing wrong with it', async () => {
    const { pool } = market.database;
    await assert.rejects(pool.query(`update onchain_feedback set file = '{}'`), /is fixed/);
    await assert.rejects(pool.query(`delete from onchain_feedback`), /is fixed/);
    assert.deepEqual((await findBroken(market.database)).broken, []);
  });

  for (const { what, breaks, sql } of feedbackCorruptions) {
    test(`the audit of published reviews reports ${what} (${breaks})`, async () => {
      const { broken, changed } = await findBroken(market.database, sql);
      assert.ok(changed > 0, 'nothing was spoilt');
      assert.ok(broken.includes(breaks), `reported ${broken.join(', ') || 'nothing'}`);
    });
  }

  test('Y03: a review of an order under 1 USDC is not published, and a review file says what its order weighs', async () => {
    const serviceId = await listService(market.url, agent, { price_usd: '0.50' });
    const small = await reviewedOrder(market, { ...agent, serviceId }, buyer, { rating: 1 });
    const refused = await prepare(market.url, small, buyer);
    assert.deepEqual([refused.status, refused.body['code']], [409, 'onchain_feedback_too_small']);
    assert.equal((await readOrder(market.url, small, buyer)).can_publish_review, false);
    const other = await reviewedOrder(market, agent, buyer);
    await prepared(other);
    const stored = await market.database.pool.query<{ file: string }>('select file from onchain_feedback where order_id = $1', [other]);
    const file = JSON.parse(stored.rows[0]?.file ?? '{}');
    assert.deepEqual([file.priceUsd, file.weight], ['10.00', 1]);
  });
});
