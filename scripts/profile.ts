/**
 * `npm run profile -- <path>` puts one path under load and prints the functions of the server that took processor time.
 * `--statements` also prints the statements that PostgreSQL ran, how often per request and for how long.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { drive } from '../bench/suite/drive.ts';
import { loadPaths } from '../bench/suite/paths.ts';
import { openProfiler } from '../bench/suite/profiler.ts';
import { openStage } from '../bench/suite/stage.ts';
import { openStatementLog } from '../bench/suite/statement-log.ts';

const ARTIFACTS = join(import.meta.dirname, '..', '.artifacts', 'profiles');
const SHOWN = 30;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    statements: { type: 'boolean', default: false },
    seconds: { type: 'string', default: '10' },
    callers: { type: 'string', default: '32' },
  },
});
const [name = ''] = positionals;
const path = Object.hasOwn(loadPaths, name) ? loadPaths[name] : undefined;
const [seconds, callers] = [Number(values.seconds), Number(values.callers)];
if (path === undefined || !(seconds > 0) || !(callers >= 1)) {
  console.error('npm run profile -- <path> [--statements] [--seconds 10] [--callers 32]\n\nPaths:');
  for (const [each, { about }] of Object.entries(loadPaths)) console.error(`  ${each.padEnd(12)} ${about}`);
  process.exit(2);
}

const scratch = mkdtempSync(join(tmpdir(), 'market-profile-'));
const log = values.statements ? await openStatementLog(scratch) : undefined;
const stage = await openStage({ chains: name === 'challenge', nodeFlags: ['--inspect=127.0.0.1:0'] }, false);
try {
  const next = await path.prepare(stage);
  const options = { url: stage.url, callers, ...(path.status !== undefined && { status: path.status }) };
  // Do not warm up with requests that can be sent only once.
  const isRepeatable = next(0) === next(callers);
  if (isRepeatable) await drive({ ...options, next, milliseconds: 2_000 });
  const profiler = await openProfiler(stage.server.log());
  await profiler.start();
  const stopLogging = await log?.start();
  const { count, perSecond, p50Ms, p99Ms } = await drive({ ...options, next, milliseconds: seconds * 1000 });
  const statements = await stopLogging?.();
  const { profile, functions, busyMs } = await profiler.stop();
  console.log(`${path.about}: ${count} requests, ${perSecond.toFixed(0)}/s, p50 ${p50Ms.toFixed(1)} ms, p99 ${p99Ms.toFixed(1)} ms`);
  console.log(`processor of the server: ${(busyMs / count).toFixed(2)} ms per request\n`);
  console.log('     %    ms  function');
  for (const { selfMs, name: called, place } of functions.slice(0, SHOWN))
    console.log(`${((100 * selfMs) / busyMs).toFixed(1).padStart(6)} ${selfMs.toFixed(0).padStart(5)}  ${called} ${place}`);
  if (statements !== undefined) {
    console.log('\nper request     ms each  ms in all  statement');
    for (const { times, ms, text } of statements.slice(0, SHOWN))
      console.log(
        `${(times / count).toFixed(2).padStart(11)} ${(ms / times).toFixed(3).padStart(11)} ${ms.toFixed(0).padStart(10)}  ${text}`,
      );
  }
  mkdirSync(ARTIFACTS, { recursive: true });
  const file = join(ARTIFACTS, `${name}.cpuprofile`);
  writeFileSync(file, profile);
  console.log(`\nthe whole profile, for the developer tools of a browser: ${file}`);
} finally {
  await stage.close();
  await log?.close();
  rmSync(scratch, { recursive: true, force: true });
}
