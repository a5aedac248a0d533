import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const tokens = readFileSync(join(import.meta.dirname, 'tokens.css'), 'utf8');

test('each token is defined once: a colour that differs by theme uses light-dark()', () => {
  const [lasting = ''] = tokens.split('@media (prefers-reduced-motion: reduce)');
  const names = [...lasting.matchAll(/^\s*(--[\w-]+):/gm)].map(([, name]) => name);
  assert.ok(names.length > 60);
  assert.deepEqual(
    names.filter((name, index) => names.indexOf(name) !== index),
    [],
  );
  assert.doesNotMatch(tokens, /prefers-color-scheme/);
});
