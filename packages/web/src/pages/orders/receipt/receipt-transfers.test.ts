import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sampleView } from '../order/order-samples.ts';
import { receiptTransfers } from './receipt-transfers.ts';

const transfer = {
  state: 'confirmed',
  network: 'base-mainnet',
  destination: '0x7E5F4552091A69125d5DfCb7b8C2659029395Bdf',
  amount_usd: '162.00',
  tx_hash: '0x12',
  explorer_url: null,
  reason: null,
  updated_at: '2026-11-15 18:22:00',
} as const;

test('a receipt lists the payment, then the outgoing transfers, each with its own state', () => {
  const view = sampleView({ money: { payout: transfer, refund: { ...transfer, state: 'queued', tx_hash: null, amount_usd: '18.00' } } });
  assert.deepEqual(
    receiptTransfers(view).map(({ name, state, usd, hash }) => [name, state, usd, hash !== null]),
    [
      ['Payment', 'received', '180.00', true],
      ['Payout', 'arrived', '162.00', true],
      ['Refund', 'being sent', '18.00', false],
    ],
  );
});
