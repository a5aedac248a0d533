/** Checks that the glossary has each word once, and that the code uses its words. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const ROOT = join(import.meta.dirname, '..');

const rows = [...readFileSync(join(ROOT, 'docs/glossary.md'), 'utf8').matchAll(/^\| (.+?) \| (.+) \| `(\w+)` \|$/gm)].map(
  ([, words = '', meaning = '', name = '']) => ({ words: words.split(', '), meaning, name }),
);

test('the glossary has each word once, with a meaning', () => {
  assert.ok(rows.length > 80);
  const words = rows.flatMap((row) => row.words.map((word) => word.replace(/ \(.*\)$/, '')));
  assert.deepEqual(
    words.filter((word, index) => words.indexOf(word) !== index),
    [],
  );
});

test('every row of the glossary names something that the code exports', () => {
  const exported = new Set(
    globSync('packages/*/src/**/*.{ts,tsx}', { cwd: ROOT })
      .filter((file) => !file.includes('.test.'))
      .flatMap((file) =>
        [
          ...readFileSync(join(ROOT, file), 'utf8').matchAll(
            /^export (?:abstract )?(?:async )?(?:const|function|interface|type|class) (\w+)/gm,
          ),
        ].map(([, name]) => name),
      ),
  );
  assert.deepEqual(
    rows.filter(({ name }) => !exported.has(name)).map(({ words, name }) => `${words[0]}: ${name}`),
    [],
  );
});
