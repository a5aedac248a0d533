/**
 * `npm run release:check`: the checks before a release that need a registry. The dependency gate, then the advisories against the
 * packages we ship. Exits with 0 if both pass, with 1 if one fails, with 2 if the registry could not be reached.
 */
import { spawnSync } from 'node:child_process';
import { findDependencyProblems } from './check-dependencies.ts';

export type Advice =
  | { readonly kind: 'clean'; readonly lesser: number }
  | { readonly kind: 'vulnerable'; readonly packages: readonly string[] }
  | { readonly kind: 'unanswered'; readonly reason: string };

const SERIOUS = new Set(['high', 'critical']);

/** Reads the output of `npm audit --json`. Output other than a report counts as no answer, never as a clean one. */
export function readAdvice(output: string): Advice {
  let report: unknown;
  try {
    report = JSON.parse(output);
  } catch {
    return { kind: 'unanswered', reason: output.trim().slice(0, 200) || 'npm printed nothing' };
  }
  const { vulnerabilities, metadata, message, error } = (report ?? {}) as {
    vulnerabilities?: Record<string, { name: string; severity: string; range?: string }>;
    metadata?: { vulnerabilities?: unknown };
    message?: string;
    error?: { summary?: string; code?: string };
  };
  if (vulnerabilities === undefined || metadata?.vulnerabilities === undefined)
    return {
      kind: 'unanswered',
      reason: (message ?? error?.summary ?? error?.code ?? 'npm gave no report').replace(/https?:\/\/\S+/g, 'the registry'),
    };
  const found = Object.values(vulnerabilities);
  const serious = found.filter(({ severity }) => SERIOUS.has(severity));
  if (serious.length === 0) return { kind: 'clean', lesser: found.length };
  return { kind: 'vulnerable', packages: serious.map(({ name, severity, range }) => `${name} ${range ?? ''}: ${severity}`) };
}

function askRegistry(): Advice {
  const run = spawnSync('npm', ['audit', '--omit=dev', '--json', '--audit=true'], { encoding: 'utf8', timeout: 120_000 });
  return readAdvice(run.stdout ?? '');
}

function report(advice: Advice): number {
  switch (advice.kind) {
    case 'clean':
      console.log(`ok           advisories: none of high or critical severity (${advice.lesser} lesser)`);
      return 0;
    case 'vulnerable':
      console.log(`FAILED       advisories:\n  ${advice.packages.join('\n  ')}`);
      return 1;
    case 'unanswered':
      console.log(`NOT CHECKED  advisories: the registry did not answer (${advice.reason}).`);
      console.log('             Run this again where npm audit reaches a registry with advisories. Do not release before.');
      return 2;
  }
}

if (import.meta.main) {
  const problems = findDependencyProblems();
  for (const problem of problems) console.log(problem);
  console.log(`${problems.length === 0 ? 'ok    ' : 'FAILED'}       dependency gate`);
  const advice = report(askRegistry());
  process.exitCode = problems.length > 0 ? 1 : advice;
}
