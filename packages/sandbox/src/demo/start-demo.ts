// Starts the demo process and reads its reports.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { DemoReport, DemoStartLine } from './demo-protocol.ts';

export interface DemoProcess {
  /** Resolves when the process has ended, by itself or stopped. */
  readonly ended: Promise<void>;
  stop(): Promise<void>;
}

export interface StartDemoOptions extends DemoStartLine {
  readonly onProgress: (message: string) => void;
  readonly onComplete: () => void;
}

const PROCESS = join(import.meta.dirname, 'demo-process.ts');
const STOP_LIMIT_MS = 2_000;

export function startDemo({ access, complete, onProgress, onComplete }: StartDemoOptions): DemoProcess {
  const child = spawn(process.execPath, [PROCESS], { stdio: ['pipe', 'pipe', 'pipe'] });
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', (error) => {
      onProgress(`the demo did not start: ${error.message}`);
      resolve();
    });
  });
  createInterface({ input: child.stdout }).on('line', (line) => {
    const report = JSON.parse(line) as DemoReport;
    if (report.kind === 'complete') onComplete();
    else onProgress(report.message);
  });
  createInterface({ input: child.stderr }).on('line', onProgress);
  child.stdin.on('error', () => undefined);
  child.stdin.write(`${JSON.stringify({ access, complete } satisfies DemoStartLine)}\n`);
  return {
    ended,
    async stop() {
      child.stdin.end();
      const late = setTimeout(() => child.kill('SIGKILL'), STOP_LIMIT_MS);
      await ended;
      clearTimeout(late);
    },
  };
}
