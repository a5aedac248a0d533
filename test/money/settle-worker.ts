// A process with its own facilitator on the market's database and chains, which settles the payment in each input line.
import { createInterface } from 'node:readline';
import { openConfiguredChains } from '../../packages/server/src/boot/open-configured-chains.ts';
import { loadConfig } from '../../packages/server/src/config.ts';
import { openDatabase } from '../../packages/server/src/platform/db/database.ts';
import type { StandardPayment } from '../../packages/server/src/platform/facilitator/facilitator.ts';
import { openFacilitator } from '../../packages/server/src/platform/facilitator/open-facilitator.ts';
import { createLogger } from '../../packages/server/src/platform/telemetry/logger.ts';
import { createMetrics } from '../../packages/server/src/platform/telemetry/metrics.ts';
import { rememberInDatabase } from './remember-in-database.ts';

const config = loadConfig();
if (config.database.url === undefined) throw new Error('the worker needs DATABASE_URL');
const log = createLogger(config.log);
const opened = await openConfiguredChains(config, log);
const { pool } = openDatabase({ connection: { connectionString: config.database.url }, poolSize: 8, onError: () => undefined });
const facilitator = await openFacilitator({
  ...opened,
  remote: undefined,
  pool,
  pendings: rememberInDatabase(pool),
  log,
  metrics: createMetrics(),
  confirmationMs: 60_000,
});
process.stdout.write(`${JSON.stringify({ networks: facilitator.networks, extra: facilitator.extraOf('solana-mainnet') })}\n`);

for await (const line of createInterface({ input: process.stdin })) {
  const payments = JSON.parse(line) as readonly StandardPayment[];
  const settled = await Promise.all(payments.map((payment) => facilitator.settle(payment)));
  process.stdout.write(`${JSON.stringify(settled)}\n`);
}
// The process that held our input ended.
process.exit(0);
