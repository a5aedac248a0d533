/** Runs one benchmark in this process: `node bench/suite/run-one.ts <name> [--smoke] [--report <file>]`. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import type { Bench } from './bench.ts';
import { runBench } from './run-bench.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { smoke: { type: 'boolean', default: false }, report: { type: 'string' } },
});
const [name = ''] = positionals;
const { default: bench } = (await import(pathToFileURL(join(import.meta.dirname, '..', `${name}.ts`)).href)) as { default: Bench };
const rows = await runBench(name, bench, { smoke: values.smoke, say: (line) => console.log(`  ${line}`) });
if (values.report !== undefined) writeFileSync(values.report, JSON.stringify(rows));
else console.log(JSON.stringify(rows, null, 1));
