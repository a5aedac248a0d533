// Runs the demo in a child process, which uses the market like any outside program. It creates the demo content once, then runs the sample
// agents. It ends when its standard input closes, so it never outlives its parent.
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { openSampleAgents, runSampleAgents, type SampleAgent } from '../sample-agents/run-sample-agents.ts';
import type { DemoReport, DemoStartLine } from './demo-protocol.ts';
import { type Market, openMarketAccess } from './market-access.ts';
import { seedDemo } from './seed-demo.ts';

const RETRY_MS = 3_000;

const ending = new AbortController();
const report = (line: DemoReport): void => void process.stdout.write(`${JSON.stringify(line)}\n`);
const onProgress = (message: string): void => report({ kind: 'progress', message });

createInterface({ input: process.stdin })
  .once('line', (line) => void run(JSON.parse(line) as DemoStartLine))
  .once('close', () => process.exit(0));
// A terminal sends Ctrl-C to the whole process group; the service decides when the demo ends.
process.on('SIGINT', () => undefined);
process.on('SIGTERM', () => process.exit(0));
// A closed output means that the parent has ended.
process.stdout.on('error', () => process.exit(0));

async function run({ access, complete }: DemoStartLine): Promise<void> {
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

/** Repeats a task until it succeeds, because the market may be busy or down. All tasks can be repeated. */
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
