/** Transfers that are not final, too old, or made by the marketplace itself, over HTTP: for an order and for x402. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, suite, test } from 'node:test';
import { type NetworkName, networkFacts } from '@market/contract';
import type { Chain, Finality } from '../../packages/server/src/platform/chains/chain.ts';
import { loadKeyFile } from '../../packages/server/src/platform/secrets/key-file.ts';
import { hireBare, hireSigned, idOf } from '../harness/bare-transfers.ts';
import { claimBounty, postBounty, readBounty, tryAccept, untilBounty } from '../harness/bounties.ts';
import { payWith } from '../harness/hostile-payers.ts';
import { call, type Reply } from '../harness/http.ts';
import { openMarket, type TestMarket, withOwnChains } from '../harness/market.ts';
import {
  act,
  advanceClock,
  type Buyer,
  listService,
  openBuyer,
  openProvider,
  type Provider,
  placeOrder,
  readOrder,
  requireSoundBooks,
} from '../harness/orders.ts';
import { createPayer, openPayer } from '../harness/payers.ts';
import { agreed, tokenFor } from '../harness/people.ts';
import { some } from '../harness/thoroughness.ts';
import { NETWORKS, until } from '../money/money.ts';

const BRIEF = 'A logo for a bakery.';

/** The reason of a refused payment in the standard header. */
function reasonIn({ headers }: Reply): string {
  return JSON.parse(Buffer.from(headers.get('payment-required') ?? '', 'base64').toString()).error;
}

suite('a transfer over HTTP', () => {
  let market: TestMarket;
  let dataDir: string;
  let url: string;
  let provider: Provider;
  let service: string;
  before(async () => {
    dataDir = await mkdtemp(path.join(tmpdir(), 'market-'));
    market = await openMarket({ ...withOwnChains, PAYMENT_FINAL_FROM_USD: '4', PAYMENT_WAIT_SECONDS: '1', DATA_DIR: dataDir });
    ({ url } = market);
    provider = await openProvider(url);
    service = await listService(url, provider, { price_usd: '5.00' });
  });
  after(async () => {
    await market.close();
    await rm(dataDir, { recursive: true, force: true });
  });

  const pays = (buyer: Buyer, micros: bigint) => buyer.payer.pay(buyer.payer.chain.treasury, micros);
  const payOrder = (orderId: string, buyer: Buyer, reference: string) =>
    act(url, orderId, buyer, 'pay', { escrow_tx_hash: reference, payment_chain: networkFacts[buyer.payer.chain.network].chain });

  /** Until the returned function runs, no transfer on the network is more final than this. All other readings stay true. */
  function hold(network: NetworkName, finality: Finality): () => void {
    const chains = market.chains as Map<NetworkName, Chain>;
    const chain = chains.get(network);
    assert.ok(chain);
    chains.set(network, {
      ...chain,
      async readReceipt(reference, known) {
        const reading = await chain.readReceipt(reference, known);
        return reading.state === 'landed' ? { ...reading, receipt: { ...reading.receipt, finality } } : reading;
      },
    });
    return () => chains.set(network, chain);
  }

  for (const network of some(NETWORKS, 1)) {
    test(`M12: on ${network} a transfer that is not final is refused with Retry-After, stays unused, and works later`, async () => {
      const [buyer, machine] = [await openBuyer(market, network), await openBuyer(market, network)];
      const orderId = await placeOrder(url, service, buyer);
      const [onOrder, onHire] = [await pays(buyer, 5_000_000n), await pays(machine, 5_500_000n)];
      const release = hold(network, 'confirmed');
      const order = await payOrder(orderId, buyer, onOrder);
      assert.deepEqual([order.status, order.body['code']], [400, 'payment_not_final'], JSON.stringify(order.body));
      assert.ok(Number(order.headers.get('retry-after')) > 0);
      const hire = await hireBare(url, service, network, onHire, BRIEF);
      assert.equal(hire.status, 402, JSON.stringify(hire.body));
      assert.ok(Number(hire.headers.get('retry-after')) > 0);
      release();
      assert.equal((await payOrder(orderId, buyer, onOrder)).status, 200);
      idOf(await hireBare(url, service, network, onHire, BRIEF));
    });
  }

  test('M12, M13: for a bounty, a transfer that is not final or too old is refused, stays unused, and works when it is final', async () => {
    const [buyer, agent] = [await openBuyer(market, 'base-mainnet'), await openProvider(url)];
    const early = await pays(buyer, 5_500_000n);
    await advanceClock(url, 11 * 60);
    const { id } = await postBounty(url, buyer, { budget_usd: '5.00' });
    const claim = await claimBounty(url, id, agent);
    const old = await tryAccept(url, id, claim, buyer, early);
    assert.deepEqual([old.status, old.body['code']], [400, 'payment_too_old'], JSON.stringify(old.body));
    // Block times are real, so the bounty is dated back instead of the transfer.
    const reference = await pays(buyer, 5_500_000n);
    await market.database.pool.query(`update bounties set created_at = created_at - interval '1 hour' where id = $1`, [id]);
    const release = hold('base-mainnet', 'confirmed');
    const soon = await tryAccept(url, id, claim, buyer, reference);
    assert.deepEqual([soon.status, soon.body['code']], [400, 'payment_not_final'], JSON.stringify(soon.body));
    assert.ok(Number(soon.headers.get('retry-after')) > 0);
    release();
    assert.equal((await tryAccept(url, id, claim, buyer, reference)).status, 200);
  });

  test('M12: a bounty paid in time stays open until the transfer is final, once and for half an hour', async () => {
    const [buyer, agent] = [await openBuyer(market, 'base-mainnet'), await openProvider(url)];
    const opened = async () => {
      const { id } = await postBounty(url, buyer, { budget_usd: '5.00', open_days: 1, claim_window_hours: 24 });
      // Block times are real, so the bounty is dated back instead of the transfer.
      await market.database.pool.query(`update bounties set created_at = created_at - interval '2 days' where id = $1`, [id]);
      return { id, claim: await claimBounty(url, id, agent) };
    };
    const endOf = async (id: string) => Date.parse((await readBounty(url, id)).expires_at);
    const refused = async (reply: Promise<Reply>, code: string) => {
      const { body } = await reply;
      assert.equal(body['code'], code, JSON.stringify(body));
    };
    const [kept, lost] = [await opened(), await opened()];
    const [reference, other, little] = [await pays(buyer, 5_500_000n), await pays(buyer, 5_500_000n), await pays(buyer, 5_400_000n)];
    const release = hold('base-mainnet', 'confirmed');
    const ends = [await endOf(kept.id), await endOf(lost.id)] as const;
    await refused(tryAccept(url, kept.id, kept.claim, buyer, reference), 'payment_not_final');
    assert.equal(await endOf(kept.id), ends[0], 'enough time is left');
    await advanceClock(url, (23 * 60 + 50) * 60);
    await refused(tryAccept(url, kept.id, kept.claim, buyer, little), 'payment_underpaid');
    assert.equal(await endOf(kept.id), ends[0], 'a transfer that does not pay holds nothing');
    await refused(tryAccept(url, kept.id, kept.claim, buyer, reference), 'payment_not_final');
    await refused(tryAccept(url, lost.id, lost.claim, buyer, other), 'payment_not_final');
    const held = [await endOf(kept.id), await endOf(lost.id)] as const;
    for (const [n, end] of held.entries()) {
      const minutes = (end - (ends[n] ?? 0)) / 60_000;
      assert.ok(minutes > 19 && minutes < 21, `${minutes} minutes more`);
    }
    await advanceClock(url, 15 * 60);
    const [offer] = (await readBounty(url, kept.id, buyer)).claims[0].next_actions;
    assert.deepEqual([offer?.action, Date.parse(`${offer?.until.replace(' ', 'T')}Z`)], ['accept', Math.floor(held[0] / 1000) * 1000]);
    await refused(tryAccept(url, lost.id, lost.claim, buyer, other), 'payment_not_final');
    assert.equal(await endOf(lost.id), held[1], 'a second hold is not given');
    release();
    assert.equal((await tryAccept(url, kept.id, kept.claim, buyer, reference)).status, 200);
    await advanceClock(url, 16 * 60);
    await untilBounty(url, lost.id, 'expired');
    await refused(tryAccept(url, lost.id, lost.claim, buyer, other), 'bounty_not_open');
  });

  test('M12: a claim paid in time is held until the transfer is final, once and for half an hour', async () => {
    const [buyer, agent] = [await openBuyer(market, 'base-mainnet'), await openProvider(url)];
    const { id } = await postBounty(url, buyer, { budget_usd: '5.00', claim_window_hours: 6 });
    // Block times are real, so the bounty is dated back instead of the transfer.
    await market.database.pool.query(`update bounties set created_at = created_at - interval '2 days' where id = $1`, [id]);
    const claim = await claimBounty(url, id, agent);
    const heldUntil = async () => Date.parse((await readBounty(url, id, buyer)).claims[0].held_until);
    const early = async () => {
      const { body } = await tryAccept(url, id, claim, buyer, reference);
      assert.equal(body['code'], 'payment_not_final', JSON.stringify(body));
      return await heldUntil();
    };
    const reference = await pays(buyer, 5_500_000n);
    const release = hold('base-mainnet', 'confirmed');
    const promised = await heldUntil();
    assert.equal(await early(), promised, 'enough time is left');
    await advanceClock(url, (5 * 60 + 50) * 60);
    const held = await early();
    assert.ok(held - promised > 19 * 60_000 && held - promised < 21 * 60_000, `${(held - promised) / 60_000} minutes more`);
    await advanceClock(url, 15 * 60);
    assert.equal(await early(), held, 'a second hold is not given');
    release();
    assert.equal((await tryAccept(url, id, claim, buyer, reference)).status, 200);
  });

  test('M13: a transfer older than the order, or older than an hour for a hire, is refused and stays unused', async () => {
    const buyer = await openBuyer(market, 'base-mainnet');
    const machine = await openBuyer(market, 'solana-mainnet');
    const [early, old] = [await pays(buyer, 5_000_000n), await pays(machine, 5_500_000n)];
    await advanceClock(url, 11 * 60);
    const late = await placeOrder(url, service, buyer);
    const refused = await payOrder(late, buyer, early);
    assert.deepEqual([refused.status, refused.body['code']], [400, 'payment_too_old'], JSON.stringify(refused.body));
    await advanceClock(url, 50 * 60);
    for (const stale of [await hireBare(url, service, 'solana-mainnet', old, BRIEF), await hireSigned(url, service, machine, old, BRIEF)]) {
      assert.equal(stale.status, 402, JSON.stringify(stale.body));
      assert.match(reasonIn(stale), /older than/);
    }
    const { rows } = await market.database.pool.query('select reference from payment_claims where reference = any($1)', [[early, old]]);
    assert.deepEqual(rows, []);
  });

  test('M17: a transfer of the marketplace’s own money is refused, from any sender', async () => {
    const sponsor = openPayer(market, 'base-mainnet', `0x${(await loadKeyFile(dataDir, 'sponsor-evm')).toString('hex')}`);
    assert.ok(market.localChains);
    await market.localChains.fund({ network: 'base-mainnet', address: sponsor.address, usdcMicros: 20_000_000n, native: 10n ** 18n });
    await until('the faucet', async () =>
      (await sponsor.chain.readBalances(sponsor.address)).usdcMicros >= 20_000_000n ? true : undefined,
    );
    const sent = await sponsor.pay(sponsor.chain.treasury, 5_500_000n);
    const relayed = await hireBare(url, service, 'base-mainnet', sent, BRIEF);
    assert.deepEqual([relayed.status, relayed.body['code']], [409, 'payment_already_used']);
    const stranger = await createPayer(market, 'base-mainnet');
    const handedIn = await payWith(sponsor, { how: 'sponsored', to: sponsor.chain.treasury, micros: 5_500_000n, sponsor: stranger });
    const refused = await hireBare(url, service, 'base-mainnet', handedIn, BRIEF);
    assert.equal(refused.status, 402, JSON.stringify(refused.body));
    assert.match(reasonIn(refused), /marketplace itself/);
  });

  test('M17: a hire by another wallet of the provider’s owner counts as related', async () => {
    const token = await tokenFor(url, { email: 'owner@example.com' });
    const second = await openBuyer(market, 'base-mainnet');
    for (const wallet of [provider.owner, second]) {
      const linked = await call(url, 'POST /api/auth/wallets', {
        key: token,
        body: await agreed(url, wallet, { action: 'link_wallet' }, token),
      });
      assert.equal(linked.status, 200, JSON.stringify(linked.body));
    }
    const orderId = idOf(await hireSigned(url, service, second, await pays(second, 5_500_000n), BRIEF));
    assert.equal((await readOrder(url, orderId, second)).order.related_party, 1);
  });

  test('the books are sound after refused transfers over HTTP', async () => {
    await requireSoundBooks(market);
  });
});
