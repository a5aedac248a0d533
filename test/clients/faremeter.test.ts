/** `@faremeter/fetch` with its payment packages: an independent implementation of the protocol. */
import { describeHires } from './hire-matrix.ts';

describeHires(
  'faremeter',
  [
    { version: 2, network: 'base-mainnet', entrance: 'GET discover' },
    { version: 2, network: 'base-mainnet', entrance: 'POST pay' },
    { version: 2, network: 'solana-mainnet', entrance: 'POST pay' },
    { version: 1, network: 'base-mainnet', entrance: 'POST discover' },
    { version: 1, network: 'solana-mainnet', entrance: 'GET discover' },
  ],
  { thoroughOnly: true },
);
