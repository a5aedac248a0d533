/** `market …` as a separate process, with the settings of a test's deployment. */
import { type ChildProcess, spawn } from 'node:child_process';
import { tmpdir } from 'node:os';
import type { Settings } from './market.ts';
import { COMMAND_LINE } from './programs.ts';

export interface MarketCommand {
  readonly child: ChildProcess;
  output(): string;
  /** Resolves with the first match in its output, or fails if the process ends without one. */
  said(pattern: RegExp): Promise<string>;
  readonly ended: Promise<number | null>;
}

export function runMarketCommand(args: readonly string[], settings: Settings): MarketCommand {
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: process.env['HOME'] ?? '',
    NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? '',
    ...settings,
  };
  const child = spawn(process.execPath, [COMMAND_LINE, ...args], { env, cwd: tmpdir(), stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
  }
  const ended = new Promise<number | null>((resolve) => child.once('close', (code) => resolve(code)));
  return {
    child,
    ended,
    output: () => output,
    async said(pattern) {
      for (;;) {
        const found = pattern.exec(output)?.[1];
        if (found !== undefined) return found;
        if (child.exitCode !== null || child.signalCode !== null) throw new Error(`market ${args.join(' ')} ended:\n${output}`);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    },
  };
}
