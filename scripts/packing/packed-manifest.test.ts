import assert from 'node:assert/strict';
import { test } from 'node:test';
import { packedManifest } from './packed-manifest.ts';

const workspace = { name: '@market/any', version: '1.2.3', description: 'Any', engines: { node: '>=20' } };

test('a packed manifest names the licence of the repository, or UNLICENSED without one', () => {
  const licenceOf = (root: { license?: string }) => (packedManifest(workspace, root) as { license?: string }).license;
  assert.deepEqual([licenceOf({}), licenceOf({ license: 'Apache-2.0' })], ['UNLICENSED', 'Apache-2.0']);
});
