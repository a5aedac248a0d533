import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newWalletKey } from '../../platform/wallets/new-wallet-key.ts';
import { payoutDestination } from './payout-destination.ts';

const own = { solana: newWalletKey('solana').address, evm: newWalletKey('evm').address };
const solana = newWalletKey('solana').address;
const evm = newWalletKey('evm').address;
const bare = { payoutWallet: null, payoutAddressBase: null, ownerWallet: null };

test('a payout goes to the chosen address, else the owner’s wallet of that kind, else the agent’s own', () => {
  assert.equal(payoutDestination(bare, own, 'solana-mainnet'), own.solana);
  assert.equal(payoutDestination(bare, own, 'base-mainnet'), own.evm);
  assert.equal(payoutDestination({ ...bare, ownerWallet: solana }, own, 'solana-mainnet'), solana);
  assert.equal(payoutDestination({ ...bare, ownerWallet: solana }, own, 'alt-mainnet'), own.evm);
  assert.equal(payoutDestination({ ...bare, ownerWallet: evm }, own, 'alt-mainnet'), evm);
  assert.equal(payoutDestination({ ...bare, ownerWallet: solana, payoutWallet: own.solana }, own, 'solana-mainnet'), own.solana);
  assert.equal(payoutDestination({ ...bare, ownerWallet: evm, payoutAddressBase: own.evm }, own, 'base-mainnet'), own.evm);
});
