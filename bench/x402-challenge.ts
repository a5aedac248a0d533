/** The 402 of a hire, service looked up and hit counted in the database, against the official middleware in front of a fixed route. */
import { type ChildProcess, spawn } from 'node:child_process';
import { copyFile } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { installPackages } from '../test/clients/install-client.ts';
import { openMachineStage } from '../test/harness/machine-buyers.ts';
import { load, median } from './load.ts';

const ROUNDS = 5;
const LEAST_RATIO = 3;
const SHAPE = { connections: 32, milliseconds: 3_000, status: 402 };

const stage = await openMachineStage({ RATE_LIMIT_SCALE: '1000000' });
// One process each: the second server of the stage is for tests.
await stage.servers[1].kill('SIGTERM');
const middleware = await startMiddleware();
const ours = `${stage.urls[0]}/api/x402/discover/${stage.serviceId}`;
await load(ours, { ...SHAPE, milliseconds: 1_500 });
await load(middleware.url, { ...SHAPE, milliseconds: 1_500 });

const ratios: number[] = [];
for (let round = 0; round < ROUNDS; round++) {
  const mine = await load(ours, SHAPE);
  const theirs = await load(middleware.url, SHAPE);
  ratios.push(mine.perSecond / theirs.perSecond);
  console.log(
    `market ${mine.perSecond.toFixed(0)}/s (p50 ${mine.p50Ms.toFixed(1)} ms, p99 ${mine.p99Ms.toFixed(1)} ms) · ` +
      `@x402/hono ${theirs.perSecond.toFixed(0)}/s (p50 ${theirs.p50Ms.toFixed(1)} ms, p99 ${theirs.p99Ms.toFixed(1)} ms) · ` +
      `ratio ${(mine.perSecond / theirs.perSecond).toFixed(2)}`,
  );
}
middleware.child.kill('SIGKILL');
await stage.close();
const ratio = median(ratios);
console.log(`402 challenges: ${ratio.toFixed(2)} times the official middleware (median of ${ROUNDS}, at least ${LEAST_RATIO} wanted)`);
if (ratio < LEAST_RATIO) process.exitCode = 1;

async function startMiddleware(): Promise<{ readonly url: string; readonly child: ChildProcess }> {
  const source = path.join(import.meta.dirname, 'x402-middleware');
  const folder = await installPackages(source);
  const program = path.join(folder, 'server.mjs');
  await copyFile(path.join(source, 'server.mjs'), program);
  const child = spawn(process.execPath, [program], { stdio: ['ignore', 'pipe', 'inherit'] });
  const url = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout }).on('line', (line) => resolve(line.replace('ready ', '')));
    child.once('exit', (code) => reject(new Error(`the middleware ended with ${code}`)));
  });
  return { url, child };
}
