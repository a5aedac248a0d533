/** The program as a process that may end before it is ready. */
import { type ChildProcess, spawn } from 'node:child_process';
import { tmpdir } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Settings } from '../harness/market.ts';
import { SERVER } from '../harness/programs.ts';

const SAID_WITHIN_MS = 60_000;

export interface MainProcess {
  readonly child: ChildProcess;
  /** Resolves when its output matches, or when it ends without. Throws if it runs on without. */
  hasSaid(pattern: RegExp): Promise<void>;
  /** Resolves at its end with its whole output and its lifetime. */
  readonly ended: Promise<{ readonly code: number | null; readonly output: string; readonly ms: number }>;
}

export function startMain(settings: Settings, program = SERVER): MainProcess {
  const startedAt = performance.now();
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: process.env['HOME'] ?? '',
    NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? '',
    ...settings,
  };
  const child = spawn(process.execPath, [program], { env, cwd: tmpdir(), stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
  }
  const ended = new Promise<{ code: number | null; output: string; ms: number }>((resolve) => {
    child.once('close', (code) => resolve({ code, output, ms: performance.now() - startedAt }));
  });
  return {
    child,
    ended,
    async hasSaid(pattern) {
      const deadline = performance.now() + SAID_WITHIN_MS;
      while (!pattern.test(output) && child.exitCode === null && child.signalCode === null) {
        if (performance.now() > deadline) {
          child.kill('SIGKILL');
          throw new Error(`The process did not say ${pattern} within ${SAID_WITHIN_MS / 1000} s. It said:\n${output}`);
        }
        await sleep(5);
      }
    },
  };
}
