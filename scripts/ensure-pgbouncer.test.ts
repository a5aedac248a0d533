import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { findPgbouncer } from './ensure-pgbouncer.ts';

const folder = mkdtempSync(join(tmpdir(), 'pgbouncer-'));
const program = join(folder, 'pgbouncer');
after(() => rmSync(folder, { recursive: true }));

test('pgbouncer is found on the PATH first, and only what can be run', () => {
  writeFileSync(program, '', { mode: 0o644 });
  assert.notEqual(findPgbouncer({ PATH: folder }), program);
  rmSync(program);
  writeFileSync(program, '', { mode: 0o755 });
  assert.equal(findPgbouncer({ PATH: `/nowhere:${folder}` }), program);
});
