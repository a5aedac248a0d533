import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Address } from '@solana/addresses';
import { createWallet, interpose, openSolanaBench, type SolanaBench, type Wallet } from '../../../../testing/solana-test-bench.ts';
import { transfer } from '../../../../testing/solana-test-instructions.ts';
import type { Chain } from '../chain.ts';

let bench: SolanaBench;
let chain: Chain;
let buyer: Wallet;
let buyerAccount: Address;

before(async () => {
  bench = await openSolanaBench();
  chain = bench.openChain();
  buyer = createWallet();
  buyerAccount = await bench.fund(buyer, 1_000_000_000n);
});
after(() => bench.close());

const pay = (micros: bigint) => bench.send([transfer(buyerAccount, bench.treasuryAccount, buyer.address, micros)], [buyer]);

test('an unused treasury has no transfers', async () => {
  assert.deepEqual(await chain.listTreasuryTransfers(null, 10), { references: [], cursor: null, hasMore: false });
});

test('transfers are listed oldest first, in pages, each once, and only when final', async () => {
  const opening = await bench.send([await bench.openTokenAccount(buyer, bench.treasury.address)], [buyer]);
  const paid = [await pay(1n), await pay(2n), await pay(3n)];
  bench.settle();
  const recent = await pay(4n);
  const first = await chain.listTreasuryTransfers(null, 2);
  assert.deepEqual(first.references, [opening, paid[0]]);
  const second = await chain.listTreasuryTransfers(first.cursor, 2);
  assert.deepEqual(second.references, [paid[1], paid[2]]);
  assert.deepEqual([first.hasMore, second.hasMore], [true, false]);
  assert.deepEqual(await chain.listTreasuryTransfers(second.cursor, 2), { references: [], cursor: second.cursor, hasMore: false });
  bench.settle();
  assert.deepEqual(await chain.listTreasuryTransfers(second.cursor, 2), { references: [recent], cursor: recent, hasMore: false });
});

test('failed transactions are skipped', async () => {
  const { cursor } = await chain.listTreasuryTransfers(null, 100);
  const failed = await pay(10n ** 15n);
  bench.settle();
  assert.deepEqual(await chain.listTreasuryTransfers(cursor, 100), { references: [], cursor: failed, hasMore: false });
});

test('a backlog longer than a node’s page is read to its end', async () => {
  const all = await chain.listTreasuryTransfers(null, 100);
  const small = interpose(bench.rpc, { getSignaturesForAddress: async (ask) => ((await ask()) as unknown[]).slice(0, 2) });
  assert.ok(all.references.length > 4);
  assert.deepEqual(await bench.openChain({ rpc: small }).listTreasuryTransfers(null, 100), all);
});
