// Gives every buyer of the demo a funded wallet, and an account to those that are people.
import { type MarketClient, networkFacts, walletChainOf } from '@market/sdk';
import type { DemoBuyer } from './content/content.ts';
import type { Market } from './market-access.ts';
import type { DemoWallet, PaymentEndpoint } from './wallets.ts';

export interface OpenedBuyer {
  readonly key: string;
  readonly network: DemoBuyer['network'];
  readonly client: MarketClient;
  readonly wallet: DemoWallet;
  readonly endpoint: PaymentEndpoint;
}

const FUNDS = { usdc: '1000', native: '5' };
const ENOUGH_USDC = 500;

export async function openBuyer(market: Market, buyer: DemoBuyer, endpoint: PaymentEndpoint): Promise<OpenedBuyer> {
  const { key, network, person } = buyer;
  const chain = walletChainOf[networkFacts[network].kind];
  const wallet = market.wallet(`buyer ${key}`, chain);
  const { address } = wallet.signer;
  const { data: has } = await market.anyone.sandbox.balance({ network, address });
  if (Number(has.usdc) < ENOUGH_USDC) await market.anyone.sandbox.faucet({ network, address, ...FUNDS });
  const client = person === undefined ? market.as({ wallet: wallet.signer }) : await signIn(market, person, { chain, address });
  return { key, network, client, wallet, endpoint };
}

async function signIn(
  market: Market,
  person: NonNullable<DemoBuyer['person']>,
  wallet: { readonly chain: 'solana' | 'base'; readonly address: string },
): Promise<MarketClient> {
  const { data } = await market.anyone.sandbox.signIn({ ...person, wallets: [wallet] });
  const client = market.as({ accessToken: data.access_token });
  await client.auth.signIn({});
  return client;
}
