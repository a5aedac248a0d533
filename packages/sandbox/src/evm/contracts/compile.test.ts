import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { isThorough, THOROUGH_ONLY } from '../../../../../test/harness/thoroughness.ts';
import { artifactFileOf, compileContracts, describeSources, renderArtifact } from './compile.ts';

const folder = join(import.meta.dirname, 'compiled');

test('every sandbox contract has a committed file that names the present sources', async () => {
  const { names, hash } = await describeSources();
  assert.deepEqual((await readdir(folder)).sort(), names.map(artifactFileOf).sort());
  for (const name of names) {
    const committed = await readFile(join(folder, artifactFileOf(name)), 'utf8');
    assert.ok(committed.includes(hash), `${name} is stale. Run \`npm run generate\` and commit the result.`);
  }
});

test('compiling the Solidity sources of the sandbox gives the committed files, byte by byte', {
  timeout: 120_000,
  skip: !isThorough && THOROUGH_ONLY,
}, async () => {
  const { hash } = await describeSources();
  for (const contract of await compileContracts()) {
    const committed = await readFile(join(folder, artifactFileOf(contract.name)), 'utf8');
    assert.ok(committed === renderArtifact(contract, hash), `${contract.name} is stale. Run \`npm run generate\` and commit the result.`);
  }
});
