/**
 * `npm run threats` compares the threat table with the tests.
 * `npm run threats -- --sample 15 --seed 7` draws random built rows with their tests: remove a defence and see its test fail.
 */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { specificationIds } from './specification/rows.ts';
import { type Coverage, coverageOf, readTests } from './threats/coverage.ts';
import { sampleRows } from './threats/sample.ts';
import { rowsNotYetDefended, threats } from './threats/threat-table.ts';

function printSample(coverage: Coverage, size: number, seed: number): void {
  console.log(`${size} of ${coverage.defences.size} defended rows, seed ${seed}:`);
  for (const id of sampleRows([...coverage.defences.keys()], size, seed)) {
    console.log(`\n${id} ${threats[id]?.attack}`);
    for (const { file, title } of coverage.defences.get(id) ?? []) console.log(`  ${file}: ${title}`);
  }
}

const { values } = parseArgs({ options: { sample: { type: 'string' }, seed: { type: 'string' } } });
const coverage = coverageOf(threats, await readTests(join(import.meta.dirname, '..')), rowsNotYetDefended, specificationIds);
for (const problem of coverage.problems) console.error(problem);
process.exitCode = coverage.problems.length === 0 ? 0 : 1;
if (values.sample !== undefined) printSample(coverage, Number(values.sample), Number(values.seed ?? Date.now() % 100_000));
else if (coverage.problems.length === 0) {
  const built = Object.values(threats).filter(({ status }) => status === 'built').length;
  console.log(
    `${coverage.defences.size} of ${built} built rows are named by a test; ${rowsNotYetDefended.length} are listed as not yet defended.`,
  );
}
