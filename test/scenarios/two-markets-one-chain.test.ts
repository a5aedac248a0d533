/** Story: a developer runs a second market on the chains of the first, to try both with the same wallets. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { openMarket, type TestMarket, withOwnChains } from '../harness/market.ts';
import { chainOf, until } from '../money/money.ts';

describe('a market that names the folder of running chains', () => {
  let dataDir: string;
  let first: TestMarket;
  let second: TestMarket;
  before(async () => {
    dataDir = await mkdtemp(path.join(tmpdir(), 'market-'));
    first = await openMarket({ ...withOwnChains, DATA_DIR: dataDir });
    second = await openMarket({ ...withOwnChains, SANDBOX_CHAINS_FOLDER: path.relative(process.cwd(), path.join(dataDir, 'chains')) });
  });
  after(async () => {
    await second?.close();
    await first?.close();
    await rm(dataDir, { recursive: true, force: true });
  });

  test('a market that names the folder of running chains joins them with a treasury of its own', () => {
    assert.deepEqual(second.localChains?.networks, first.localChains?.networks);
    for (const [network, chain] of second.chains) assert.notEqual(chain.treasury, chainOf(first, network).treasury, network);
  });

  test('a market that names the folder of running chains sees the coins that the first market sent', async () => {
    const address = `0x${randomBytes(20).toString('hex')}`;
    await first.localChains?.fund({ network: 'base-mainnet', address, usdcMicros: 5_000_000n, native: 0n });
    const chain = chainOf(second, 'base-mainnet');
    await until('the balance', async () => ((await chain.readBalances(address)).usdcMicros === 5_000_000n ? true : undefined));
  });
});
