/** The output of `npm run profile`: functions of another process by their time, and statements by their count. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { openProfiler } from '../../bench/suite/profiler.ts';
import { countStatements } from '../../bench/suite/statement-log.ts';

test('a profile of another process names the function that kept it busy', async () => {
  const program = 'function spin() { const end = performance.now() + 20; while (performance.now() < end); setTimeout(spin, 5); } spin();';
  const child = spawn(process.execPath, ['--inspect=127.0.0.1:0', '-e', program], { stdio: ['ignore', 'ignore', 'pipe'] });
  try {
    let log = '';
    child.stderr.on('data', (chunk) => {
      log += chunk;
    });
    while (!log.includes('Debugger listening')) await sleep(10);
    const profiler = await openProfiler(log);
    await profiler.start();
    await sleep(300);
    const { functions, busyMs, profile } = await profiler.stop();
    assert.ok(
      functions.slice(0, 3).some(({ name }) => name === 'spin' || name === 'now'),
      JSON.stringify(functions.slice(0, 5)),
    );
    assert.ok(busyMs > 100 && busyMs < 1_000, `${busyMs} ms`);
    assert.ok(JSON.parse(profile).samples.length > 10);
  } finally {
    child.kill('SIGKILL');
  }
});

test('the log of PostgreSQL is counted by statement, whatever its values and line breaks', () => {
  const log = [
    "2026-11-16 08:00:00.000 UTC [1] LOG:  duration: 1.500 ms  execute <unnamed>: select *\n\t  from orders where id = 'ord_1'",
    "2026-11-16 08:00:00.001 UTC [2] LOG:  duration: 0.500 ms  execute find-order: select * from orders where id = 'ord_2'",
    '2026-11-16 08:00:00.002 UTC [2] LOG:  duration: 3.000 ms  statement: commit',
    '2026-11-16 08:00:00.003 UTC [2] LOG:  duration: 0.100 ms  parse <unnamed>: select 1',
    '2026-11-16 08:00:00.004 UTC [3] LOG:  checkpoint starting: time',
    '',
  ].join('\n');
  assert.deepEqual(countStatements(log), [
    { text: 'commit', times: 1, ms: 3 },
    { text: "select * from orders where id = '…'", times: 2, ms: 2 },
  ]);
});
