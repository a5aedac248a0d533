import assert from 'node:assert/strict';
import { test } from 'node:test';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { toBytes } from './hex.ts';
import { addressOf, signTransaction } from './transaction.ts';

test('an EVM transaction of the faucet is signed exactly as viem signs it', async () => {
  const key = generatePrivateKey();
  const account = privateKeyToAccount(key);
  assert.equal(addressOf(toBytes(key)), account.address.toLowerCase());
  const to = `0x${'0a'.repeat(20)}` as const;
  const fees = { maxPriorityFeePerGas: 1n, maxFeePerGas: 10n ** 9n };
  const cases = [
    { chainId: 8453, nonce: 0, gas: 21_000, value: 0n, data: '0x' },
    { chainId: 845_311_453, nonce: 127, gas: 150_000, value: 2n ** 200n, data: '0x00' },
    { chainId: 1, nonce: 128, gas: 1, value: 127n, data: `0x${'ff'.repeat(55)}` },
    { chainId: 1, nonce: 256, gas: 1, value: 128n, data: `0x${'01'.repeat(70_000)}` },
  ] as const;
  for (const transaction of cases) {
    const expected = await account.signTransaction({ ...transaction, ...fees, to, gas: BigInt(transaction.gas), type: 'eip1559' });
    assert.equal(signTransaction({ ...transaction, ...fees, to }, toBytes(key)), expected);
  }
});
