import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { findStaleFiles, writeFiles } from './generate.ts';
import type { Generator } from './generators/generator.ts';
import { generators } from './generators/index.ts';

test('every generated file on disk is up to date', async () => {
  const stale = await findStaleFiles(generators);
  assert.deepEqual(
    stale.map(({ path }) => path),
    [],
    'Run `npm run generate` and commit the result.',
  );
});

test('a changed, missing or left-over file is stale, and writing repairs all three', async (t) => {
  const root = await mkdtemp(join(tmpdir(), 'generate-'));
  t.after(() => rm(root, { recursive: true }));
  const generator: Generator = {
    name: 'test',
    ownsFolder: 'out',
    render: async () => ({ 'out/changed.md': 'new', 'out/missing.md': 'new' }),
  };
  await writeFiles(
    [
      { path: 'out/changed.md', content: 'old' },
      { path: 'out/left-over.md', content: 'old' },
    ],
    root,
  );
  const stale = await findStaleFiles([generator], root);
  assert.deepEqual(stale.map(({ path }) => path).sort(), ['out/changed.md', 'out/left-over.md', 'out/missing.md']);
  await writeFiles(stale, root);
  assert.deepEqual(await findStaleFiles([generator], root), []);
  assert.deepEqual((await readdir(join(root, 'out'))).sort(), ['changed.md', 'missing.md']);
  await writeFile(join(root, 'out/changed.md'), 'newer');
  assert.equal((await findStaleFiles([generator], root)).length, 1);
  assert.equal(await readFile(join(root, 'out/missing.md'), 'utf8'), 'new');
});
