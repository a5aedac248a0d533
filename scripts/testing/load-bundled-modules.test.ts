import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { MODULES } from './load-bundled-modules.ts';

const folder = mkdtempSync(join(tmpdir(), 'bundled-modules-'));
after(() => rmSync(folder, { recursive: true }));

const write = (name: string, text: string): string => {
  writeFileSync(join(folder, name), text);
  return pathToFileURL(join(folder, name)).href;
};

/** Runs the program in its own process, because module hooks cannot be removed. */
function run(bundle: string | undefined): string {
  const loader = join(import.meta.dirname, 'load-bundled-modules.ts');
  const program = `
    import { loadModulesFromBundle } from ${JSON.stringify(loader)};
    loadModulesFromBundle(${JSON.stringify(bundle)}, '/project');
    console.log((await import('./uses.mjs')).text);`;
  write('program.mjs', program);
  return execFileSync(process.execPath, [join(folder, 'program.mjs')], { encoding: 'utf8' }).trim();
}

test('a process loads a bundled module from its bundle, also when another file imports it', () => {
  const source = write('source.mjs', `export const text = 'source';`);
  const bundle = write('bundle.js', `export const text = 'bundle';`);
  write('package.json', '{ "type": "module" }');
  write('uses.mjs', `export { text } from './source.mjs';`);
  write(MODULES, JSON.stringify({ [source]: bundle }));
  assert.equal(run(folder), 'bundle');
  assert.equal(run(undefined), 'source');
});
