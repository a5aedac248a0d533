import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { findNginx } from './ensure-nginx.ts';

const folder = mkdtempSync(join(tmpdir(), 'nginx-'));
const program = join(folder, 'nginx');
const text = join(folder, 'notes');
writeFileSync(program, '', { mode: 0o755 });
writeFileSync(text, '', { mode: 0o644 });
after(() => rmSync(folder, { recursive: true }));

test('nginx is found on the PATH', () => {
  assert.equal(findNginx({ PATH: `/nowhere:${folder}` }), program);
});

test('NGINX decides where it is set, and a wrong one is not replaced in silence', () => {
  assert.equal(findNginx({ NGINX: program, PATH: '' }), program);
  assert.equal(findNginx({ NGINX: text, PATH: folder }), undefined);
  assert.equal(findNginx({ NGINX: '', PATH: folder }), program);
});
