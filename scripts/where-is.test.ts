/** Checks that every answer in "Where is …?" of ARCHITECTURE.md names an existing file that contains the word. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const ROOT = join(import.meta.dirname, '..');
const section = readFileSync(join(ROOT, 'ARCHITECTURE.md'), 'utf8').split('\n## Where is …?\n')[1]?.split('\n## ')[0] ?? '';
const rows = [...section.matchAll(/^\| (.+\?) \| `(.+?)` \| `(.+?)` \|$/gm)].map(([, question, file, word]) => ({ question, file, word }));

test('ARCHITECTURE.md answers at least fifteen questions "Where is …?"', () => assert.ok(rows.length >= 15, `${rows.length} rows`));

for (const { question, file = '', word = '' } of rows) {
  test(`ARCHITECTURE.md answers: ${question} ${file}`, () => {
    assert.ok(readFileSync(join(ROOT, file), 'utf8').includes(word), `${file} does not say ${word}`);
  });
}
