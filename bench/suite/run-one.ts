/** Runs one benchmark in this process: `node bench/suite/run-one.ts <name> <file for its rows> [--smoke]`. */
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { findBenches, importBench } from './benches.ts';
import { runBench } from './run-bench.ts';

const { values, positionals } = parseArgs({ allowPositionals: true, options: { smoke: { type: 'boolean', default: false } } });
const [name, report = ''] = positionals;
const found = findBenches().find((bench) => bench.name === name);
if (found === undefined) throw new Error(`no benchmark is called ${name}`);
const bench = await importBench(found);
const rows = await runBench(found.name, bench, { smoke: values.smoke, print: (line) => console.log(`  ${line}`) });
writeFileSync(report, JSON.stringify(rows));
