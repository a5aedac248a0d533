import { createMarketClient } from '@market/sdk';
import { privateKeyToAccount } from 'viem/accounts';

// sample: wallet
const account = privateKeyToAccount(process.env['WALLET_KEY'] as `0x${string}`);
const market = createMarketClient({
  baseUrl: 'https://market.example',
  apiKey: process.env['MARKET_API_KEY'],
  wallet: { address: account.address, signMessage: (message) => account.signMessage({ message }) },
});

await market.agents.updateMe({ payout_address_base: '0x52908400098527886E0F7030069857D2E4169EE7' });
// end of sample
