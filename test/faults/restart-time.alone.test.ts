/** The time from kill -9 until the whole sandbox, with PostgreSQL and three chains, is ready again. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { startServer, withOwnChains } from '../harness/market.ts';
import { NPM_START } from '../harness/programs.ts';
import { times } from '../harness/thoroughness.ts';
import { makeDataFolder } from './data-folder.ts';

const WANTED_MS = 2_500;
/** A slow machine gets more time: this many times the time of loading the sources alone. */
const MOST_LOADS = 2;
const ROUNDS = times(2, 4);
const PROGRAM = path.join(import.meta.dirname, '..', '..', 'packages', 'server', 'src', 'app.ts');

/** Loads the server's sources without running them. */
async function timeLoading(): Promise<number> {
  const startedAt = performance.now();
  const code = `await import(${JSON.stringify(PROGRAM)}); process.exit(0);`;
  await once(spawn(process.execPath, ['--input-type=module', '-e', code], { stdio: 'ignore' }), 'exit');
  return performance.now() - startedAt;
}

test('a killed server is ready again within 2.5 s, or twice what loading its sources takes', async () => {
  const folder = await makeDataFolder();
  const settings = { ...withOwnChains, SANDBOX_CHAINS: 'on', DATA_DIR: folder.path, LOG_LEVEL: 'warn' };
  const restarts: number[] = [];
  const loads: number[] = [];
  try {
    for (let round = 0; round <= ROUNDS; round += 1) {
      const startedAt = performance.now();
      const server = await startServer(settings, NPM_START);
      // The first start makes the database and the bundle, so it does not count.
      if (round > 0) restarts.push(performance.now() - startedAt);
      await server.kill('SIGKILL');
      loads.push(await timeLoading());
    }
    const [restart, load] = [Math.min(...restarts), Math.min(...loads)];
    process.stdout.write(`ready ${Math.round(restart)} ms after kill -9; loading the sources takes ${Math.round(load)} ms\n`);
    assert.ok(restart < Math.max(WANTED_MS, MOST_LOADS * load), `ready after ${restart} ms, sources load in ${load} ms`);
  } finally {
    // PostgreSQL ends with its last user.
    await sleep(1_000);
    await folder.remove();
  }
});
