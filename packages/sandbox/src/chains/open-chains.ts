// Finds or starts the process of the local chains and speaks to it; to its user it is the same interface as the chains in this process.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type AdvanceBody, type FaultBody, type FundBody, type ReadyLine, runningFile } from './control-protocol.ts';
import type { SandboxChains, SandboxChainsOptions } from './sandbox-chains.ts';

const PROCESS = join(import.meta.dirname, 'chains-process.ts');
const STOP_LIMIT_MS = 5_000;

/** Uses the chains that already run on this folder; starts them otherwise. Only who started them ends them. */
export async function openSandboxChains(options: SandboxChainsOptions): Promise<SandboxChains> {
  return (await attach(options.folder)) ?? (await spawnChains(options));
}

async function attach(folder: string): Promise<SandboxChains | undefined> {
  try {
    const ready = JSON.parse(readFileSync(runningFile(folder), 'utf8')) as ReadyLine;
    await ask<unknown>(ready.controlUrl, '/ping', {});
    return controlledBy(ready, async () => undefined);
  } catch {
    // Nobody there, or a file left by a process that was killed.
    return undefined;
  }
}

async function spawnChains({ log, ...options }: SandboxChainsOptions): Promise<SandboxChains> {
  const child = spawn(process.execPath, [PROCESS, JSON.stringify(options)], { stdio: ['pipe', 'pipe', 'pipe'] });
  let lastWords = '';
  createInterface({ input: child.stderr }).on('line', (line) => {
    lastWords = line;
    log(line);
  });
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const ready = await new Promise<ReadyLine>((resolve, reject) => {
    createInterface({ input: child.stdout }).once('line', (line) => resolve(JSON.parse(line)));
    child.once('error', reject);
    void exited.then(() => reject(new Error(`The local chains did not start: ${lastWords || 'no reason given'}`)));
  });
  child.stdin.on('error', () => undefined);
  return controlledBy(ready, async () => {
    child.stdin.end();
    const late = setTimeout(() => child.kill('SIGKILL'), STOP_LIMIT_MS);
    await exited;
    clearTimeout(late);
  });
}

function controlledBy({ controlUrl, networks, wallets }: ReadyLine, close: () => Promise<void>): SandboxChains {
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
    async setFault(request) {
      await ask<unknown>(controlUrl, '/fault', request satisfies FaultBody);
    },
    async advance(seconds) {
      await ask<unknown>(controlUrl, '/advance', { seconds } satisfies AdvanceBody);
    },
    close,
  };
}

async function ask<T>(controlUrl: string, path: string, body: object): Promise<T> {
  const response = await fetch(controlUrl + path, { method: 'POST', body: JSON.stringify(body) });
  const answer = (await response.json()) as T & { error?: string };
  if (!response.ok) throw new Error(answer.error ?? `the chains answered ${response.status}`);
  return answer;
}
