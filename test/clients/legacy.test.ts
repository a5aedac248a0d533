/** `x402-fetch` 1.2.0: supports version 1 only, refuses a list of offers for one unknown field, and pays ten cents at most. */
import { describeHires } from './hire-matrix.ts';

describeHires('legacy', [
  { version: 1, network: 'base-mainnet', entrance: 'GET discover' },
  { version: 1, network: 'base-mainnet', entrance: 'POST discover' },
  { version: 1, network: 'base-mainnet', entrance: 'its address in the catalogue' },
  { version: 1, network: 'solana-mainnet', entrance: 'GET discover' },
  { version: 1, network: 'solana-mainnet', entrance: 'POST discover' },
  { version: 1, network: 'base-mainnet', entrance: 'GET discover', priceMicros: 5_000_000n, mostUsd: 6 },
]);
