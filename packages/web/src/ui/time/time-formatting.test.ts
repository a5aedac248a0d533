import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const SOURCES = join(import.meta.dirname, '..', '..');
/** `format.ts` writes times and numbers; `visitor.ts` reads the browser's time zone. */
const ALLOWED = new Set(['ui/words/format.ts', 'ui/words/visitor.ts']);

test('no page formats times or numbers or opens dialogs except through ui/words/format.ts and Dialog', () => {
  const files = globSync('**/*.{ts,tsx}', { cwd: SOURCES }).filter((file) => !file.endsWith('.test.ts') && !ALLOWED.has(file));
  assert.ok(files.length > 150);
  const found = files.filter((file) =>
    /\.toLocale\w*\(|\bIntl\.|\.to(?:Date|Time|UTC|GMT)String\(|\.get(?:UTC)?(?:Hours|Minutes|Date|Day|Month|FullYear)\(|\b(?:window\.)?(?:confirm|alert|prompt)\(/.test(
      readFileSync(join(SOURCES, file), 'utf8'),
    ),
  );
  assert.deepEqual(found, []);
});
