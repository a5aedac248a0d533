import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MarketError } from '@market/contract';
import type { Receipt, ReceiptReading } from '../../platform/chains/chain.ts';
import { judgePayment, type PaymentRule } from './judge-payment.ts';

const NOW = new Date('2026-11-15T12:00:00Z');
const minutesAgo = (minutes: number): Date => new Date(NOW.getTime() - minutes * 60_000);

function landed(change: Partial<Receipt> = {}): ReceiptReading {
  const receipt: Receipt = {
    reference: '0xabc',
    receivedMicros: 5_000_000n,
    payers: [{ address: 'buyer', micros: 5_000_000n }],
    notes: [],
    sender: 'relayer of the buyer',
    blockNumber: 10n,
    blockTime: minutesAgo(1),
    finality: 'final',
    ...change,
  };
  return { state: 'landed', receipt };
}

const rule: PaymentRule = {
  expectedMicros: 5_000_000n,
  payers: ['buyer', 'buyer-two'],
  payableSince: minutesAgo(5),
  requiredFinality: 'confirmed',
  relayers: ['our relayer'],
  ownAddresses: ['treasury'],
};

function verdict(reading: ReceiptReading, change: Partial<PaymentRule> = {}): string {
  try {
    const { payer, surplusMicros } = judgePayment(reading, { ...rule, ...change }, NOW);
    return `${payer} +${surplusMicros}`;
  } catch (error) {
    assert.ok(error instanceof MarketError, String(error));
    return error.code;
  }
}

const anybody = (): Partial<PaymentRule> => {
  const { payers: _dropped, ...open } = rule;
  return { ...open, payers: undefined } as unknown as Partial<PaymentRule>;
};

const rows: [string, string, string][] = [
  ['the exact amount from the buyer', verdict(landed()), 'buyer +0'],
  ['more than the price', verdict(landed({ receivedMicros: 5_000_007n, payers: [{ address: 'buyer', micros: 5_000_007n }] })), 'buyer +7'],
  [
    'a transfer one micro short',
    verdict(landed({ receivedMicros: 4_999_999n, payers: [{ address: 'buyer', micros: 4_999_999n }] })),
    'payment_underpaid',
  ],
  ['a payment of others that we relayed', verdict(landed({ sender: 'our relayer' })), 'payment_already_used'],
  ['a relayed payment, judged as that payment', verdict(landed({ sender: 'our relayer' }), { relayedByUs: true }), 'buyer +0'],
  ['a stranger’s transfer', verdict(landed({ payers: [{ address: 'stranger', micros: 5_000_000n }] })), 'payment_wrong_payer'],
  [
    'a transaction in which the buyer gave a little and a stranger the rest',
    verdict(
      landed({
        payers: [
          { address: 'stranger', micros: 4_000_000n },
          { address: 'buyer', micros: 1_000_000n },
        ],
      }),
    ),
    'payment_underpaid',
  ],
  [
    'a stranger’s payment in a transaction in which the buyer paid a third party',
    verdict(
      landed({
        payers: [
          { address: 'stranger', micros: 5_000_000n },
          { address: 'buyer', micros: 5_000_000n },
        ],
      }),
    ),
    'payment_underpaid',
  ],
  ['a transfer of which nothing reached us', verdict(landed({ receivedMicros: 0n })), 'payment_not_received'],
  ['money in and out again in one transaction', verdict(landed({ receivedMicros: -1n })), 'payment_not_received'],
  ['a failed transaction', verdict({ state: 'failed' }), 'payment_failed'],
  ['an unknown transaction', verdict({ state: 'missing' }), 'payment_not_found'],
  ['a transfer 15 minutes before the order', verdict(landed({ blockTime: minutesAgo(16) })), 'payment_too_old'],
  ['a transfer 9 minutes before the order', verdict(landed({ blockTime: minutesAgo(14) })), 'buyer +0'],
  ['a transfer older than the proof may be', verdict(landed({ blockTime: minutesAgo(8) }), { maxAgeSeconds: 300 }), 'payment_too_old'],
  ['a transfer that is not final enough', verdict(landed({ finality: 'seen' })), 'payment_not_final'],
  [
    'a confirmed transfer where final is required',
    verdict(landed({ finality: 'confirmed' }), { requiredFinality: 'final' }),
    'payment_not_final',
  ],
  [
    'a transfer of our own treasury',
    verdict(landed({ payers: [{ address: 'treasury', micros: 5_000_000n }] }), { payers: ['treasury'] }),
    'payment_from_marketplace',
  ],
  [
    'a transfer that anybody may make, whose payer is the largest giver',
    verdict(
      landed({
        receivedMicros: 7_000_000n,
        payers: [
          { address: 'a', micros: 1_000_000n },
          { address: 'b', micros: 6_000_000n },
        ],
      }),
      anybody(),
    ),
    'b +1000000',
  ],
];

for (const [what, actual, expected] of rows) {
  test(`the verdict on ${what} is: ${expected}`, () => assert.equal(actual, expected));
}
