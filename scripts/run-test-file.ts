// Runs one test file in a process of its own and says how it went; a file that proves nothing counts as failed.
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestReportLine } from './test-reporter.ts';

export interface TestFileRun {
  readonly file: string;
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  readonly seconds: number;
  readonly failures: readonly { readonly title: string; readonly error: string }[];
}

export interface TestFileOptions {
  readonly file: string;
  /** An empty folder for the report of this file. */
  readonly reportFolder: string;
  readonly environment: NodeJS.ProcessEnv;
  readonly timeoutSeconds: number;
  readonly signal: AbortSignal;
}

const LAST_OUTPUT_MS = 1_000;

interface ProcessEnd {
  /** How it ended, unless with exit code 0 and in time. */
  readonly trouble: string | undefined;
  readonly output: string;
}

export async function runTestFile(options: TestFileOptions): Promise<TestFileRun> {
  const startedAt = performance.now();
  const report = join(options.reportFolder, 'report.jsonl');
  const end = await runToEnd(options, report);
  const lines: TestReportLine[] = existsSync(report)
    ? readFileSync(report, 'utf8')
        .trim()
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line))
    : [];
  return { file: options.file, seconds: (performance.now() - startedAt) / 1000, ...judge(lines, end) };
}

function judge(
  lines: readonly TestReportLine[],
  { trouble, output }: ProcessEnd,
): Pick<TestFileRun, 'passed' | 'failed' | 'skipped' | 'failures'> {
  const failures = lines.filter((line) => line.type === 'failure').map(({ title, error }) => ({ title, error }));
  const summary = lines.find((line) => line.type === 'summary');
  const ran = summary === undefined ? 0 : summary.passed + summary.failed + summary.skipped;
  const complaint = complain(summary, ran, trouble, failures.length > 0);
  if (complaint !== undefined) failures.push({ title: 'the file itself', error: complaint });
  const last = failures.at(-1);
  if (last !== undefined && output !== '')
    failures.splice(-1, 1, { ...last, error: `${last.error}\n\noutput of the file:\n${output.trimEnd()}` });
  const failed = Math.max(summary?.failed ?? 0, failures.length > 0 ? 1 : 0);
  return { passed: summary?.passed ?? 0, failed, skipped: summary?.skipped ?? 0, failures };
}

function complain(summary: object | undefined, ran: number, trouble: string | undefined, hasFailures: boolean): string | undefined {
  if (trouble !== undefined && (!hasFailures || !trouble.startsWith('exit code'))) return `The process ended with ${trouble}.`;
  if (summary === undefined || ran === 0) return 'No test came to its end: the file has none, or its process exited early.';
  return undefined;
}

function runToEnd({ file, environment, timeoutSeconds, signal }: TestFileOptions, report: string): Promise<ProcessEnd> {
  const reporter = [`--test-reporter=${import.meta.resolve('./test-reporter.ts')}`, `--test-reporter-destination=${report}`];
  // A process group of its own, so that whatever the file started can be ended with it.
  const child = spawn(process.execPath, [...reporter, file], { env: environment, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
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
      // A program that left the group may keep our pipes open: read what is there and go on.
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
