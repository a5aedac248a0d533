import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type NetworkName, networkNames } from '@market/contract';
import { createTestDatabase, type TestDatabase } from '../../../../../test/harness/database.ts';
import type { Chain } from '../../platform/chains/chain.ts';
import { type Database, openDatabase } from '../../platform/db/database.ts';
import { createSecretBox } from '../../platform/secrets/secret-box.ts';
import { newWalletKey } from '../../platform/wallets/new-wallet-key.ts';
import { platformFee, post, treasury } from '../ledger/index.ts';
import { otherNetwork, type PaidAgent, routePayout } from './route-payout.ts';

let testDatabase: TestDatabase;
let database: Database;

before(async () => {
  testDatabase = await createTestDatabase();
  database = openDatabase({ connection: testDatabase.connection, poolSize: 4, onError: () => {} });
  const entries = [
    { account: treasury('solana-mainnet'), micros: -10n },
    { account: platformFee('solana-mainnet'), micros: 10n },
  ];
  await database.transaction((tx) => post(tx, { kind: 'fee', subjectId: 'fees', idempotencyKey: 'fees', entries }));
});
after(async () => {
  await database.close();
  await testDatabase.drop();
});

// Routing asks which networks are served and calls none of them.
const secrets = createSecretBox({ current: Buffer.alloc(32, 7), previous: [] });
const served = (networks: readonly NetworkName[]) => ({ chains: new Map(networks.map((network) => [network, {} as Chain])), secrets });

const agent: PaidAgent = {
  id: 'ext_1700000000000_route',
  payoutChain: 'solana',
  payoutWallet: newWalletKey('solana').address,
  payoutAddressBase: newWalletKey('evm').address,
  ownerWallet: null,
};

async function route(change: Partial<PaidAgent>, micros: bigint, networks: readonly NetworkName[] = networkNames): Promise<string> {
  const found = await database.transaction((tx) => routePayout(tx, served(networks), { ...agent, ...change }, 'base-mainnet', micros));
  return found.network;
}

test('only a chosen other served network redirects a payout; base means Base and never the third network', () => {
  assert.equal(otherNetwork(null, 'alt-mainnet', networkNames), undefined);
  assert.equal(otherNetwork('solana', 'solana-mainnet', networkNames), undefined);
  assert.equal(otherNetwork('base', 'base-mainnet', networkNames), undefined);
  assert.equal(otherNetwork('base', 'alt-mainnet', networkNames), 'base-mainnet');
  assert.equal(otherNetwork('solana', 'alt-mainnet', networkNames), 'solana-mainnet');
  assert.equal(otherNetwork('base', 'solana-mainnet', ['solana-mainnet', 'alt-mainnet']), undefined);
});

test('a payout is redirected up to the marketplace’s own balance there, to the last micro', async () => {
  assert.equal(await route({}, 10n), 'solana-mainnet');
  assert.equal(await route({}, 11n), 'base-mainnet');
  assert.equal(await route({ payoutChain: null }, 10n), 'base-mainnet');
  assert.equal(await route({}, 10n, ['base-mainnet']), 'base-mainnet');
});

test('an agent without an address on the chosen chain is paid on the network of the payment', async () => {
  assert.equal(await route({ payoutWallet: null }, 10n), 'base-mainnet');
});

test('a payment that is reverted, or may still be, does not count as own balance', async () => {
  const reference = '1'.repeat(64);
  await database.pool.query(
    `insert into chain_receipts (caip2, reference, network, payer, received_micros, block_number, block_time, finality)
     values ('solana:x', $1, 'solana-mainnet', 'payer', 4, 1, now(), 'confirmed')`,
    [reference],
  );
  assert.equal(await route({}, 10n), 'solana-mainnet', 'what nobody claimed is nobody’s loss');
  await database.pool.query(
    `insert into payment_claims (caip2, reference, purpose, subject_id, payer, amount_micros, price_micros, proof)
     values ('solana:x', $1, 'order', 'ord_1', 'payer', 4, 4, 'wallet')`,
    [reference],
  );
  for (const finality of ['seen', 'confirmed', 'gone']) {
    await database.pool.query('update chain_receipts set finality = $1', [finality]);
    assert.equal(await route({}, 7n), 'base-mainnet', finality);
    assert.equal(await route({}, 6n), 'solana-mainnet', finality);
  }
  await database.pool.query(`update chain_receipts set finality = 'final'`);
  assert.equal(await route({}, 10n), 'solana-mainnet');
});
