export { type NetworkName, type NextAction, networkFacts, walletChainOf } from '@market/contract';
export { type CallOptions, type ClientOptions, createMarketClient, type MarketClient } from './client.ts';
export type { WalletSigner } from './identity.ts';
export { type ClientErrorCode, MarketApiError } from './market-api-error.ts';
