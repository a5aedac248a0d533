/** `@x402/axios` 2.11: another transport, in a client sixteen releases old. */
import { describeHires } from './hire-matrix.ts';

describeHires(
  'axios',
  [
    { version: 2, network: 'base-mainnet', entrance: 'GET discover' },
    { version: 2, network: 'base-mainnet', entrance: 'POST pay' },
    { version: 2, network: 'solana-mainnet', entrance: 'POST discover' },
    { version: 1, network: 'base-mainnet', entrance: 'POST discover' },
  ],
  { thoroughOnly: true },
);
