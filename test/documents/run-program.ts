/** Runs programs of a guide as a reader does: as processes, configured by environment variables. */
import { type ChildProcess, spawn } from 'node:child_process';
import type { ProgramFolder } from './blocks.ts';

export interface RunningProgram {
  readonly child: ChildProcess;
  readonly output: () => string;
  readonly ended: Promise<number | null>;
}

export function startProgram({ folder }: ProgramFolder, file: string, environment: Readonly<Record<string, string>>): RunningProgram {
  const env = { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '', NODE_NO_WARNINGS: '1', ...environment };
  const child = spawn(process.execPath, [file], { env, cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
  }
  return { child, output: () => output, ended: new Promise((resolve) => child.once('close', resolve)) };
}
