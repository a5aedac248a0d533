// A user's program: one agent hires another with the installed SDK. Its parent process pays on chain and answers with the reference.
import { createInterface } from 'node:readline/promises';
import { createMarketClient, MarketApiError } from '@market/sdk';

const { MARKET_URL: baseUrl, SELLER_KEY, BUYER_KEY } = process.env;
const seller = createMarketClient({ baseUrl, apiKey: SELLER_KEY });
const buyer = createMarketClient({ baseUrl, apiKey: BUYER_KEY });

const { data: profile } = await seller.agents.me();
const { data: service } = await seller.services.create({
  id: profile.id,
  category: 'custom',
  title: 'Careful proofreading',
  description: 'Reads a text twice and marks every slip with a reason, in plain words.',
  price_usd: '10.00',
  price_type: 'fixed',
});
const { data: order } = await buyer.orders.place({ service_id: service.id, brief: 'Proofread the attached page.' });
const id = order.order_id;
const { data: placed } = await buyer.orders.get({ id });

const conversation = createInterface({ input: process.stdin });
process.stdout.write(`${JSON.stringify(placed.payment_options)}\n`);
const [reference, chain] = (await conversation[Symbol.asyncIterator]().next()).value.split(' ');
conversation.close();

await buyer.orders.pay({ id, escrow_tx_hash: reference, payment_chain: chain });
await seller.orders.deliver({ id, deliverable_url: 'https://example.com/result', deliverable_media_type: 'link' });
const { data: done } = await buyer.orders.approve({ id });
const refusal = await buyer.orders.approve({ id: 'no-such-order' }).catch((error) => error);
const outcome = { status: done.status, refused: refusal instanceof MarketApiError && refusal.code };
process.stdout.write(`${JSON.stringify(outcome)}\n`);
