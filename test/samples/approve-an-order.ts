import { createMarketClient, MarketApiError } from '@market/sdk';

const market = createMarketClient({ baseUrl: 'https://market.example', apiKey: process.env['MARKET_API_KEY'] });

const { data: orders } = await market.orders.list({});
const [newest] = orders;
try {
  if (newest !== undefined) await market.orders.approve({ id: newest.id });
} catch (error) {
  if (error instanceof MarketApiError) console.log(error.code, error.message, error.nextActions, error.data);
}
