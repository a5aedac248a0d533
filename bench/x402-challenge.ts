/** The 402 answer of a hire (service lookup and hit counter in the database) against the official middleware in front of a fixed route. */
import { type ChildProcess, spawn } from 'node:child_process';
import { copyFile } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { installPackages } from '../test/clients/install-client.ts';
import { load } from './load.ts';
import { defineBench } from './suite/bench.ts';
import { compare } from './suite/compare.ts';
import { openSeller } from './suite/market-people.ts';

const PATH = 'GET /api/x402/discover/{id}, the 402';
const SHAPE = { connections: 32, status: 402 };
const NOT_MEASURED = path.join(import.meta.dirname, 'suite', 'bare-challenge.mjs');

export default defineBench({
  about: 'the 402 of a hire against the official middleware in front of a fixed route',
  rows: [{ path: PATH, unit: '/s', judged: 'ratio', direction: 'at least', bound: 5 }],
  async run(run) {
    const stage = await run.stage({ chains: true });
    const { serviceId } = await openSeller(stage.url);
    // The middleware's packages take long to install and contain no code of ours: smoke mode answers 402 with node:http instead.
    const middleware = run.smoke ? await startProgram(NOT_MEASURED) : await startMiddleware();
    run.atEnd(() => middleware.child.kill('SIGKILL'));
    const ours = `${stage.url}/api/x402/discover/${serviceId}`;
    const shape = { ...SHAPE, milliseconds: run.pick(3_000, 100) };
    for (const url of [ours, middleware.url]) await load(url, { ...shape, milliseconds: run.pick(1_500, 50) });
    const figure = await compare({
      rounds: run.pick(5, 1),
      ours: async () => (await load(ours, shape)).perSecond,
      limit: async () => (await load(middleware.url, shape)).perSecond,
      onRound: (mine, theirs) => run.print(`market ${mine.toFixed(0)}/s · @x402/hono ${theirs.toFixed(0)}/s`),
    });
    run.report(PATH, figure);
  },
});

interface Started {
  readonly url: string;
  readonly child: ChildProcess;
}

async function startMiddleware(): Promise<Started> {
  const source = path.join(import.meta.dirname, 'x402-middleware');
  const folder = await installPackages(source);
  const program = path.join(folder, 'server.mjs');
  await copyFile(path.join(source, 'server.mjs'), program);
  return await startProgram(program);
}

async function startProgram(program: string): Promise<Started> {
  const child = spawn(process.execPath, [program], { stdio: ['ignore', 'pipe', 'inherit'] });
  const url = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout }).on('line', (line) => resolve(line.replace('ready ', '')));
    child.once('exit', (code) => reject(new Error(`the middleware ended with ${code}`)));
  });
  return { url, child };
}
