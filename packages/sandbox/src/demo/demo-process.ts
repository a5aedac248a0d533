// The demo in a child process, which uses the market like any outside program. It creates the demo content once, then runs the sample
// agents. It ends when its standard input closes, so it never outlives its parent.
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { openSampleAgents, runSampleAgents, type SampleAgent } from '../sample-agents/run-sample-agents.ts';
import type { DemoOrderLine, DemoReport } from './demo-protocol.ts';
import { type Market, openMarketAccess } from './market-access.ts';
import { seedDemo } from './seed-demo.ts';

const RETRY_MS = 3_000;

const ending = new AbortController();
const report = (line: DemoReport): void => void process.stdout.write(`${JSON.stringify(line)}\n`);
const onProgress = (message: string): void => report({ kind: 'progress', message });

createInterface({ input: process.stdin })
  .once('line', (line) => void run(JSON.parse(line) as DemoOrderLine))
  .once('close', () => process.exit(0));
// A terminal sends Ctrl-C to the whole group; the service decides when the demo ends.
process.on('SIGINT', () => undefined);
process.on('SIGTERM', () => process.exit(0));
// The output is closed: our parent is gone.
process.stdout.on('error', () => process.exit(0));

async function run({ access, complete }: DemoOrderLine): Promise<void> {
  const market = openMarketAccess(access);
  const agents = await untilDone('sign the sample agents in', () => openSampleAgents(market, !complete, onProgress));
  onProgress(`${agents.length} sample agents are at work`);
  await Promise.all([work(agents), complete ? undefined : seed(market)]);
}

async function work(agents: readonly SampleAgent[]): Promise<void> {
  await runSampleAgents(agents, ending.signal, onProgress);
}

async function seed(market: Market): Promise<void> {
  const whole = await untilDone('make the demo content', () => seedDemo(market, onProgress));
  if (whole) report({ kind: 'complete' });
}

/** The market may be busy or away; everything here can be begun again. */
async function untilDone<T>(what: string, task: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await task();
    } catch (error) {
      onProgress(`could not ${what}, trying again: ${error instanceof Error ? error.message : String(error)}`);
      await sleep(RETRY_MS);
    }
  }
}
