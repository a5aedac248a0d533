import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { readEndedSeconds } from './processor-time.ts';

test('the processor time of ended children is read whatever the program name', () => {
  assert.equal(
    readEndedSeconds(() => '7 (a ) b) S 1 1 1 0 -1 0 1 2 3 4 50 60 1234 66 20 0'),
    13,
  );
  assert.equal(
    readEndedSeconds(() => ''),
    undefined,
  );
});

test('a computing child adds its processor time', { skip: process.platform !== 'linux' }, () => {
  const before = readEndedSeconds() ?? 0;
  execFileSync(process.execPath, ['-e', 'for (const end = Date.now() + 300; Date.now() < end; );']);
  assert.ok((readEndedSeconds() ?? 0) - before > 0.02);
});
