/** `@x402/fetch` with `@x402/evm` and `@x402/svm`, newest release, in both versions of the protocol. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listService, openProvider } from '../harness/orders.ts';
import { describeHires } from './hire-matrix.ts';
import { FUNDED_MICROS, openProgramBuyer } from './stock-clients.ts';
import { callWith } from './whole-hire.ts';

const FIVE_USD = 5_000_000n;

describeHires(
  'official',
  [
    { version: 2, network: 'base-mainnet', entrance: 'GET discover' },
    { version: 2, network: 'base-mainnet', entrance: 'POST discover' },
    { version: 2, network: 'base-mainnet', entrance: 'POST pay' },
    { version: 2, network: 'base-mainnet', entrance: 'its address in the catalogue' },
    { version: 2, network: 'solana-mainnet', entrance: 'GET discover' },
    { version: 2, network: 'solana-mainnet', entrance: 'POST discover' },
    { version: 2, network: 'solana-mainnet', entrance: 'POST pay' },
    { version: 1, network: 'base-mainnet', entrance: 'GET discover' },
    { version: 1, network: 'base-mainnet', entrance: 'POST discover' },
    { version: 1, network: 'solana-mainnet', entrance: 'GET discover' },
    { version: 1, network: 'solana-mainnet', entrance: 'POST discover' },
    { version: 2, network: 'base-mainnet', entrance: 'POST pay', priceMicros: FIVE_USD, mostUsd: 6 },
    { version: 1, network: 'solana-mainnet', entrance: 'POST discover', priceMicros: FIVE_USD, mostUsd: 6 },
  ],
  {
    more(stage) {
      test('the official x402 client signs nothing above its default limit of one dollar until the limit is raised', async () => {
        const { market, openClient } = stage();
        const provider = await openProvider(market.url);
        const serviceId = await listService(market.url, provider, { price_usd: '5.00' });
        const buyer = await openProgramBuyer(market, 'base-mainnet');
        const wanted = { version: 2, network: 'base-mainnet', entrance: 'POST pay' } as const;
        const pay = await openClient({ ...buyer.setup, version: 2 });
        await assert.rejects(callWith(pay, market.url, serviceId, wanted), /spendControls\.maxAmountPerPayment/);
        assert.equal(await buyer.readUsdc(), FUNDED_MICROS);
      });
    },
  },
);
