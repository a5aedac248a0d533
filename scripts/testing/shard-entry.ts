// The process of a shard: each file becomes a suite, so that its hooks run around its own tests only.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { after, describe } from 'node:test';
import { stopFollowingPromises } from './follow-promises.ts';
import { loadModulesFromBundle } from './load-bundled-modules.ts';

const OPEN_LIMIT_MS = 20_000;
const files = process.argv.slice(2);
let unread = files.length;
// Load no bundle for a file that mocks modules, because it needs their sources.
if (!files.some((file) => /registerHooks|mock\.module/.test(readFileSync(file, 'utf8')))) {
  loadModulesFromBundle(process.env['TEST_BUNDLE'], process.cwd());
}

for (const file of files) {
  describe(relative(process.cwd(), file), async () => {
    // A file that changes state of the whole process needs its own process (plan-shards.ts).
    if (files.length > 1) after(requireUnchanged);
    await import(resolve(file));
    unread -= 1;
    if (unread === 0) stopFollowingPromises();
  });
}

const atStart = readShared();

/** Reads the shared state of the process, without VIPSHOME, which the image library sets when it is loaded. */
function readShared() {
  const { VIPSHOME: _, ...environment } = process.env;
  return { cwd: process.cwd(), environment };
}

/** Fails once per change: the next file is compared with the present state. */
function requireUnchanged(): void {
  const found = readShared();
  const expected = { ...atStart };
  Object.assign(atStart, found);
  assert.deepEqual(found, expected, 'the file changed the working directory or the environment');
}

// Fail if a file left a resource open that keeps the process alive. Our own pipes are harmless, and timers end by themselves.
const HARMLESS = ['PipeWrap', 'TTYWrap', 'Timeout'];
after(() => {
  setTimeout(() => {
    const open = process.getActiveResourcesInfo().filter((kind) => !HARMLESS.includes(kind));
    if (open.length === 0) return;
    process.stderr.write(`After all tests these were still open: ${open.join(', ')}\n`);
    process.exit(1);
  }, OPEN_LIMIT_MS).unref();
});
