/** Buyers: an agent by its key, a person by account, a person by wallet. The identity decides which wallet pays and who may review. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { networkFacts } from '@market/contract';
import { allowPayer } from '../harness/agents.ts';
import { call, type Envelope, expectCall } from '../harness/http.ts';
import { openMarket, type TestMarket, withChains } from '../harness/market.ts';
import {
  BRIEF,
  deliver,
  listService,
  openBuyer,
  openProvider,
  requireSoundBooks,
  untilTransferred,
  usdcOn,
  walletOf,
} from '../harness/orders.ts';
import { createPayer, type Payer } from '../harness/payers.ts';
import { agentBody, baseWallet, linkWallet, signed, tokenFor } from '../harness/people.ts';

let market: TestMarket;
before(async () => {
  market = await openMarket(withChains);
});
after(() => market.close());

/** Orders and pays with a bearer credential alone; the money comes from `payer`. */
async function buy(key: string, serviceId: string, payer: Payer): Promise<Envelope> {
  const { url } = market;
  const placed = await expectCall(url, 200, 'POST /api/orders', { key, body: { service_id: serviceId, brief: BRIEF } });
  const reference = await payer.pay(payer.chain.treasury, 10_000_000n);
  const body = { action: 'pay', escrow_tx_hash: reference, payment_chain: networkFacts[payer.chain.network].chain };
  return await expectCall(url, 200, `PATCH /api/orders/${placed['id']}`, { key, body });
}

async function placeSigned(serviceId: string, wallet: Parameters<typeof signed>[0]): Promise<Envelope> {
  return await expectCall(market.url, 200, 'POST /api/orders', {
    body: { service_id: serviceId, brief: BRIEF, ...(await signed(wallet)) },
  });
}

describe('buyers by agent key, account and wallet', () => {
  for (const network of ['base-mainnet', 'solana-mainnet'] as const) {
    test(`an agent hires an agent by its key alone, pays from its owner’s wallet on ${network}, which allows it, and approves`, async () => {
      const { url } = market;
      const owner = await openBuyer(market, network);
      const [client, provider] = await Promise.all([openProvider(url, network, owner), openProvider(url, network)]);
      assert.equal((await allowPayer(url, owner, client.id)).status, 200);
      const paid = await buy(client.key, await listService(url, provider), owner.payer);
      assert.deepEqual(
        [paid['status'], paid['client_agent_id'], paid['client_name'], paid['client_wallet']],
        ['paid', client.id, client.name, null],
      );
      assert.deepEqual([paid['payer_address'], paid['related_party']], [owner.address, 0]);

      assert.equal((await deliver(url, paid['id'], provider)).status, 200);
      await expectCall(url, 200, `PATCH /api/orders/${paid['id']}`, { key: client.key, body: { action: 'approve' } });
      // The owner of the buying agent acts as the buyer, too.
      const money = await untilTransferred(url, paid['id'], owner, 'payout');
      assert.deepEqual([money.payout.destination, money.released_usd], [provider.owner.address, '9.00']);
      assert.equal(await usdcOn(url, network, provider.owner.address), '9.00');
    });
  }

  test('a person with an account pays from a linked wallet, and may finish by account or wallet', async () => {
    const { url } = market;
    const payer = await createPayer(market, 'base-mainnet');
    const key = await tokenFor(url, { email: 'ines@example.com', name: 'Ines' });
    await expectCall(url, 200, 'POST /api/auth/user', { key });
    const provider = await openProvider(url);
    const service = await listService(url, provider);

    const placed = await expectCall(url, 200, 'POST /api/orders', { key, body: { service_id: service, brief: BRIEF } });
    const reference = await payer.pay(payer.chain.treasury, 10_000_000n);
    const told = { key, body: { action: 'pay', escrow_tx_hash: reference } };
    const refused = await expectCall(url, 403, `PATCH /api/orders/${placed['id']}`, told);
    assert.equal(refused['code'], 'payment_wrong_payer');

    await linkWallet(url, key, walletOf(payer));
    const paid = await expectCall(url, 200, `PATCH /api/orders/${placed['id']}`, told);
    assert.deepEqual([paid['status'], paid['payer_address']], ['paid', payer.address]);
    assert.equal((await deliver(url, placed['id'], provider)).status, 200);
    await expectCall(url, 200, `PATCH /api/orders/${placed['id']}`, { key, body: { action: 'approve' } });
    const readName = async () => {
      const { order } = await expectCall(url, 200, `GET /api/orders/${placed['id']}`, { headers: provider.headers });
      return [order.user_id, order.client_name];
    };
    const short = `${payer.address.slice(0, 4)}...${payer.address.slice(-4)}`;
    assert.deepEqual(
      await readName(),
      [null, short],
      'Y01: the provider reads neither account nor the name that the identity provider knows',
    );
    await expectCall(url, 200, 'PUT /api/profile', { key, body: { display_name: 'Ines D' } });
    assert.deepEqual(await readName(), [null, short], 'Y01: a public name is not joined to a wallet that does not show');
    await expectCall(url, 200, 'PUT /api/profile', { key, body: { shown_wallets: [payer.address] } });
    assert.deepEqual(await readName(), [null, 'Ines D']);
  });

  test('a person can order with their first request', async () => {
    const { url } = market;
    const key = await tokenFor(url, { email: 'first@example.com', name: 'First' });
    const service = await listService(url, await openProvider(url));
    const placed = await call(url, 'POST /api/orders', { key, body: { service_id: service, brief: BRIEF } });
    assert.equal(placed.status, 200, JSON.stringify(placed.body));
  });

  test('client_wallet of an order must be the caller’s own wallet', async () => {
    const { url } = market;
    const service = await listService(url, await openProvider(url));
    const body = { service_id: service, brief: BRIEF, client_wallet: baseWallet().address, ...(await signed(baseWallet())) };
    assert.equal((await expectCall(url, 401, 'POST /api/orders', { body }))['code'], 'wallet_mismatch');
  });

  test('an order between related parties is marked, for each of their identities', async () => {
    const { url } = market;
    const [first, second] = [baseWallet(), baseWallet()];
    const key = await tokenFor(url, { email: 'mara@example.com', name: 'Mara' });
    await expectCall(url, 200, 'POST /api/auth/user', { key });
    for (const wallet of [first, second]) await linkWallet(url, key, wallet);
    const byAccount = await expectCall(url, 201, 'POST /api/agents/register', { key, body: agentBody() });
    const ofAccount = { id: byAccount['agent_id'], headers: { authorization: `Bearer ${byAccount['api_key']}` } };
    const ofWallet = await openProvider(url, 'base-mainnet', first);

    for (const provider of [ofAccount, ofWallet]) {
      const service = await listService(url, provider);
      const buyers: Envelope[] = [
        await placeSigned(service, first),
        await placeSigned(service, second),
        await expectCall(url, 200, 'POST /api/orders', { key, body: { service_id: service, brief: BRIEF } }),
        await expectCall(url, 200, 'POST /api/orders', { key: ofWallet.key, body: { service_id: service, brief: BRIEF } }),
        await expectCall(url, 200, 'POST /api/orders', { key: byAccount['api_key'], body: { service_id: service, brief: BRIEF } }),
      ];
      assert.deepEqual(
        buyers.map((order) => order['related_party']),
        [1, 1, 1, 1, 1],
      );
      assert.equal((await placeSigned(service, baseWallet()))['related_party'], 0);
    }
  });

  test('the books are sound after orders of all buyers', async () => {
    await requireSoundBooks(market);
  });
});
