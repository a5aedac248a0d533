import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mintBytes } from '../../platform/chains/solana/mint-size.ts';
import { readMintCost } from './mint-costs.ts';

test('the size of a mint with metadata is what the token program allocates', () => {
  // 234 bytes for a mint with a metadata pointer, plus the lengths of the metadata entry.
  assert.equal(mintBytes({ name: '', symbol: '', uri: '' }), 234 + 4 + 64 + 4 * 4);
  assert.equal(mintBytes({ name: 'Ünï', symbol: 'AB', uri: 'https://x.example' }), 234 + 4 + 64 + 4 * 4 + 5 + 2 + 17);
  assert.equal(mintBytes({ name: '', symbol: '', uri: '', additional: [['agent', 'ext_1']] }), 234 + 4 + 64 + 4 * 4 + 8 + 10);
});

test('a mint costs what the chain asks for its accounts and signatures, and the wallet keeps its minimum balance', async () => {
  const asked: number[] = [];
  const costs = {
    readRent: async (bytes: number) => {
      asked.push(bytes);
      return BigInt((bytes + 128) * 6960);
    },
    readFee: async (signers: readonly string[]) => BigInt(signers.length * 5000),
  };
  const metadata = { name: 'Tallyrook', symbol: 'TALLY', uri: 'https://x.example' };
  const signers = { payer: 'payer', mint: 'mint' };
  const { cost, required } = await readMintCost(costs, { launcher: 'token2022', metadata, ...signers });
  assert.deepEqual(asked, [mintBytes(metadata), 170, 0]);
  assert.equal(cost, BigInt((mintBytes(metadata) + 128 + 170 + 128) * 6960 + 10_000));
  assert.equal(required - cost, 890_880n);

  asked.length = 0;
  const coin = await readMintCost(costs, { launcher: 'pump_fun', metadata, ...signers });
  assert.deepEqual(asked, [mintBytes(metadata), 170, 151, 0], 'a coin of pump.fun opens a curve, too');
  assert.equal(coin.cost - cost, BigInt((151 + 128) * 6960));
  asked.length = 0;
  await readMintCost(costs, { launcher: 'pump_fun', metadata: { ...metadata, nonTransferable: true }, ...signers });
  assert.deepEqual(asked, [mintBytes({ ...metadata, nonTransferable: true }), 174, 0], 'identities are made by ourselves');
});
