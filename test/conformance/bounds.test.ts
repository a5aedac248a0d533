/** Bounds of the specification that no other test checks: quotes, and names and symbols of tokens. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { registerOwnedAgent, type TestAgent } from '../harness/agents.ts';
import { call, type Reply } from '../harness/http.ts';
import { openMarket, type TestMarket } from '../harness/market.ts';
import { placeOrder } from '../harness/orders.ts';
import { signed, solanaWallet, type TestWallet } from '../harness/people.ts';
import { createService } from '../harness/services.ts';

let market: TestMarket;
let owner: TestWallet;
let agent: TestAgent;
before(async () => {
  market = await openMarket();
  owner = solanaWallet();
  agent = await registerOwnedAgent(market.url, owner);
});
after(() => market.close());

function assertRefused(reply: Reply, words: RegExp): void {
  assert.deepEqual([reply.status, reply.body['code']], [400, 'invalid_input'], JSON.stringify(reply.body));
  assert.match(reply.body['error'], words);
}

test('P08: a quote is at most 1,000,000 USD', async () => {
  const service = await createService(market.url, agent, { price_type: 'quote' });
  const order = await placeOrder(market.url, service['id'], solanaWallet());
  const quote = (price_usd: string) => call(market.url, `POST /api/orders/${order}/quote`, { key: agent.key, body: { price_usd } });
  assertRefused(await quote('1000000.01'), /at most 1000000/);
  assert.equal((await quote('1000000')).status, 200);
});

const text = (field: string, most: number) => ['', 'n'.repeat(most + 1)].map((value) => ({ field, most, value }));

for (const { field, most, value } of [...text('token_symbol', 10), ...text('token_name', 32)])
  test(`P03, P04: a registered ${field} of ${value.length} characters is refused: 1-${most}`, async () => {
    const token = {
      token_mint: solanaWallet().address,
      token_name: 'Token',
      token_symbol: 'T',
      token_mode: 'pumpfun',
      token_creator_wallet: owner.address,
    };
    const reply = await call(market.url, `POST /api/agents/${agent.id}/token`, {
      body: { ...token, [field]: value, ...(await signed(owner)) },
    });
    assertRefused(reply, new RegExp(field));
  });
