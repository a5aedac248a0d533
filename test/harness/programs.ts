/** Programs that tests start as processes: from the bundle that `npm test` makes once per run, or from the sources if a file runs alone. */
import path from 'node:path';

const ROOT = path.join(import.meta.dirname, '..', '..');
const BUNDLE = process.env['TEST_BUNDLE'];

const SERVER_SOURCE: string = path.join(ROOT, 'packages', 'server', 'src', 'main.ts');
export const SERVER: string = BUNDLE === undefined ? SERVER_SOURCE : path.join(BUNDLE, 'server.js');
export const COMMAND_LINE: string =
  BUNDLE === undefined ? path.join(ROOT, 'packages', 'cli', 'src', 'main.ts') : path.join(BUNDLE, 'market.js');

/** V8 collects young objects sooner, and old ones when the heap has grown by four fifths instead of several times (0042). */
const SMALL_HEAP = ['--max-semi-space-size=8', '--heap-growing-percent=80'];

/** The program of `npm start`: builds outdated parts, then serves from the bundle. */
export const NPM_START: readonly string[] = [...SMALL_HEAP, path.join(ROOT, 'scripts', 'start.mjs')];

/** A `*-worker.ts` below `test/`. */
export function workerProgram(file: string): string {
  return BUNDLE === undefined ? path.join(ROOT, 'test', file) : path.join(BUNDLE, `${path.basename(file, '.ts')}.js`);
}
