/**
 * `node_modules/.bin/node scripts/walk.ts earn` sends one deposit to a running market and prints the files of `features/earn` that it walks
 * through, and how often the walk comes back. `x402` does the same for one hire. `--all` counts the files of all features.
 */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { countWalk } from './walking/draw-walk.ts';
import { type RecordedCall, recordCalls } from './walking/record-calls.ts';

const SOURCES = join(import.meta.dirname, '..', 'packages', 'server', 'src');
const REPOSITORY = /repository\.ts$/;
/** Doors that only pass names on. */
const DOOR = /\/index\.ts$/;

const { values, positionals } = parseArgs({ allowPositionals: true, options: { all: { type: 'boolean', default: false } } });
const [name = ''] = positionals;
const calls = recordCalls(SOURCES);
// Loaded now, so that everything they load is instrumented.
const { openWalkedMarket, prepareRequest } = await import('./walking/requests.ts');
if (!Object.hasOwn(prepareRequest, name)) {
  console.error(`node_modules/.bin/node scripts/walk.ts ${Object.keys(prepareRequest).join('|')} [--all]`);
  process.exit(2);
}
const market = await openWalkedMarket();
try {
  const send = await prepareRequest[name as keyof typeof prepareRequest](market);
  const before = calls.length;
  await send();
  const folder = values.all ? 'features/' : `features/${name}/`;
  const { files, returns, lines } = countWalk(
    calls.slice(before).filter((call) => isOfRequest(call) && !readsRows(call)),
    (file) => file.startsWith(folder) && !REPOSITORY.test(file) && !DOOR.test(file),
  );
  console.log(lines.join('\n'));
  console.log(`\n${files.length} files of ${folder}, ${returns} returns`);
} finally {
  await market.close();
}
process.exit();

/** Jobs do the same work when the process of the request has died; only what the request itself calls is counted. */
function isOfRequest({ file, parent }: RecordedCall): boolean {
  return file.startsWith('surfaces/') || (parent !== undefined && isOfRequest(parent));
}

/** What a repository calls by itself, such as a mapper of its rows, is part of the reading. */
function readsRows({ parent }: RecordedCall): boolean {
  return parent !== undefined && REPOSITORY.test(parent.file);
}
