import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const SOURCES = join(import.meta.dirname, '..');

/** Selectors of rules that stand by themselves or in a media query; nested ones belong to the rule around them. */
function outerSelectors(css: string): string[] {
  const selectors: string[] = [];
  const open: boolean[] = [];
  let head = '';
  for (const character of css.replace(/\/\*[\s\S]*?\*\//g, '')) {
    if (character === '{') {
      const isAtRule = head.trim().startsWith('@');
      if (!isAtRule && !open.includes(true)) selectors.push(...head.split(/,(?![^(]*\))/).map((selector) => selector.trim()));
      open.push(!isAtRule);
    }
    if (character === '}') open.pop();
    head = '{};'.includes(character) ? '' : head + character;
  }
  return selectors;
}

test('each CSS class is styled in one file only', () => {
  const owners = new Map<string, Set<string>>();
  for (const file of globSync('**/*.css', { cwd: SOURCES })) {
    for (const selector of outerSelectors(readFileSync(join(SOURCES, file), 'utf8'))) {
      const name = /^\.([\w-]+)$/.exec(selector)?.[1];
      if (name !== undefined) owners.set(name, (owners.get(name) ?? new Set()).add(file));
    }
  }
  const shared = [...owners].filter(([, files]) => files.size > 1).map(([name, files]) => `.${name} in ${[...files].join(' and ')}`);
  assert.ok(owners.size > 100);
  assert.deepEqual(shared, []);
});
