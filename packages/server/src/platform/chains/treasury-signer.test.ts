import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { recoverTransactionAddress } from 'viem';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { createLocalEvmSigner, readKeySetting } from './treasury-signer.ts';

test('a key with or without 0x is the same signer, and signs as its address', async () => {
  const key = generatePrivateKey();
  const signer = createLocalEvmSigner(` ${key.slice(2)}\n`);
  assert.equal(signer.address, privateKeyToAddress(key));
  assert.equal(createLocalEvmSigner(key).address, signer.address);
  const serializedTransaction = await signer.signTransaction({ type: 'eip1559', chainId: 1, nonce: 0, gas: 21_000n, maxFeePerGas: 1n });
  assert.equal(await recoverTransactionAddress({ serializedTransaction: serializedTransaction as `0x02${string}` }), signer.address);
});

test('a printed signer shows its address and never its key', () => {
  const key = generatePrivateKey();
  const signer = createLocalEvmSigner(key);
  assert.doesNotMatch(`${inspect(signer, { depth: 10, showHidden: true })}${JSON.stringify(signer)}`, new RegExp(key.slice(2), 'i'));
});

test('an invalid key is refused without repeating it', () => {
  for (const wrong of ['', 'secret', `0x${'12'.repeat(31)}`, `0x${'zz'.repeat(32)}`, `0x${'00'.repeat(32)}`, `0x${'ff'.repeat(32)}`]) {
    assert.throws(
      () => createLocalEvmSigner(wrong),
      (error) => error instanceof Error && /treasury key/.test(error.message) && (wrong === '' || !inspect(error).includes(wrong)),
      wrong,
    );
  }
});

test('a key setting is the key, or the path of its file', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'treasury-key-'));
  t.after(() => rm(folder, { recursive: true }));
  const file = join(folder, 'key');
  await writeFile(file, 'the key\n', { mode: 0o600 });
  assert.equal(await readKeySetting(' the key '), 'the key');
  assert.equal(await readKeySetting(`file:${file}`), 'the key');
  await assert.rejects(readKeySetting(`file:${file}s`), /cannot be read/);
  await writeFile(file, '\n');
  await assert.rejects(readKeySetting(`file:${file}`), /is empty/);
});
