import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, test } from 'node:test';
import { openSandboxChains, type SandboxChains } from '@market/sandbox';
import { privateKeyToAccount } from 'viem/accounts';
import { localNetworks } from '../../packages/server/src/boot/local-networks.ts';
import { openConfiguredChains } from '../../packages/server/src/boot/open-configured-chains.ts';
import { readConfig } from '../../packages/server/src/config.ts';
import type { Chain } from '../../packages/server/src/platform/chains/chain.ts';
import { type Database, openDatabase } from '../../packages/server/src/platform/db/database.ts';
import type { PaymentRequirements, Settled, StandardPayment } from '../../packages/server/src/platform/facilitator/facilitator.ts';
import { openFacilitator } from '../../packages/server/src/platform/facilitator/open-facilitator.ts';
import { createLogger } from '../../packages/server/src/platform/telemetry/logger.ts';
import { createMetrics } from '../../packages/server/src/platform/telemetry/metrics.ts';
import { pay } from '../../packages/server/testing/facilitator-test-bench.ts';
import { createTestDatabase, type TestDatabase } from '../harness/database.ts';
import { type Settings, withOwnChains } from '../harness/market.ts';
import { workerProgram } from '../harness/programs.ts';
import { some, times } from '../harness/thoroughness.ts';
import { prepareMemory, rememberInDatabase } from './remember-in-database.ts';

const PRICE = 1_100_000n;
const PAYMENTS = times(8, 20);

let testDatabase: TestDatabase;
let database: Database;
let localChains: SandboxChains;
let dataDir: string;
let settings: Settings;
const workers: ChildProcess[] = [];

before(async () => {
  testDatabase = await createTestDatabase();
  dataDir = await mkdtemp(path.join(tmpdir(), 'market-'));
  settings = { ...withOwnChains, DATABASE_URL: testDatabase.url, DATA_DIR: dataDir, LOG_LEVEL: 'warn' };
  const networks = localNetworks(readConfig({ environment: settings, terminal: false }).sandboxChains.ports);
  localChains = await openSandboxChains({ folder: path.join(dataDir, 'chains'), networks, fast: true, log: () => undefined });
  database = openDatabase({ connection: testDatabase.connection, poolSize: 5, onError: () => undefined });
  await prepareMemory(database.pool);
});

after(async () => {
  for (const worker of workers) worker.kill('SIGKILL');
  await database.close();
  await localChains.close();
  await testDatabase.drop();
  await rm(dataDir, { recursive: true, force: true, maxRetries: 5 });
});

async function startWorker(): Promise<{
  readonly networks: readonly string[];
  settle(payments: readonly StandardPayment[]): Promise<Settled[]>;
}> {
  const file = workerProgram('money/settle-worker.ts');
  const worker = spawn(process.execPath, [file], { env: { ...process.env, ...settings }, stdio: ['pipe', 'pipe', 'inherit'] });
  workers.push(worker);
  const lines = createInterface({ input: worker.stdout })[Symbol.asyncIterator]();
  const read = async () => JSON.parse((await lines.next()).value ?? 'null');
  const { networks } = await read();
  return {
    networks,
    async settle(payments) {
      worker.stdin.write(`${JSON.stringify(payments)}\n`);
      return await read();
    },
  };
}

async function createPayments(chain: Chain): Promise<StandardPayment[]> {
  const requirement: PaymentRequirements = {
    scheme: 'exact',
    network: chain.caip2 as PaymentRequirements['network'],
    asset: chain.usdcAddress,
    amount: String(PRICE),
    payTo: chain.treasury,
    maxTimeoutSeconds: 120,
    extra: { name: 'USD Coin', version: '2' },
  };
  const accounts = Array.from({ length: PAYMENTS }, () => privateKeyToAccount(`0x${randomBytes(32).toString('hex')}`));
  const fund = { network: chain.network, usdcMicros: PRICE, native: 0n };
  await Promise.all(accounts.map(({ address }) => localChains.fund({ ...fund, address })));
  return await Promise.all(accounts.map((account) => pay(chain.network, account, requirement)));
}

const requireReferences = (settled: readonly Settled[]): string[] =>
  settled.map((one) => {
    assert.equal(one.state, 'settled', JSON.stringify(one));
    return one.reference;
  });

test(`C05: two processes with one sponsor settle ${PAYMENTS} payments each in parallel, and a shared payment once`, async (t) => {
  const config = readConfig({ environment: settings, terminal: false });
  const { chains, close } = await openConfiguredChains(config, createLogger({ level: 'silent', pretty: false }));
  t.after(close);
  const [one, other] = await Promise.all([startWorker(), startWorker()]);
  assert.deepEqual([...one.networks].sort(), ['alt-mainnet', 'base-mainnet', 'solana-mainnet']);

  for (const network of some(['base-mainnet', 'alt-mainnet'] as const, 1)) {
    const chain = chains.get(network);
    assert.ok(chain);
    const [shared = [], first = [], second = []] = await Promise.all(Array.from({ length: 3 }, () => createPayments(chain)));
    const before = (await chain.readBalances(chain.treasury)).usdcMicros;
    const answers = await Promise.all([one.settle(first), other.settle(second)]);
    assert.equal(new Set(answers.flatMap(requireReferences)).size, 2 * PAYMENTS);

    const [ofOne, ofOther] = await Promise.all([one.settle(shared), other.settle(shared)]);
    assert.deepEqual(requireReferences(ofOne ?? []), requireReferences(ofOther ?? []));
    assert.equal((await chain.readBalances(chain.treasury)).usdcMicros - before, BigInt(3 * PAYMENTS) * PRICE);
  }
});

test('the facilitator offers no network without sponsor keys, and refuses the treasury’s key as sponsor', async (t) => {
  const config = readConfig({ environment: settings, terminal: false });
  const log = createLogger({ level: 'silent', pretty: false });
  const { chains, endpoints, sponsors, close } = await openConfiguredChains(config, log);
  t.after(close);
  const { pool } = database;
  const options = { remote: undefined, endpoints, chains, pool, pendings: rememberInDatabase(pool), log, metrics: createMetrics() };
  const keyless = await openFacilitator({ ...options, sponsors: { solana: undefined, evm: undefined } });
  assert.deepEqual(keyless.networks, []);
  const treasuries = new Map([...chains].map(([network]) => [network, { treasury: sponsors.evm?.address ?? '' }]));
  await assert.rejects(
    openFacilitator({ ...options, chains: treasuries, sponsors: { solana: undefined, evm: sponsors.evm } }),
    /must not be the treasury/,
  );
});
