/** Every operation that needs a custody signature gets it from the SDK's wallet, without further code. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createMarketClient, type MarketClient, type WalletSigner } from '@market/sdk';
import { fundWallet, type OwnedAgent, openOwnedAgent } from '../agent-wallets/stage.ts';
import { expectCall } from '../harness/http.ts';
import { openMarket, type TestMarket, withChains } from '../harness/market.ts';
import { BRIEF, type Buyer, listService, openBuyer, openProvider } from '../harness/orders.ts';
import { baseWallet, type TestWallet } from '../harness/people.ts';

let market: TestMarket;
let buyer: Buyer;
before(async () => {
  market = await openMarket({ ...withChains, OUTBOUND_ALLOW: '127.0.0.1' });
  buyer = await openBuyer(market, 'base-mainnet');
});
after(() => market.close());

function signerOf({ address, chain, sign }: TestWallet): WalletSigner & { readonly asked: string[] } {
  const asked: string[] = [];
  return {
    address,
    chain,
    asked,
    async signMessage(text) {
      asked.push(text);
      return await sign(text);
    },
  };
}

/** Calls of an agent's owner about money, keys and limits, with the wallet alone. */
const ownersCalls: Readonly<Record<string, (client: MarketClient, agent: OwnedAgent) => Promise<unknown>>> = {
  'wallets.setWithdrawAddress': (client, { id }) => client.wallets.setWithdrawAddress({ id, withdraw_address_base: baseWallet().address }),
  'wallets.send': (client, { id }) => client.wallets.send({ id, chain: 'base', to: baseWallet().address, amount: 1 }),
  'wallets.exportKey': (client, { id }) => client.wallets.exportKey({ id, chain: 'base' }),
  'agents.update': (client, { id }) => client.agents.update({ id, payout_address_base: baseWallet().address }),
  'spending.setPolicy': (client, { id }) => client.spending.setPolicy({ kind: 'agent', id, per_order_usd: '5.00' }),
  'earn.setSweep': (client, { id }) => client.earn.setSweep({ id, enabled: false }),
  'webhooks.rotateSecret': (client, { id }) => client.webhooks.rotateSecret({ id }),
};

for (const [name, run] of Object.entries(ownersCalls)) {
  test(`V05: the SDK signs ${name} with the owner wallet, over the call itself`, async () => {
    const agent = await openOwnedAgent(market.url);
    await fundWallet(market, agent, 'base-mainnet', { usdcMicros: 2_000_000n });
    await expectCall(market.url, 200, 'PATCH /api/agents/me', { key: agent.key, body: { endpoint_url: 'http://127.0.0.1:9/hook' } });
    const wallet = signerOf(agent.owner);
    await run(createMarketClient({ baseUrl: market.url, wallet }), agent);
    assert.match(wallet.asked.at(-1) ?? '', /^market:127\.0\.0\.1:\d+:0x\w+:\d+:(POST|PUT|PATCH) \/api\/[^:]+:[0-9a-f]{64}$/);
  });
}

test('V06: the SDK lets a wallet allow an agent to pay, and pays an order from a wallet for which the key does not vouch', async () => {
  const agent = await openOwnedAgent(market.url);
  const wallet = signerOf(buyer);
  const client = createMarketClient({ baseUrl: market.url, apiKey: agent.key, wallet });
  const service = await listService(market.url, await openProvider(market.url), { price_usd: '1.00' });
  const { data: placed } = await client.orders.place({ service_id: service, brief: BRIEF });
  const reference = await buyer.payer.pay(buyer.payer.chain.treasury, 1_000_000n, 'confirmed');
  const paid = await client.orders.pay({ id: String(placed.order_id), escrow_tx_hash: reference, payment_chain: 'base' });
  assert.equal(paid.data.status, 'paid');
  await createMarketClient({ baseUrl: market.url, wallet }).wallets.allowPayer({ id: agent.id });
  assert.match(wallet.asked.at(-1) ?? '', /:POST \/api\/agents\/\w+\/payers:/);
});

test('the SDK signs for the address that it calls: localhost as well as 127.0.0.1', async () => {
  const agent = await openOwnedAgent(market.url);
  const wallet = signerOf(agent.owner);
  const client = createMarketClient({ baseUrl: market.url.replace('127.0.0.1', 'localhost'), wallet });
  const { data } = await client.spending.setPolicy({ kind: 'agent', id: agent.id, per_order_usd: '5.00' });
  assert.equal(data.per_order_usd, '5.00');
});
