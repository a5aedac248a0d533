import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PayableNetwork } from '../wallets/wallet-session.ts';
import { formatNative } from './format-native.ts';
import { paymentLink } from './payment-link.ts';

const eth = { kind: 'evm', chain_id: 8453, native_decimals: 18, native_symbol: 'ETH' } as PayableNetwork;
const sol = { kind: 'solana', native_decimals: 9, native_symbol: 'SOL' } as PayableNetwork;

test('a network fee is shown with two significant digits, rounded up', () => {
  const shown = {
    '650000000000': '0.00000065 ETH',
    '650000000001': '0.00000066 ETH',
    '999000000000000': '0.001 ETH',
    '1000000000000000000': '1 ETH',
    '1234567890000000000': '1.2346 ETH',
    '0': '0 ETH',
  };
  for (const [units, text] of Object.entries(shown)) assert.equal(formatNative(units, eth), text);
  assert.equal(formatNative('5150', sol), '0.0000052 SOL');
});

test('a payment link names token, receiver and exact amount', () => {
  const terms = {
    network: 'base-mainnet',
    pay_to: '0xTo',
    usdc_address: '0xUsdc',
    amount_usd: '10.50',
    amount_micros: '10500000',
  } as const;
  assert.equal(paymentLink(terms, eth), 'ethereum:0xUsdc@8453/transfer?address=0xTo&uint256=10500000');
  assert.equal(paymentLink({ ...terms, amount_usd: '100.00' }, sol), 'solana:0xTo?amount=100&spl-token=0xUsdc');
});
