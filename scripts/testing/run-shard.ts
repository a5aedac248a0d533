// Runs a few test files in one process and reports the result of each; a file without a passed test counts as failed.
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { ShardReportLine } from './shard-reporter.ts';

export interface TestFileRun {
  readonly file: string;
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  readonly seconds: number;
  /** Processor time of the process and its ended children, without the servers that a run shares. */
  readonly processorSeconds: number;
  readonly failures: readonly { readonly title: string; readonly error: string }[];
  /** True: the shared process ended before the file did, maybe because of another file. */
  readonly cutOff: boolean;
}

export interface ShardOptions {
  readonly files: readonly string[];
  /** An empty folder for the report of this shard. */
  readonly reportFolder: string;
  readonly environment: NodeJS.ProcessEnv;
  readonly timeoutSeconds: number;
  readonly signal: AbortSignal;
}

const ENTRY = join(import.meta.dirname, 'shard-entry.ts');
const REPORTER = join(import.meta.dirname, 'shard-reporter.ts');
const LAST_OUTPUT_MS = 1_000;

interface ProcessEnd {
  /** How the process ended; undefined for exit code 0 in time. */
  readonly trouble: string | undefined;
  readonly output: string;
}

export async function runShard(options: ShardOptions): Promise<TestFileRun[]> {
  const startedAt = performance.now();
  const report = join(options.reportFolder, 'report.jsonl');
  const end = await runToEnd(options, report);
  const lines: ShardReportLine[] = existsSync(report)
    ? readFileSync(report, 'utf8')
        .trim()
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line))
    : [];
  const seconds = (performance.now() - startedAt) / 1000;
  return options.files.map((file) => judge(file, lines, end, options.files.length === 1 ? seconds : undefined));
}

function judge(file: string, lines: readonly ShardReportLine[], { trouble, output }: ProcessEnd, wholeSeconds?: number): TestFileRun {
  const name = relative(process.cwd(), file);
  const finished = lines.find((line) => line.type === 'file' && line.file === name);
  const count = (result: string) => lines.filter((line) => line.type === 'test' && line.file === name && line.result === result).length;
  const [passed, skipped] = [count('passed'), count('skipped')];
  const failures = lines
    .filter((line) => line.type === 'failure')
    .filter((line) => (line.file ?? name) === name)
    .map(({ title, error }) => ({ title, error }));
  const ran = passed + skipped + count('failed');
  const ended = finished !== undefined && lines.some((line) => line.type === 'summary');
  // A failed test in any file explains the exit code of the process.
  const explained = trouble?.startsWith('exit code') === true && lines.some((line) => line.type === 'failure');
  const blamed = !explained && (finished === undefined || isLast(name, lines)) ? trouble : undefined;
  const complaint = complain(ended, ran, blamed, failures.length > 0);
  if (complaint !== undefined) failures.push({ title: 'the file itself', error: complaint });
  const last = failures.at(-1);
  if (last !== undefined && output !== '')
    failures.splice(-1, 1, { ...last, error: `${last.error}\n\noutput of the process:\n${output.trimEnd()}` });
  const failed = Math.max(count('failed'), failures.length > 0 ? 1 : 0);
  const seconds = wholeSeconds ?? (finished?.type === 'file' ? finished.seconds : 0);
  const processorSeconds = finished?.type === 'file' ? finished.processorSeconds : 0;
  const cutOff = finished === undefined && wholeSeconds === undefined;
  return { file, passed, failed, skipped, seconds, processorSeconds, failures, cutOff };
}

/** Whether this file ran last; only that file reports the end of the process. */
function isLast(name: string, lines: readonly ShardReportLine[]): boolean {
  return lines.findLast((line) => line.type === 'file')?.file === name;
}

function complain(ended: boolean, ran: number, trouble: string | undefined, hasFailures: boolean): string | undefined {
  if (trouble !== undefined) return `The process ended with ${trouble}.`;
  if (!hasFailures && (!ended || ran === 0)) return 'No test came to its end: the file has none, or its process exited early.';
  return undefined;
}

function runToEnd({ files, environment, timeoutSeconds, signal }: ShardOptions, report: string): Promise<ProcessEnd> {
  const reporter = [`--test-reporter=${REPORTER}`, `--test-reporter-destination=${report}`];
  // Start a process group, so that programs that the files started can be ended with it.
  const child = spawn(process.execPath, [...reporter, ENTRY, ...files], {
    env: environment,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  let trouble: string | undefined;
  const giveUp = (reason: string) => {
    trouble ??= reason;
    endGroup(child.pid);
  };
  const interrupt = () => giveUp('an interruption');
  const timer = setTimeout(() => giveUp(`a timeout: it did not end within ${timeoutSeconds} s`), timeoutSeconds * 1000);
  signal.addEventListener('abort', interrupt);
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output = (output + chunk).slice(-20_000)));
  return new Promise((done, fail) => {
    child.on('error', fail);
    child.on('exit', (code, killedBy) => {
      clearTimeout(timer);
      signal.removeEventListener('abort', interrupt);
      endGroup(child.pid);
      if (code !== 0) trouble ??= code === null ? `signal ${killedBy}` : `exit code ${code}`;
      // A program that left the group may keep our pipes open: read the output so far and go on.
      const leave = () => {
        for (const stream of [child.stdout, child.stderr]) stream.destroy();
      };
      setTimeout(leave, LAST_OUTPUT_MS).unref();
    });
    child.on('close', () => done({ trouble, output }));
  });
}

function endGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}
