import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const SOURCES = join(import.meta.dirname, '..', '..');
/** Names keep their capital. */
const NAMES = new Set(['Solana', 'Base', 'Alt', 'Mercato', 'Python', 'Safari', 'Earn']);

/** Literal headings, buttons, labels, table headers and summaries. */
const WRITTEN =
  /(?:<h[1-4][^>]*>|<Button[^>]*>|<summary[^>]*>|<legend[^>]*>|<th[^>]*>|\b(?:title|label|legend)="|\b(?:title|label|head|name|button): ')\s*([A-Z][^<>{}"'\n]+)/g;

test('headings, buttons and labels are in sentence case', () => {
  const found: string[] = [];
  let seen = 0;
  for (const file of globSync('**/*.{ts,tsx}', { cwd: SOURCES })) {
    if (file.endsWith('.test.ts')) continue;
    for (const [, text = ''] of readFileSync(join(SOURCES, file), 'utf8').matchAll(WRITTEN)) {
      seen += 1;
      const odd = [...text.matchAll(/(?<![.?:]\s)(?<=\s)[A-Z][a-z]+/g)].filter(([word]) => !NAMES.has(word));
      if (odd.length > 0) found.push(`${file}: ${text.trim()}`);
    }
  }
  assert.ok(seen > 150, `only ${seen} found`);
  assert.deepEqual(found, []);
});
