import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { MarketError, type NetworkName } from '@market/contract';
import { base58 } from '@scure/base';
import type { Chain } from '../../../platform/chains/chain.ts';
import { type PaymentHeaders, readPayment } from './read-payment.ts';

const SOLANA = 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp';
const caip2: Record<NetworkName, string> = {
  'base-mainnet': 'eip155:8453',
  'alt-mainnet': 'eip155:845311453',
  'solana-mainnet': SOLANA,
};
const chains = new Map(
  Object.entries(caip2).map(([network, id]) => [network as NetworkName, { network, caip2: id } as unknown as Chain] as const),
);
const HASH = `0x${'aB'.repeat(32)}`;
const SIGNATURE = base58.encode(new Uint8Array(64).fill(7));
const accepted = { scheme: 'exact', network: 'eip155:8453', amount: '5', asset: 'a', payTo: 'b', maxTimeoutSeconds: 60, extra: { x: 1 } };
const two = { x402Version: 2, accepted, payload: { p: 1 } };
const one = { x402Version: 1, scheme: 'exact', network: 'base', payload: { p: 1 } };
const encode = (value: unknown) => Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64');

const codeOf = (headers: PaymentHeaders): string => {
  try {
    return readPayment(headers, chains).kind;
  } catch (error) {
    assert.ok(error instanceof MarketError);
    return error.code;
  }
};

suite('payment headers', () => {
  test('payment headers without a value, or with spaces only, are no payment', () => {
    for (const headers of [{}, { x_payment: '' }, { x_payment: '  ' }, { payment_signature: '' }, { x_payment_network: 'base' }]) {
      assert.equal(codeOf(headers), 'none');
    }
  });

  test('payment headers with a reference of either shape are a transfer, on the named network or the usual one of its kind', () => {
    const rows: readonly (readonly [PaymentHeaders, NetworkName])[] = [
      [{ x_payment: HASH }, 'base-mainnet'],
      [{ x_payment: ` ${HASH} ` }, 'base-mainnet'],
      [{ x_payment: HASH, x_payment_network: 'ALT' }, 'alt-mainnet'],
      [{ x_payment: HASH, x_payment_network: 'eip155:845311453' }, 'alt-mainnet'],
      [{ x_payment: HASH, chain: 'alt' }, 'alt-mainnet'],
      [{ x_payment: HASH, chain: 'alt', x_payment_network: 'alt-mainnet' }, 'alt-mainnet'],
      [{ x_payment: SIGNATURE }, 'solana-mainnet'],
      [{ x_payment: SIGNATURE, x_payment_network: 'solana:anything' }, 'solana-mainnet'],
    ];
    for (const [headers, network] of rows) {
      assert.deepEqual(readPayment(headers, chains), { kind: 'transfer', network, reference: headers.x_payment?.trim() });
    }
    assert.equal(codeOf({ x_payment: SIGNATURE, x_payment_network: 'base' }), 'payment_network_mismatch');
    assert.equal(codeOf({ x_payment: HASH, x_payment_network: 'solana' }), 'payment_network_mismatch');
    assert.equal(codeOf({ x_payment: HASH, x_payment_network: 'somewhere' }), 'invalid_input');
  });

  test('payment headers carry a standard payment of either version in either header', () => {
    const found = readPayment({ payment_signature: encode(two) }, chains);
    assert.deepEqual(found, { kind: 'standard', version: 2, network: 'base-mainnet', payload: { p: 1 }, accepted, extensions: {} });
    const older = readPayment({ x_payment: encode(one) }, chains);
    assert.deepEqual(older, {
      kind: 'standard',
      version: 1,
      network: 'base-mainnet',
      payload: { p: 1 },
      accepted: undefined,
      extensions: {},
    });
    for (const headers of [{ x_payment: encode(two) }, { payment_signature: encode(one) }]) assert.equal(codeOf(headers), 'standard');
    const urlSafe = encode({ ...two, payload: { p: '???>>>~~~' } })
      .replaceAll('+', '-')
      .replaceAll('/', '_')
      .replaceAll('=', '');
    assert.equal(codeOf({ payment_signature: urlSafe }), 'standard');
  });

  test('payment headers with the same payload are one payment, read from the newer header', () => {
    const expected = readPayment({ payment_signature: encode(two) }, chains);
    const spaced = Buffer.from(JSON.stringify(two, null, 2)).toString('base64url');
    for (const x_payment of [encode(two), ` ${encode(two)} `, spaced, encode(one), '', '  ']) {
      assert.deepEqual(readPayment({ x_payment, payment_signature: encode(two) }, chains), expected);
    }
    const again = readPayment({ x_payment: encode(one), payment_signature: encode(one) }, chains);
    assert.deepEqual(again, readPayment({ x_payment: encode(one) }, chains));
    for (const reference of [HASH, SIGNATURE]) {
      const transfer = readPayment({ x_payment: reference, payment_signature: reference }, chains);
      assert.deepEqual(transfer, readPayment({ x_payment: reference }, chains));
    }
  });

  test('payment headers with different payloads are refused', () => {
    const other = { ...two, payload: { p: 2 } };
    const pairs = [
      [HASH, encode(two)],
      [HASH, SIGNATURE],
      [encode(one), encode(other)],
      [encode(other), encode(two)],
      [encode('hello'), encode(two)],
      [encode(one), 'hello'],
    ];
    for (const [x_payment, payment_signature] of pairs) assert.equal(codeOf({ x_payment, payment_signature }), 'ambiguous_payment');
  });

  const deformed: readonly (readonly [string, PaymentHeaders])[] = [
    ['a reference in the newer header', { payment_signature: HASH }],
    ['a hash of 63 digits', { x_payment: HASH.slice(0, -1) }],
    ['two joined by a comma', { x_payment: `${encode(one)},${encode(one)}` }],
    ['JSON as it is', { x_payment: JSON.stringify(one) }],
    ['base64 of no JSON', { x_payment: encode('hello') }],
    ['invalid UTF-8', { x_payment: Buffer.from([0x22, 0xff, 0x22]).toString('base64') }],
    ['no version', { x_payment: encode({ ...one, x402Version: undefined }) }],
    ['version 3', { x_payment: encode({ ...one, x402Version: 3 }) }],
    ['a version in quotes', { x_payment: encode({ ...one, x402Version: '1' }) }],
    ['no payload', { payment_signature: encode({ ...two, payload: undefined }) }],
    ['a list as payload', { payment_signature: encode({ ...two, payload: [1] }) }],
    ['no offer', { payment_signature: encode({ ...two, accepted: undefined }) }],
    ...['1.5', '05', '1e3', '-5', '+5', ' 5', '5 ', '0x5', '', '9'.repeat(32)].map(
      (amount) => [`the amount ${amount}`, { payment_signature: encode({ ...two, accepted: { ...accepted, amount } }) }] as const,
    ),
    ['an amount that is a number', { payment_signature: encode({ ...two, accepted: { ...accepted, amount: 5 } }) }],
  ];
  for (const [what, headers] of deformed) {
    test(`payment headers are refused for ${what}`, () => assert.equal(codeOf(headers), 'invalid_payment_header'));
  }

  test('X06: payment headers that name an unknown network are refused, and the answer names it', () => {
    for (const network of ['base-sepolia', 'solana-devnet', 'Base', 'base-mainnet', 'eip155:8453', 'alt']) {
      assert.equal(codeOf({ x_payment: encode({ ...one, network }) }), 'network_not_available', network);
    }
    for (const network of ['eip155:84532', 'EIP155:8453', 'base', 'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1', SOLANA.toLowerCase()]) {
      assert.equal(codeOf({ payment_signature: encode({ ...two, accepted: { ...accepted, network } }) }), 'network_not_available', network);
    }
  });
});
