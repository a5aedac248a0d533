/** From `npm start` to ready with PostgreSQL and three chains, warm, and from kill -9 to ready. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { listPostgres, makeDataFolder, survivorsOf } from '../test/faults/data-folder.ts';
import { withOwnChains } from '../test/harness/market.ts';
import { NPM_START } from '../test/harness/programs.ts';
import { median } from './load.ts';
import { defineBench } from './suite/bench.ts';

const ROOT = path.join(import.meta.dirname, '..');
const WARM = 'npm start, warm, to ready';
const KILLED = 'kill -9 to ready';

interface Started {
  readonly seconds: number;
  readonly child: ChildProcess;
}

export default defineBench({
  about: 'the whole sandbox from npm start to ready, and from kill -9 to ready',
  rows: [
    { path: WARM, unit: 's', judged: 'ours', direction: 'at most', bound: 2.2 },
    { path: KILLED, unit: 's', judged: 'ours', direction: 'at most', bound: 2.5 },
  ],
  async run(run) {
    const folder = await makeDataFolder();
    const chains = run.pick('on', 'off');
    const settings = {
      ...withOwnChains,
      SANDBOX_CHAINS: chains,
      SANDBOX_DEMO: 'off',
      PORT: '0',
      DATA_DIR: folder.path,
      LOG_FORMAT: 'json',
    };
    const start = (command: readonly string[]) => startAndWait(command, { ...process.env, ...settings });
    const npm = ['npm', 'start', '--silent'];
    const node = [process.execPath, ...NPM_START];
    const times: Record<'warm' | 'killed', number[]> = { warm: [], killed: [] };
    try {
      // The first start makes the database, the chains and, if need be, the builds.
      if (!run.smoke) await end(await start(node), 'SIGTERM');
      for (let round = 0; round < run.pick(5, 1); round++) {
        const warm = await start(npm);
        times.warm.push(warm.seconds);
        // Node writes its compile cache some seconds after a start.
        await sleep(run.pick(6_000, 0));
        await end(warm, 'SIGKILL');
        const again = await start(node);
        times.killed.push(again.seconds);
        run.print(`npm start ${warm.seconds.toFixed(2)} s · after kill -9 ${again.seconds.toFixed(2)} s`);
        await end(again, 'SIGTERM');
      }
    } finally {
      await survivorsOf(listPostgres(folder), 10_000);
      await folder.remove();
    }
    run.report(WARM, { ours: median(times.warm) });
    run.report(KILLED, { ours: median(times.killed) });
  },
});

async function startAndWait([program = '', ...args]: readonly string[], env: NodeJS.ProcessEnv): Promise<Started> {
  const startedAt = performance.now();
  const child = spawn(program, args, { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'ignore'], detached: true });
  await new Promise<void>((resolve, reject) => {
    createInterface({ input: child.stdout }).on('line', (line) => line.startsWith('ready ') && resolve());
    child.once('exit', (code) => reject(new Error(`the server ended with ${code} before it was ready`)));
  });
  return { seconds: (performance.now() - startedAt) / 1000, child };
}

/** Signals the whole process group: npm passes signals on to its child, but cannot pass on kill -9. */
async function end({ child }: Started, signal: NodeJS.Signals): Promise<void> {
  const ended = once(child, 'exit');
  process.kill(-(child.pid ?? 0), signal);
  await ended;
}
