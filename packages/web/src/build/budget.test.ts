import assert from 'node:assert/strict';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { operations } from '@market/contract';
import { scriptsOf } from '../document.ts';
import { routes } from '../routes.ts';
import type { BuildManifest } from '../site.ts';
import { buildSite } from './build-site.ts';

const BUDGET_BYTES = 200_000;
const STYLE_BUDGET_BYTES = 40_000;

const { folder } = await buildSite(() => undefined);
const client = join(folder, 'client');
const manifest = JSON.parse(readFileSync(join(client, 'manifest.json'), 'utf8')) as BuildManifest;

for (const { path, page } of routes) {
  test(`${path} ships less than 200 KB of compressed script`, (t) => {
    const scripts = scriptsOf(manifest, ['src/entry-client.tsx', `src/pages/${page}.tsx`]);
    assert.ok(scripts.length > 1, 'the page has no script of its own in the build');
    const bytes = scripts.reduce((sum, file) => sum + statSync(join(client, `${file}.gz`)).size, 0);
    t.diagnostic(`${Math.round(bytes / 1000)} KB in ${scripts.length} files`);
    assert.ok(bytes < BUDGET_BYTES, `${bytes} bytes in ${scripts.join(', ')}`);
  });
}

test('the style sheet of the whole site is under 40 KB compressed', () => {
  const bytes = statSync(join(client, `${manifest['style.css']?.file}.gz`)).size;
  assert.ok(bytes < STYLE_BUDGET_BYTES, `${bytes} bytes`);
});

test('the shared script contains no descriptions or examples of the contract', () => {
  const entry = readFileSync(join(client, manifest['src/entry-client.tsx']?.file ?? ''), 'utf8');
  const { description = '', examples } = operations.agents.register;
  assert.ok(description.length > 50 && examples.length > 0);
  assert.equal(entry.includes(description.slice(0, 50)), false);
  assert.equal(entry.includes('k3v9x1q7a'), false, 'the id that examples use');
});

test('a second build of the same sources is skipped', async () => {
  assert.equal((await buildSite(() => undefined)).built, false);
});
