/** Every benchmark runs to its end and fills its table, with small counts. They share server processes; speed is not judged. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { findBenches, importBench } from '../../bench/suite/benches.ts';
import { drive } from '../../bench/suite/drive.ts';
import { loadPaths } from '../../bench/suite/paths.ts';
import { createStagePool, runBench } from '../../bench/suite/run-bench.ts';
import { describeMisses, describeRows } from '../../bench/suite/table.ts';

const stages = createStagePool();
after(() => stages.close());

const paths = new Set<string>();

for (const found of findBenches()) {
  test(`the benchmark ${found.name} runs to its end and has a figure for each of its rows`, async (t) => {
    const bench = await importBench(found);
    assert.ok(bench.rows.length > 0);
    const startedAt = performance.now();
    const rows = await runBench(found.name, bench, { smoke: true, print: () => undefined, stages });
    t.diagnostic(`${((performance.now() - startedAt) / 1000).toFixed(1)} s`);
    assert.deepEqual(
      rows.map(({ path }) => path),
      bench.rows.map(({ path }) => path),
    );
    for (const { path, figure, holds } of rows) {
      assert.ok(figure.ours > 0, path);
      assert.equal(holds, undefined, 'smoke mode judges nothing');
      assert.ok(!paths.has(path), `${path} is measured once`);
      paths.add(path);
    }
    t.diagnostic(`\n${describeRows(rows, {})}`);
  });
}

for (const [name, { about, status, prepare }] of Object.entries(loadPaths)) {
  test(`npm run profile -- ${name} can put ${about} under load`, async () => {
    const stage = await stages.open({}, true);
    const next = await prepare(stage, { services: 200, orders: 2 });
    const { count } = await drive({
      url: stage.url,
      callers: 1,
      ...(status !== undefined && { status }),
      next: (number) => (number < 2 ? next(number) : undefined),
    });
    assert.equal(count, 2);
  });
}

const row = { path: 'orders', unit: '/s', judged: 'ratio', direction: 'at least', bound: 0.4 } as const;

test('a missed benchmark bound is named, in either direction, and only in full mode', async () => {
  const memory = { path: 'memory', unit: 'MB', judged: 'ours', direction: 'at most', bound: 170 } as const;
  const measured = async (smoke: boolean) =>
    await runBench(
      'example',
      {
        about: 'an example',
        rows: [row, memory],
        run: async ({ report }) => {
          report('orders', { ours: 77, limit: 1_312 });
          report('memory', { ours: 345 });
        },
      },
      { smoke, print: () => undefined, stages },
    );
  const rows = await measured(false);
  assert.deepEqual(
    rows.map(({ holds }) => holds),
    [false, false],
  );
  assert.deepEqual(describeMisses(rows), ['missed: orders is 0.0587, wanted at least 0.4', 'missed: memory is 345, wanted at most 170']);
  assert.deepEqual(describeRows(rows, { orders: 0.31 }).split('\n'), [
    'path      ours    limit  ratio  bound  last time',
    'orders    77/s  1,312/s   0.06  ≥ 0.4       0.31  MISSED',
    'memory  345 MB        –      –  ≤ 170          –  MISSED',
  ]);
  assert.deepEqual(describeMisses(await measured(true)), []);
});

test('a benchmark that leaves a row without a figure, or reports one it has not declared, fails', async () => {
  const options = { smoke: true, print: () => undefined, stages };
  const of = (run: (report: (path: string, figure: { ours: number }) => void) => void) =>
    runBench('example', { about: 'an example', rows: [row], run: async ({ report }) => run(report) }, options);
  await assert.rejects(
    of(() => undefined),
    /no figure for "orders"/,
  );
  await assert.rejects(
    of((report) => report('orders', { ours: 1 })),
    /no ratio for "orders"/,
  );
  await assert.rejects(
    of((report) => report('others', { ours: 1 })),
    /no row called "others"/,
  );
});
