/** Reads mints that the runtime's own programs make, and layouts of programs that the sandbox lacks. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { base58 } from '@scure/base';
import { recordedCurve } from '../../../../testing/pump-fun-recordings.ts';
import { interpose, openSolanaBench, type SolanaBench, USDC_MINT } from '../../../../testing/solana-test-bench.ts';
import { METAPLEX_METADATA_PROGRAM, PUMP_PROGRAM, TOKEN_2022_PROGRAM } from './programs.ts';
import { readMint } from './read-mint.ts';
import { createSolanaRpc } from './solana-rpc.ts';

let bench: SolanaBench;
before(async () => {
  bench = await openSolanaBench();
});
after(() => bench.close());

const CREATOR = '7EqQdEULxWcraVx3mXKFjc84LhCkMGZCkRuDpvcMwJeK';
const nobody = Buffer.alloc(32);

interface Account {
  readonly owner: string;
  readonly data: Buffer;
}

/** Reads the real mint of USDC, with a curve and metadata as their programs write them. */
async function readBeside(curve: Account | null, metadata: Account | null, mint?: Account) {
  const shown = (account: Account | null) =>
    account && { lamports: 1, executable: false, owner: account.owner, data: [account.data.toString('base64'), 'base64'] };
  const rpc = interpose(bench.rpc, {
    getMultipleAccounts: async (real) => {
      const { value } = (await real()) as { value: unknown[] };
      return { value: [mint === undefined ? value[0] : shown(mint), shown(curve), shown(metadata)] };
    },
  });
  return await readMint({ rpc: createSolanaRpc(rpc) }, USDC_MINT);
}

/** A curve as the program writes it: discriminator, five amounts, complete, creator and later fields. */
const curveOf = (creator: Buffer | Uint8Array): Account => ({
  owner: PUMP_PROGRAM,
  data: Buffer.concat([recordedCurve.data.subarray(0, 49), creator, recordedCurve.data.subarray(81)]),
});
const metaplexOf = (authority: Uint8Array, mint: Uint8Array): Account => ({
  owner: METAPLEX_METADATA_PROGRAM,
  data: Buffer.concat([Buffer.of(4), authority, mint, Buffer.alloc(100)]),
});

test('a mint of the token program has decimals, supply and authority, and no creator', async () => {
  const facts = await readMint({ rpc: createSolanaRpc(bench.rpc) }, USDC_MINT);
  assert.deepEqual([facts?.program, facts?.decimals, facts?.creator, facts?.metadataAuthority], ['token', 6, null, null]);
  assert.notEqual(facts?.mintAuthority, null);
});

test('pump.fun’s bonding curve names the creator; an old curve, an empty one and a forged one name nobody', async () => {
  assert.equal((await readBeside(curveOf(base58.decode(CREATOR)), null))?.creator, CREATOR);
  const recorded = { owner: PUMP_PROGRAM, data: recordedCurve.data };
  assert.equal((await readBeside(recorded, null))?.creator, recordedCurve.creator);
  for (const bytes of [81, 115, 124]) {
    const earlier = { ...recorded, data: recordedCurve.data.subarray(0, bytes) };
    assert.equal((await readBeside(earlier, null))?.creator, recordedCurve.creator, `a curve of ${bytes} bytes`);
  }
  const extended = { ...recorded, data: Buffer.concat([recordedCurve.data, Buffer.alloc(26)]) };
  assert.equal((await readBeside(extended, null))?.creator, recordedCurve.creator);
  assert.equal((await readBeside({ ...recorded, data: recordedCurve.data.subarray(0, 49) }, null))?.creator, null);
  assert.equal(
    (await readBeside({ ...recorded, data: Buffer.concat([Buffer.alloc(8), recordedCurve.data.subarray(8)]) }, null))?.creator,
    null,
  );
  assert.equal((await readBeside(curveOf(nobody), null))?.creator, null);
  assert.equal((await readBeside({ ...curveOf(base58.decode(CREATOR)), owner: TOKEN_2022_PROGRAM }, null))?.creator, null);
});

test('Metaplex’s metadata name the authority, if they belong to this mint', async () => {
  const mint = base58.decode(USDC_MINT);
  assert.equal((await readBeside(null, metaplexOf(base58.decode(CREATOR), mint)))?.metadataAuthority, CREATOR);
  assert.equal((await readBeside(null, metaplexOf(base58.decode(CREATOR), nobody)))?.metadataAuthority, null);
  assert.equal((await readBeside(null, metaplexOf(nobody, mint)))?.metadataAuthority, null);
});

test('Y08: Metaplex’s metadata name the token, without the zeros behind; metadata without texts name none', async () => {
  const mint = base58.decode(USDC_MINT);
  const padded = (text: string, bytes: number) => {
    const written = Buffer.alloc(4 + bytes);
    written.writeUInt32LE(bytes);
    written.write(text, 4);
    return written;
  };
  const textsOf = (...texts: readonly Buffer[]): Account => ({
    owner: METAPLEX_METADATA_PROGRAM,
    data: Buffer.concat([Buffer.of(4), base58.decode(CREATOR), mint, ...texts, Buffer.alloc(100)]),
  });
  const names = async (account: Account) => (await readBeside(null, account))?.names;
  assert.deepEqual(await names(textsOf(padded('USD Coin', 32), padded('USDC', 10))), { name: 'USD Coin', symbol: 'USDC' });
  assert.deepEqual(await names(textsOf(padded('', 32), padded('ONLY', 10))), { name: '', symbol: 'ONLY' });
  assert.equal(await names(metaplexOf(base58.decode(CREATOR), mint)), null);
  assert.equal(await names(textsOf(padded('', 32), padded('', 10))), null);
});

test('a token account of Token-2022, truncated extensions and other accounts are no mint or have no metadata', async () => {
  const extended = Buffer.alloc(171);
  extended.writeUInt8(1, 45);
  extended.writeUInt8(2, 165);
  assert.equal(await readBeside(null, null, { owner: TOKEN_2022_PROGRAM, data: extended }), undefined);
  extended.writeUInt8(1, 165);
  extended.writeUInt16LE(19, 166);
  extended.writeUInt16LE(9999, 168);
  assert.equal((await readBeside(null, null, { owner: TOKEN_2022_PROGRAM, data: extended }))?.metadataAuthority, null);
  assert.equal(await readMint({ rpc: createSolanaRpc(bench.rpc) }, 'not an address'), undefined);
});
