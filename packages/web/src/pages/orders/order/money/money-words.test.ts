import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseUsd } from '@market/contract';
import { plainFormat, sampleView } from '../order-samples.ts';
import type { Money } from '../order-view.ts';
import { moneyLine, moneyRows, totalOf } from './money-words.ts';

const none = { paid_usd: '0.00', held_usd: '0.00', released_usd: '0.00', refunded_usd: '0.00', surplus_usd: '0.00' };
const price = { price_usd: '180.00', fee_usd: '18.00', provider_usd: '162.00' };

const transfer: NonNullable<Money['payout']> = {
  state: 'queued',
  network: 'base-mainnet',
  destination: '0x7E5F4552091A69125d5DfCb7b8C2659029395Bdf',
  amount_usd: '162.00',
  tx_hash: null,
  explorer_url: null,
  reason: null,
  updated_at: '2026-11-15 18:20:00',
};

const cases: Record<string, Partial<Money>> = {
  unpaid: { ...none, ...price, state: 'not_paid' },
  held: { ...none, ...price, state: 'held', paid_usd: '180.00', held_usd: '180.00' },
  'held with surplus': { ...none, ...price, state: 'held', paid_usd: '181.00', held_usd: '180.00', surplus_usd: '1.00' },
  released: { ...none, ...price, state: 'released', paid_usd: '180.00', released_usd: '162.00' },
  refunded: { ...none, ...price, state: 'refunded', paid_usd: '180.00', refunded_usd: '180.00' },
  split: { ...none, ...price, state: 'split', paid_usd: '180.00', released_usd: '108.00', refunded_usd: '60.00' },
};

for (const [name, money] of Object.entries(cases)) {
  test(`the parts of the money panel add up to its total: ${name}`, () => {
    const rows = moneyRows(sampleView({ order: { kind: 'standard' }, money }), 'Fee');
    const total = rows.findLast(({ kind }) => kind === 'total');
    const parts = rows.filter(({ kind }) => kind !== 'total').reduce((sum, { usd }) => sum + (parseUsd(usd) ?? 0n), 0n);
    assert.equal(parts, parseUsd(total?.usd ?? ''));
  });
}

test('the fee of a split is what both sides leave over', () => {
  const rows = moneyRows(sampleView({ order: { kind: 'standard' }, money: cases['split'] ?? {} }), 'Fee');
  assert.equal(rows.find(({ label }) => label === 'Fee')?.usd, '12.00');
});

test('a machine pays the fee on top of the price', () => {
  const { money } = sampleView({ money: { ...price, provider_usd: '180.00' } });
  assert.equal(totalOf(money, 'machine'), '198.00');
  assert.equal(totalOf(money, 'standard'), '180.00');
});

test('the four-step line follows the money, and a dispute is not labelled review', () => {
  const at = (status: 'in_progress' | 'disputed', state: Money['state']) =>
    moneyLine(sampleView({ order: { status }, money: { ...cases['held'], state } }), plainFormat);
  assert.equal(at('in_progress', 'held').at, 'held');
  assert.deepEqual(at('disputed', 'held').names, { in_review: 'In dispute' });
  assert.equal(at('in_progress', 'not_paid').at, undefined);
  assert.deepEqual(moneyLine(sampleView({ money: cases['refunded'] ?? {} }), plainFormat).names, { released: 'Refund' });
});

test('the last step of the money line is complete only when the money has arrived', () => {
  const arrived = { ...transfer, state: 'confirmed' as const, tx_hash: '0x12', updated_at: '2026-11-15 18:22:00' };
  const line = (money: Partial<Money>) => moneyLine(sampleView({ money }), plainFormat);
  assert.equal(line({ ...cases['released'], payout: transfer }).over, false);
  assert.match(String(line({ ...cases['released'], payout: transfer }).details?.released), /being sent$/);
  assert.equal(line({ ...cases['released'], payout: arrived }).over, true);
  assert.match(String(line({ ...cases['refunded'], refund: arrived }).details?.released), /arrived 2026-11-15 18:22:00$/);
  assert.equal(line({ ...cases['split'], payout: arrived, refund: transfer }).over, false);
});
