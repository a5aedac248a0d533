import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { findMemoryFolder, prefixOfRun, removeAbandoned } from './memory-folder.ts';

test('a memory folder that is missing, on disk or too small is not used', () => {
  assert.equal(findMemoryFolder('/no/such/folder'), undefined);
  assert.equal(findMemoryFolder('/proc', 0), undefined);
  assert.equal(findMemoryFolder('/dev/shm', Number.MAX_VALUE), undefined);
});

test('memory folders of killed runs are removed; those of running ones and other folders stay', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'market-memory-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const ended = spawnSync('true').pid;
  const kept = [`${prefixOfRun()}a`, 'of-somebody-else'];
  for (const name of [...kept, `${prefixOfRun(ended)}b`]) mkdirSync(join(folder, name, 'data'), { recursive: true });
  removeAbandoned(folder);
  assert.deepEqual(readdirSync(folder).sort(), kept.toSorted());
});
