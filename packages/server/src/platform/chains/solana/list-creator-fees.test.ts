/**
 * Which parts of a transaction count as creator fees. The sandbox lacks pump.fun's program, so its transactions are written by hand here.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { base58 } from '@scure/base';
import type { Address } from '@solana/addresses';
import { recordedCurve } from '../../../../testing/pump-fun-recordings.ts';
import { interpose, openSolanaBench, type SolanaBench } from '../../../../testing/solana-test-bench.ts';
import { transferSol, writeMemo } from './instructions.ts';
import { MEMO_PROGRAM, PUMP_PROGRAM, SYSTEM_PROGRAM } from './programs.ts';
import { deriveSharedFees } from './pump-accounts.ts';
import { readCoinChange } from './read-coins.ts';
import { createSolanaRpc } from './solana-rpc.ts';

let bench: SolanaBench;
before(async () => {
  bench = await openSolanaBench();
});
after(() => bench.close());

const address = (filled: number): Address => base58.encode(new Uint8Array(32).fill(filled)) as Address;
const [PAYER, VAULT, MINT, OTHER_MINT, STRANGER, FOREIGN_PROGRAM] = [7, 8, 9, 10, 11, 12].map(address) as [
  Address,
  Address,
  Address,
  Address,
  Address,
  Address,
];
const DISTRIBUTE = 'a572670079cef751';
const DISTRIBUTE_V2 = 'ffcb134ff444089f';

interface Step {
  readonly program: Address;
  readonly accounts: readonly Address[];
  readonly data: Uint8Array;
}

const send = (from: Address, lamports: bigint): Step => ({
  program: SYSTEM_PROGRAM,
  accounts: [from, VAULT],
  data: Uint8Array.from(transferSol(from, VAULT, lamports).data ?? []),
});
const memo = (text: string): Step => ({ program: MEMO_PROGRAM, accounts: [], data: Uint8Array.from(writeMemo(text).data ?? []) });
const distribute = (mint: Address, { program = PUMP_PROGRAM, data = DISTRIBUTE }: { program?: Address; data?: string } = {}): Step => ({
  program,
  accounts: data === DISTRIBUTE_V2 ? [PAYER, mint] : [mint],
  data: Buffer.from(data, 'hex'),
});

/** Reads a transaction in which the vault received this amount. */
async function read(received: number, outer: readonly Step[], inner: readonly Step[], curves = false) {
  const named = [...new Set([PAYER, VAULT, ...[...outer, ...inner].flatMap(({ program, accounts }) => [...accounts, program])])];
  const show = ({ program, accounts, data }: Step) => ({
    programIdIndex: named.indexOf(program),
    accounts: accounts.map((one) => named.indexOf(one)),
    data: base58.encode(data),
  });
  const balances = named.map(() => 1_000_000);
  const rpc = interpose(bench.rpc, {
    getTransaction: () => ({
      slot: 1,
      blockTime: 1_700_000_000,
      transaction: {
        signatures: ['x'],
        message: { header: { numRequiredSignatures: 1 }, accountKeys: named, instructions: outer.map(show) },
      },
      meta: {
        ...{ err: null, fee: 5000, preTokenBalances: [], postTokenBalances: [] },
        preBalances: balances,
        postBalances: balances.map((lamports, at) => (named[at] === VAULT ? lamports + received : lamports)),
        innerInstructions: inner.length === 0 ? null : [{ index: 0, instructions: inner.map(show) }],
      },
    }),
    ...(curves && {
      getMultipleAccounts: () => ({
        value: [{ lamports: 1, executable: false, owner: PUMP_PROGRAM, data: [recordedCurve.data.toString('base64'), 'base64'] }],
      }),
    }),
  });
  return (await readCoinChange({ rpc: createSolanaRpc(rpc), treasury: VAULT }, 'x')).creatorFees;
}

test('Y09: pump.fun’s distribution pays the fees of the coin whose vault they come from, in both versions', async () => {
  const source = await deriveSharedFees(MINT);
  for (const data of [DISTRIBUTE, DISTRIBUTE_V2])
    assert.deepEqual(await read(700, [distribute(MINT, { data })], [send(source, 500n), send(source, 200n)]), [
      { mint: MINT, amount: 700n, declaredBy: null },
    ]);
  // A third program may call it for two coins in one transaction.
  const both = [distribute(MINT), send(source, 500n), distribute(OTHER_MINT), send(await deriveSharedFees(OTHER_MINT), 300n)];
  assert.deepEqual(await read(800, [{ program: FOREIGN_PROGRAM, accounts: [], data: new Uint8Array() }], both), [
    { mint: MINT, amount: 500n, declaredBy: null },
    { mint: OTHER_MINT, amount: 300n, declaredBy: null },
  ]);
});

test('Y09: a distribution of another coin, of another program, or beside one’s own payment shows nothing', async () => {
  const source = await deriveSharedFees(MINT);
  assert.deepEqual(await read(500, [distribute(OTHER_MINT)], [send(source, 500n)]), []);
  assert.deepEqual(await read(500, [distribute(MINT, { program: FOREIGN_PROGRAM })], [send(source, 500n)]), []);
  assert.deepEqual(await read(500, [distribute(MINT, { data: '1416567bc61cdb84' })], [send(source, 500n)]), []);
  assert.deepEqual(await read(500, [distribute(MINT)], [send(STRANGER, 500n)]), []);
  assert.deepEqual(await read(500, [distribute(MINT), send(STRANGER, 500n)], []), []);
});

test('Y09: a declared transfer names its payer; for a coin of pump.fun, and inside other programs, it shows nothing', async () => {
  const steps = [send(PAYER, 400n), memo(`market-creator-fee:${MINT}`)];
  assert.deepEqual(await read(400, steps, []), [{ mint: MINT, amount: 400n, declaredBy: PAYER }]);
  assert.deepEqual(await read(400, steps, [], true), []);
  assert.deepEqual(await read(400, [{ program: FOREIGN_PROGRAM, accounts: [], data: new Uint8Array() }], steps), []);
  assert.deepEqual(await read(400, [send(PAYER, 400n), memo('market-creator-fee:nonsense')], []), []);
});
