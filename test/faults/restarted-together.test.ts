/** Two processes on one folder, with its embedded PostgreSQL and its chains, end and start at the same moment. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { call } from '../harness/http.ts';
import { freePort, type ServerProcess, type Settings, startServer } from '../harness/market.ts';
import { times } from '../harness/thoroughness.ts';
import { type DataFolder, listPostgres, makeDataFolder, survivorsOf } from './data-folder.ts';
import { timeUntil } from './outage-watch.ts';

/** `TEST_RESTARTS` sets another number. */
const ROUNDS = Number(process.env['TEST_RESTARTS'] ?? times(2, 10));
/** A deploy, a power cut, and one of each. */
const ENDINGS: readonly (readonly NodeJS.Signals[])[] = [
  ['SIGTERM', 'SIGTERM'],
  ['SIGKILL', 'SIGKILL'],
  ['SIGTERM', 'SIGKILL'],
];
const BACK_WITHIN_MS = 60_000;

let folder: DataFolder;
let settings: Settings;
let servers: readonly ServerProcess[] = [];

before(async () => {
  folder = await makeDataFolder();
  const [base, alt, solana] = await Promise.all([freePort(), freePort(), freePort()]);
  settings = {
    DATA_DIR: folder.path,
    BASE_URL: 'http://market.localhost:4020',
    SANDBOX_CHAINS: 'fast',
    SANDBOX_BASE_PORT: String(base),
    SANDBOX_ALT_PORT: String(alt),
    SANDBOX_SOLANA_PORT: String(solana),
    LOG_LEVEL: 'warn',
  };
});
after(async () => {
  await Promise.all(servers.map((server) => server.kill('SIGKILL')));
  await survivorsOf(listPostgres(folder), 10_000);
  await folder.remove();
});

async function startBoth(): Promise<readonly ServerProcess[]> {
  const ports = await Promise.all([freePort(), freePort()]);
  const starting = ports.map(async (port) => ({
    ...(await startServer({ ...settings, PORT: String(port) })),
    url: `http://127.0.0.1:${port}`,
  }));
  const started = await Promise.allSettled(starting);
  servers = started.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  for (const one of started) if (one.status === 'rejected') throw one.reason;
  return servers;
}

async function isWhole({ url }: ServerProcess): Promise<boolean> {
  const { status, body } = await call(url, 'GET /readyz');
  return status === 200 && Object.keys(body['data'].missing_networks).length === 0;
}

test(`two processes that end and start at the same moment both come up, ${ROUNDS} times`, async () => {
  await startBoth();
  for (let round = 1; round <= ROUNDS; round++) {
    const signals = ENDINGS[round % ENDINGS.length] ?? [];
    const ended = servers.map((server, index) => server.kill(signals[index] ?? 'SIGKILL'));
    // Every second time the new processes start while the old ones are still ending.
    if (round % 2 === 0) await Promise.all(ended);
    for (const server of await startBoth()) {
      const back = await timeUntil(BACK_WITHIN_MS, () => isWhole(server));
      assert.ok(back !== undefined, `round ${round}: ${JSON.stringify((await call(server.url, 'GET /readyz')).body)}\n${server.log()}`);
    }
    await Promise.all(ended);
  }
});
