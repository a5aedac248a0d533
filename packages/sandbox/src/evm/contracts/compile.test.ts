import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { artifactFileOf, compileContracts, describeSources, renderArtifact } from './compile.ts';

test('compiling the Solidity sources gives the committed files, byte by byte', { timeout: 120_000 }, async () => {
  const folder = join(import.meta.dirname, 'compiled');
  const { names, hash } = await describeSources();
  assert.deepEqual((await readdir(folder)).sort(), names.map(artifactFileOf).sort());
  for (const contract of await compileContracts()) {
    const committed = await readFile(join(folder, artifactFileOf(contract.name)), 'utf8');
    assert.ok(committed === renderArtifact(contract, hash), `${contract.name} is stale. Run \`npm run generate\` and commit the result.`);
  }
});
