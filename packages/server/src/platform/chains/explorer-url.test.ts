import assert from 'node:assert/strict';
import { test } from 'node:test';
import { explorerUrl } from './explorer-url.ts';

test('a transaction and a token have explorer pages of their own, and none where the network has no explorer', () => {
  assert.equal(explorerUrl('solana-mainnet', 'sig'), 'https://solscan.io/tx/sig');
  assert.equal(explorerUrl('solana-mainnet', 'mint', 'token'), 'https://solscan.io/token/mint');
  assert.equal(explorerUrl('alt-mainnet', '0x1'), null);
});
