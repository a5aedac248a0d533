/** The stored market, opened by today's code: as if an operator stopped the old code and started the new one on the same data. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { openConfiguredChains } from '../../packages/server/src/boot/open-configured-chains.ts';
import { readConfig } from '../../packages/server/src/config.ts';
import { createLogger } from '../../packages/server/src/platform/telemetry/logger.ts';
import { createTestDatabase } from '../harness/database.ts';
import { type MachineBuyer, openMachineBuyer } from '../harness/machine-buyers.ts';
import { MASTER_KEY, type ServerProcess, type Settings, startServer, withOwnChains } from '../harness/market.ts';
import { runMarketCommand } from '../harness/market-command.ts';
import type { PayableMarket } from '../harness/payers.ts';
import { type Kept, NETWORK, type PersonName, secretOf } from './former-people.ts';
import { migrateBefore } from './migrate-before.ts';
import { readStoredMarket, restoreFiles, restoreRows } from './stored-market.ts';

const STORED = path.join(import.meta.dirname, 'former-market.json.gz');
/** The first migration that the former code did not have. */
const FIRST_NEW = '0053';

export interface UpgradedMarket extends PayableMarket {
  readonly url: string;
  readonly kept: Kept;
  readonly treasury: string;
  /** A person of the former market, with the rest of their money. */
  person(name: PersonName): Promise<MachineBuyer>;
  /** The output of `market audit`. */
  audit(): Promise<string>;
  close(): Promise<void>;
}

/** Starts twice: the first start migrates, the second finds everything done. */
export async function openUpgradedMarket(): Promise<UpgradedMarket> {
  const opened: (() => Promise<unknown>)[] = [];
  const close = async () => {
    for (const one of opened.splice(0).reverse()) await one();
  };
  try {
    return { ...(await open((one) => opened.push(one))), close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function open(onClose: (close: () => Promise<unknown>) => void): Promise<Omit<UpgradedMarket, 'close'>> {
  const stored = readStoredMarket(STORED);
  const dataDir = await mkdtemp(path.join(tmpdir(), 'market-'));
  onClose(() => rm(dataDir, { recursive: true, force: true, maxRetries: 5 }));
  await restoreFiles(stored, dataDir);
  const database = await createTestDatabase({ empty: true });
  onClose(database.drop);
  const pool = new pg.Pool({ ...database.connection, max: 1 });
  await migrateAsBefore(pool);
  await restoreRows(stored, pool);
  await pool.end();
  const settings: Settings = {
    ...withOwnChains,
    DATABASE_URL: database.url,
    DATABASE_POOL_SIZE: '8',
    DATA_DIR: dataDir,
    MASTER_KEY,
    LOG_LEVEL: 'warn',
    RATE_LIMIT_SCALE: '10000',
  };
  const first = await startServer(settings);
  requireQuiet(first);
  assert.equal(await first.kill('SIGTERM'), 0);
  const second = await startServer(settings);
  onClose(async () => {
    await second.kill('SIGTERM');
    requireQuiet(second);
  });
  const config = readConfig({ environment: settings, terminal: false });
  const attached = await openConfiguredChains(config, createLogger({ level: 'silent', pretty: false }));
  onClose(attached.close);
  const { chains, localChains } = attached;
  return {
    url: second.url,
    kept: stored.kept,
    chains,
    localChains,
    treasury: chains.get(NETWORK)?.treasury ?? '',
    person: async (name) => await openMachineBuyer({ chains, localChains }, NETWORK, 1_000_000n, secretOf(name)),
    async audit() {
      const command = runMarketCommand(['audit'], settings);
      await command.ended;
      return command.output();
    },
  };
}

/** Every migration before `first`. */
export async function migrateAsBefore(pool: pg.Pool, first = FIRST_NEW): Promise<void> {
  await migrateBefore(pool, first);
}

const ERROR_LEVEL = 50;

/**
 * Findings of the nightly audit do not count: the jump of a day starts it while money moves, so it sees transfers without a seal and a
 * withdrawal between chain and books. The test runs the audit itself, before and after.
 */
function requireQuiet({ log }: ServerProcess): void {
  const lines = log().split('\n').filter(Boolean);
  const entries = lines.map((line) => JSON.parse(line) as { level: number; invariant?: string });
  assert.deepEqual(
    entries.filter(({ level, invariant }) => level >= ERROR_LEVEL && invariant === undefined),
    [],
  );
}
