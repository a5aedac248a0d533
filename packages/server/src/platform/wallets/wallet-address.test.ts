import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { base58 } from '@scure/base';
import fc from 'fast-check';
import { getAddress } from 'viem/utils';
import { canonicalWallet } from './wallet-address.ts';

const usdc = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913';
const solana = '7EqQdEULxWcraVx3mXKFjc84LhCkMGZCkRuDpvcMwJeK';

describe('EVM addresses', () => {
  test('every spelling of one EVM address becomes the checksummed one', () => {
    const digits = usdc.slice(2);
    for (const spelling of [
      usdc,
      `0x${digits.toLowerCase()}`,
      `0x${digits.toUpperCase()}`,
      `0x${digits.slice(0, 20).toUpperCase()}${digits.slice(20).toLowerCase()}`,
    ]) {
      assert.deepEqual(canonicalWallet(spelling), { chain: 'base', address: usdc });
    }
  });

  test('the checksum of an EVM address agrees with an independent implementation', () => {
    const digits = fc.array(fc.constantFrom(...'0123456789abcdefABCDEF'), { minLength: 40, maxLength: 40 }).map((list) => list.join(''));
    fc.assert(fc.property(digits, (hex) => assert.equal(canonicalWallet(`0x${hex}`)?.address, getAddress(`0x${hex.toLowerCase()}`))));
  });

  test('an EVM address that is not 0x and 40 hex digits is refused', () => {
    for (const text of [
      usdc.slice(2),
      usdc.slice(0, -1),
      `${usdc}0`,
      `${usdc.slice(0, -1)}g`,
      `0X${usdc.slice(2)}`,
      ` ${usdc}`,
      `${usdc}\n`,
    ]) {
      assert.equal(canonicalWallet(text), undefined, text);
    }
  });
});

describe('Solana addresses', () => {
  test('a Solana address of base58 for exactly 32 bytes is accepted unchanged', () => {
    const key = fc.uint8Array({ minLength: 32, maxLength: 32 });
    fc.assert(
      fc.property(key, (bytes) => {
        const address = base58.encode(bytes);
        assert.deepEqual(canonicalWallet(address), { chain: 'solana', address });
      }),
    );
  });

  test('a Solana address of 31 or 33 bytes is refused, even with a plausible length', () => {
    const short = base58.encode(new Uint8Array(31).fill(255));
    const zeroFirst = base58.encode(Uint8Array.of(0, ...new Uint8Array(32).fill(9)));
    for (const text of [short, zeroFirst, 'z'.repeat(44), 'z'.repeat(32), '1'.repeat(31), '1'.repeat(33)]) {
      assert.equal(canonicalWallet(text), undefined, text);
    }
    assert.deepEqual(
      [short.length, zeroFirst.length].filter((length) => length < 32 || length > 44),
      [],
    );
  });

  test('case matters in a Solana address, and characters outside base58 are refused', () => {
    assert.notEqual(canonicalWallet(solana.toLowerCase())?.address, solana);
    for (const bad of ['0', 'O', 'I', 'l', ' ', '+', 'é', '\0']) assert.equal(canonicalWallet(bad + solana.slice(1)), undefined, bad);
  });
});

test('an address with a hint of the other chain is refused', () => {
  assert.deepEqual(canonicalWallet(usdc, 'base'), { chain: 'base', address: usdc });
  assert.equal(canonicalWallet(usdc, 'solana'), undefined);
  assert.deepEqual(canonicalWallet(solana, 'solana'), { chain: 'solana', address: solana });
  assert.equal(canonicalWallet(solana, 'base'), undefined);
});

test('no text makes the address check throw', () => {
  fc.assert(fc.property(fc.string({ unit: 'binary', maxLength: 60 }), (text) => void canonicalWallet(text)));
});

test('a megabyte of base58 or hex is refused in under a millisecond', () => {
  for (const text of ['z'.repeat(1_000_000), '1'.repeat(1_000_000), `0x${'a'.repeat(1_000_000)}`]) {
    assert.equal(canonicalWallet(text), undefined);
    assert.ok(fastestOf(5, () => canonicalWallet(text)) < 1);
  }
});

/** Takes the fastest of a few runs, so that a busy machine does not fail the test. */
function fastestOf(runs: number, action: () => unknown): number {
  const times = Array.from({ length: runs }, () => {
    const start = performance.now();
    action();
    return performance.now() - start;
  });
  return Math.min(...times);
}
