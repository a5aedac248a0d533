import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { registerHooks } from 'node:module';
import { test } from 'node:test';
import { loadEdr } from './load-edr.ts';

test('npm installs the binary of the EVM engine even when npm itself runs on an older Node', async () => {
  const lock = JSON.parse(await readFile(new URL('../../../../package-lock.json', import.meta.url), 'utf8'));
  const binaries = Object.entries<{ engines?: unknown }>(lock.packages).filter(([path]) => path.includes('@nomicfoundation/edr-'));
  assert.ok(binaries.length >= 4);
  // npm silently skips an optional package whose `engines` do not fit the Node that npm runs on. Our pinned Node fits.
  for (const [path, { engines }] of binaries) assert.equal(engines, undefined, `delete "engines" of ${path} in package-lock.json`);
});

test('a missing binary of the EVM engine is reported with the remedy', (t) => {
  const hooks = registerHooks({
    resolve(specifier, context, next) {
      if (specifier === '@nomicfoundation/edr') throw new Error('Cannot find native binding.');
      return next(specifier, context);
    },
  });
  t.after(() => hooks.deregister());
  assert.throws(loadEdr, /no binary here for \w+-\w+\..* npm install .*then start again\./);
});
