// A process on the market's own database and chains that presents one payment for many subjects at once, as each input line asks.
import { createInterface } from 'node:readline';
import { openConfiguredChains } from '../../packages/server/src/boot/open-configured-chains.ts';
import { loadConfig } from '../../packages/server/src/config.ts';
import { armCrashPoint } from '../../packages/server/src/platform/crash-points.ts';
import { openDatabase } from '../../packages/server/src/platform/db/database.ts';
import { createLogger } from '../../packages/server/src/platform/telemetry/logger.ts';
import { openMoney, outcomeOf, requestFor } from './money.ts';
import type { WorkerRequest } from './shared-money.ts';

const config = loadConfig();
if (config.database.url === undefined) throw new Error('the worker needs DATABASE_URL');
armCrashPoint(config.crashAt);
const { chains } = await openConfiguredChains(config, createLogger(config.log));
const database = openDatabase({ connection: { connectionString: config.database.url }, poolSize: 8, onError: () => undefined });
const money = await openMoney({ database, chains });
process.stdout.write('ready\n');

for await (const line of createInterface({ input: process.stdin })) {
  const { network, reference, expectedMicros, subjectIds } = JSON.parse(line) as WorkerRequest;
  const outcomes = await Promise.all(
    subjectIds.map((subjectId) =>
      outcomeOf(money, requestFor(money, network, reference, { subjectId, expectedMicros: BigInt(expectedMicros) })),
    ),
  );
  process.stdout.write(`${JSON.stringify(outcomes)}\n`);
}
// The process that held our input ended.
process.exit(0);
