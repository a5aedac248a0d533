// Finds or starts the process of the local chains. Offers the same interface as chains in this process.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type AdvanceBody,
  type FaultBody,
  FOLDER_IN_USE,
  type FundBody,
  type ReadyLine,
  runningFile,
  type VenueBody,
} from './control-protocol.ts';
import type { RunningChains, SandboxChainsOptions } from './sandbox-chains.ts';

const PROCESS = join(import.meta.dirname, 'chains-process.ts');
const STOP_LIMIT_MS = 5_000;

/** How long another process may take to start or end the chains. */
const PATIENCE_MS = 60_000;
const PAUSE_MS = 100;
const PING_LIMIT_MS = 3_000;

/**
 * Uses the chains that already run on this folder, or starts them. Only the process that started them ends them. While another process
 * starts or ends chains on this folder, it waits.
 */
export async function openSandboxChains(options: SandboxChainsOptions): Promise<RunningChains> {
  for (const giveUpAt = performance.now() + PATIENCE_MS; ; await sleep(PAUSE_MS + Math.random() * PAUSE_MS)) {
    const running = await attach(options.folder);
    if (running !== undefined) return running;
    try {
      return await spawnChains(options);
    } catch (error) {
      if (!(error instanceof ChainsInUse) || performance.now() > giveUpAt) throw error;
    }
  }
}

class ChainsInUse extends Error {}

async function attach(folder: string): Promise<RunningChains | undefined> {
  try {
    const ready = JSON.parse(readFileSync(runningFile(folder), 'utf8')) as ReadyLine;
    await ask<unknown>(ready.controlUrl, '/ping', {}, PING_LIMIT_MS);
    const { ended, leave } = watch(ready.controlUrl);
    return controlledBy(ready, ended, async () => leave());
  } catch {
    // No process runs, or a killed one left the file.
    return undefined;
  }
}

/** Sends a request that is never answered: its connection breaks when the chains process ends, by whatever cause. */
function watch(controlUrl: string): { readonly ended: Promise<void>; leave(): void } {
  const watching = request(`${controlUrl}/until-ended`, { method: 'POST' });
  const ended = new Promise<void>((resolve) => watching.on('error', () => undefined).on('close', () => resolve()));
  watching.end();
  // The watch alone must not keep this process alive.
  watching.on('socket', (socket) => socket.unref());
  return { ended, leave: () => watching.destroy() };
}

async function spawnChains({ log, ...options }: SandboxChainsOptions): Promise<RunningChains> {
  const child = spawn(process.execPath, [PROCESS, JSON.stringify(options)], { stdio: ['pipe', 'pipe', 'pipe'] });
  let lastWords = '';
  createInterface({ input: child.stderr }).on('line', (line) => {
    lastWords = line;
    log(line);
  });
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const explain = (): Error => {
    const message = `The local chains did not start: ${lastWords || 'no reason given'}`;
    return child.exitCode === FOLDER_IN_USE ? new ChainsInUse(message) : new Error(message);
  };
  const ready = await new Promise<ReadyLine>((resolve, reject) => {
    createInterface({ input: child.stdout }).once('line', (line) => resolve(JSON.parse(line)));
    child.once('error', reject);
    void exited.then(() => reject(explain()));
  });
  child.stdin.on('error', () => undefined);
  return controlledBy(ready, exited, async () => {
    child.stdin.end();
    const late = setTimeout(() => child.kill('SIGKILL'), STOP_LIMIT_MS);
    await exited;
    clearTimeout(late);
  });
}

function controlledBy({ controlUrl, networks, wallets }: ReadyLine, ended: Promise<void>, close: () => Promise<void>): RunningChains {
  return {
    networks,
    wallets,
    async fundWallets() {
      await ask<unknown>(controlUrl, '/fund-wallets', {});
    },
    async fund({ network, address, usdcMicros, native }) {
      const body: FundBody = { network, address, usdcMicros: String(usdcMicros), native: String(native) };
      return await ask(controlUrl, '/fund', body);
    },
    async setFault(fault) {
      await ask<unknown>(controlUrl, '/fault', fault satisfies FaultBody);
    },
    async steerVenue({ micros, ...change }) {
      const body: VenueBody = { ...change, micros: String(micros) };
      return (await ask<{ reference: string }>(controlUrl, '/venue', body)).reference;
    },
    async advance(seconds) {
      await ask<unknown>(controlUrl, '/advance', { seconds } satisfies AdvanceBody);
    },
    ended,
    close,
  };
}

/** The chains refused the request; the message is for the caller. */
export class ChainsRefusal extends Error {}

/** Uses `node:http`, because `fetch` takes longer to load than the chains to answer. */
async function ask<T>(controlUrl: string, path: string, body: object, limitMs?: number): Promise<T> {
  // Open a new connection: a kept-alive one may have been closed while this process was busy, which would look like a fault of the chains.
  const signal = limitMs === undefined ? {} : { signal: AbortSignal.timeout(limitMs) };
  const asking = request(controlUrl + path, { method: 'POST', agent: false, ...signal });
  asking.end(JSON.stringify(body));
  const [response] = (await once(asking, 'response')) as [IncomingMessage];
  const answer = JSON.parse(await text(response)) as T & { error?: string };
  if (response.statusCode !== 200) throw new ChainsRefusal(answer.error ?? `the chains answered ${response.statusCode}`);
  return answer;
}
