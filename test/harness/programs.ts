/** What a test starts as a process: from the bundle that `npm test` makes once per run, from the sources where a file runs by itself. */
import path from 'node:path';

const ROOT = path.join(import.meta.dirname, '..', '..');
const BUNDLE = process.env['TEST_BUNDLE'];

const SERVER_SOURCE: string = path.join(ROOT, 'packages', 'server', 'src', 'main.ts');
export const SERVER: string = BUNDLE === undefined ? SERVER_SOURCE : path.join(BUNDLE, 'server.js');
export const COMMAND_LINE: string =
  BUNDLE === undefined ? path.join(ROOT, 'packages', 'cli', 'src', 'main.ts') : path.join(BUNDLE, 'market.js');

/** In MB. With less room for young objects V8 collects them more often and keeps 80 MB less (0042). */
const SEMI_SPACE = '--max-semi-space-size=4';

/** What `npm start` runs: builds what is out of date, then serves from the kept bundle. */
export const NPM_START: readonly string[] = [SEMI_SPACE, path.join(ROOT, 'scripts', 'start.mjs')];

/** A `*-worker.ts` below `test/`. */
export function workerProgram(file: string): string {
  return BUNDLE === undefined ? path.join(ROOT, 'test', file) : path.join(BUNDLE, `${path.basename(file, '.ts')}.js`);
}
