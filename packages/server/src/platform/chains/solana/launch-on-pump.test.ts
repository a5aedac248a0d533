/**
 * A launch on pump.fun up to the signed transaction, compared with what pump.fun's own SDK builds. No package contains the program, so it
 * cannot run here: this node answers with the program's recorded settings and passes the simulation.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { ed25519 } from '@noble/curves/ed25519.js';
import { base58 } from '@scure/base';
import { getCompiledTransactionMessageDecoder } from '@solana/transaction-messages';
import { getTransactionDecoder } from '@solana/transactions';
import { recordedCoin, recordedCreate, recordedGlobal, recordedSeeds } from '../../../../testing/pump-fun-recordings.ts';
import { createWallet, interpose, openSolanaBench, type SolanaBench, type Wallet } from '../../../../testing/solana-test-bench.ts';
import { type Chain, TransferRefused } from '../chain.ts';
import type { PlannedMint, TokenLauncher } from '../token-launcher.ts';
import { createLocalSolanaSigner } from './solana-signer.ts';

const mintKey = createLocalSolanaSigner(recordedSeeds.mint);
const wallet = createLocalSolanaSigner(recordedSeeds.wallet) as Wallet;
const { mint, name, symbol, uri } = recordedCoin;
const token = { decimals: 6, supply: 1_000_000_000_000_000n, nonTransferable: false };
const planned: PlannedMint = { intentId: 'mov_1', mint, name, symbol, uri, ...token };
const MOST_BYTES = 1232;

let bench: SolanaBench;
before(async () => {
  bench = await openSolanaBench();
});
after(() => bench.close());

interface Shown {
  /** The account with pump.fun's settings; null: there is none. */
  readonly global?: { readonly owner?: string; readonly data?: Buffer } | null;
  /** The failure that the simulation reports. */
  readonly failure?: unknown;
}

function openPump({ global = {}, failure = null }: Shown = {}): Chain {
  const { owner = recordedCreate.program, data = recordedGlobal.data } = global ?? {};
  const account = { lamports: 1, owner, executable: false, data: [data.toString('base64'), 'base64'] };
  const rpc = interpose(bench.rpc, {
    getMultipleAccounts: () => ({ value: [global === null ? null : account] }),
    simulateTransaction: () => ({ value: { err: failure } }),
  });
  return bench.openChain({ treasury: wallet, rpc, tokenLauncher: 'pump_fun' });
}

function launcherOf({ launcher }: Chain): TokenLauncher {
  assert.ok(launcher);
  return launcher;
}

function decode(bytes: string) {
  const wire = Buffer.from(bytes, 'base64');
  const { messageBytes, signatures } = getTransactionDecoder().decode(wire);
  const message = getCompiledTransactionMessageDecoder().decode(messageBytes);
  assert.ok('staticAccounts' in message && 'instructions' in message);
  const { staticAccounts, instructions, header } = message;
  const signs = (index: number) => index < header.numSignerAccounts;
  const isWritten = (index: number) =>
    signs(index)
      ? index < header.numSignerAccounts - header.numReadonlySignerAccounts
      : index < staticAccounts.length - header.numReadonlyNonSignerAccounts;
  return {
    size: wire.length,
    messageBytes: Uint8Array.from(messageBytes),
    signatures,
    steps: instructions.map(({ programAddressIndex, accountIndices = [], data }) => ({
      program: staticAccounts[programAddressIndex],
      accounts: accountIndices.map((index) => [staticAccounts[index], signs(index), isWritten(index)]),
      data: Buffer.from(data ?? new Uint8Array()),
    })),
  };
}

async function refusal(shown: Shown, plan = planned): Promise<TransferRefused> {
  try {
    await launcherOf(openPump(shown)).signMint(plan, mintKey);
  } catch (error) {
    assert.ok(error instanceof TransferRefused, String(error));
    return error;
  }
  return assert.fail('it was signed');
}

test('the signed transaction carries the very instruction that pump.fun’s SDK builds', async () => {
  const signed = await launcherOf(openPump()).signMint(planned, mintKey);
  const { steps, signatures, messageBytes, size } = decode(signed.bytes);
  const [limit, price, create, memo] = steps;
  assert.equal(steps.length, 4);
  assert.deepEqual([limit?.program, price?.program], Array(2).fill('ComputeBudget111111111111111111111111111111'));
  assert.equal(limit?.data.readUInt32LE(1), 300_000);
  assert.equal(create?.program, recordedCreate.program);
  assert.deepEqual(create?.accounts, recordedCreate.accounts);
  assert.equal(create?.data.toString('base64'), recordedCreate.data);
  assert.equal(memo?.data.toString(), 'market-payout:mov_1');
  assert.ok(size <= MOST_BYTES);

  assert.deepEqual(Object.keys(signatures), [recordedCoin.wallet, mint], 'the wallet pays, the mint signs beside it');
  for (const [address, signature] of Object.entries(signatures))
    assert.ok(ed25519.verify(signature ?? new Uint8Array(), messageBytes, base58.decode(address)), address);
  assert.equal(signed.reference, base58.encode(signatures[recordedCoin.wallet as never] ?? new Uint8Array()));
  assert.ok(BigInt(signed.validity) > 0n);
});

test('the same intent signed again makes the same mint; a key of another mint is refused', async () => {
  const launcher = launcherOf(openPump());
  const [first, second] = [await launcher.signMint(planned, mintKey), await launcher.signMint(planned, mintKey)];
  assert.equal(first.bytes, second.bytes);
  bench.outlive();
  const later = await launcher.signMint(planned, mintKey);
  assert.notEqual(later.reference, first.reference);
  assert.deepEqual(decode(later.bytes).steps, decode(first.bytes).steps);
  await assert.rejects(launcher.signMint(planned, createWallet()), TransferRefused);
});

test('the longest name and metadata address still fit into one transaction; a longer address is refused before the trial run', async () => {
  const longest = { ...planned, name: 'ü'.repeat(32), symbol: 'S'.repeat(10), uri: `https://${'m'.repeat(192)}` };
  const launcher = launcherOf(openPump());
  const withLongId = { ...longest, intentId: `mov_${'1'.repeat(28)}` };
  assert.ok(decode((await launcher.signMint(withLongId, mintKey)).bytes).size <= MOST_BYTES);
  assert.match((await refusal({}, { ...longest, uri: `${longest.uri}m` })).message, /longer than pump\.fun takes/);
});

test('a launch is refused in plain words, with nothing signed, on a network where pump.fun is absent, unknown or closed', async () => {
  assert.match((await refusal({ global: null })).message, /pump\.fun is not on this network/);
  assert.match((await refusal({ global: { owner: '11111111111111111111111111111111' } })).message, /has changed/);
  assert.match((await refusal({ global: { data: recordedGlobal.data.subarray(0, 450) } })).message, /has changed/);
  assert.match((await refusal({ global: { data: withByte(0, 0) } })).message, /has changed/);
  assert.match((await refusal({ global: { data: withByte(450, 0) } })).message, /does not take new coins/);
  assert.match((await refusal({ global: { data: withByte(97, 1) } })).message, /another number of tokens/);
});

test('a failed simulation gives an error in plain words: too little SOL, too long, closed, anything else', async () => {
  const failing = async (error: unknown) => await refusal({ failure: { InstructionError: [2, error] } });
  assert.equal((await failing({ Custom: 1 })).reason, 'insufficient_native');
  assert.equal((await refusal({ failure: 'AccountNotFound' })).reason, 'insufficient_native');
  assert.match((await failing({ Custom: 6043 })).message, /^The name is longer than pump\.fun takes\.$/);
  assert.match((await failing({ Custom: 6046 })).message, /does not take new coins/);
  assert.match((await failing({ Custom: 6082 })).message, /refused the mint \(instruction 2: \{"Custom":6082\}\)/);
});

test('an identity is minted by our own recipe, whichever program launches tokens', async () => {
  await bench.fund(wallet, 0n);
  const chain = bench.openChain({ treasury: wallet, tokenLauncher: 'pump_fun' });
  const signed = await launcherOf(chain).signMint({ ...planned, decimals: 0, supply: 1n, nonTransferable: true }, mintKey);
  assert.ok(decode(signed.bytes).steps.every(({ program }) => program !== recordedCreate.program));
});

test('on the sandbox’s own chain, which has no pump.fun, a launch is refused', async () => {
  const chain = bench.openChain({ treasury: wallet, tokenLauncher: 'pump_fun' });
  await assert.rejects(launcherOf(chain).signMint(planned, mintKey), /pump\.fun is not on this network/);
  assert.equal(await launcherOf(chain).isMade(mint), false);
});

function withByte(index: number, value: number): Buffer {
  const data = Buffer.from(recordedGlobal.data);
  data.writeUInt8(value, index);
  return data;
}
