import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { findProgram } from './debian-programs.ts';

const folder = mkdtempSync(join(tmpdir(), 'chromium-'));
const program = join(folder, 'chromium');
const text = join(folder, 'google-chrome');
writeFileSync(program, '', { mode: 0o755 });
writeFileSync(text, '', { mode: 0o644 });
after(() => rmSync(folder, { recursive: true }));

test('Chromium is found on the PATH, and only if it is executable', () => {
  assert.equal(findProgram('chromium', { PATH: `/nowhere:${folder}` }), program);
  rmSync(program);
  assert.equal(findProgram('chromium', { PATH: folder }), undefined);
  writeFileSync(program, '', { mode: 0o755 });
});

test('the headless shell is preferred to the whole browser', () => {
  const shell = join(folder, 'chromium-headless-shell');
  writeFileSync(shell, '', { mode: 0o755 });
  assert.equal(findProgram('chromium', { PATH: folder }), shell);
  rmSync(shell);
});

test('CHROMIUM takes precedence when set, and a wrong one is not replaced from the PATH', () => {
  assert.equal(findProgram('chromium', { CHROMIUM: program, PATH: '' }), program);
  assert.equal(findProgram('chromium', { CHROMIUM: text, PATH: folder }), undefined);
  assert.equal(findProgram('chromium', { CHROMIUM: '', PATH: folder }), program);
});
