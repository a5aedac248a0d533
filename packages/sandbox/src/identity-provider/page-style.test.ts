import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { answerPage, readTheme } from './page.ts';
import { composePageStyle } from './page-style.ts';

const TOKENS = join(import.meta.dirname, '..', '..', '..', 'web', 'src', 'design', 'tokens.css');

/** The light and dark value of each colour, by name. */
function colours(css: string): Map<string, string> {
  const found = css.matchAll(/--([\w-]+):\s*(?:light-dark\((#[0-9a-f]{6}),\s*(#[0-9a-f]{6})\)|(#[0-9a-f]{6}))/g);
  return new Map([...found].map(([, name = '', light, dark, both]) => [name, `${light ?? both} ${dark ?? both}`]));
}

test('the colours of the sign-in page are those of the site, in both themes', () => {
  const [own, site] = [colours(composePageStyle(undefined)), colours(readFileSync(TOKENS, 'utf8'))];
  assert.ok(own.size >= 13, `only ${own.size} colours`);
  for (const [name, value] of own) assert.equal(value, site.get(name), name);
});

test('the sign-in page uses the typeface of a built site and may load nothing else', () => {
  const typeface = { text: '/assets/text.woff2', mono: '/assets/mono.woff2' };
  const { headers, body } = answerPage(200, { serviceName: 'Mercato', typeface }, { title: 'Sign in', main: '' });
  assert.match(body, /@font-face\{font-family:"Schibsted Grotesk Variable"[^}]*url\(\/assets\/text\.woff2\)/);
  assert.match(headers['content-security-policy'] ?? '', /^default-src 'none'; style-src 'sha256-[^']+'; font-src 'self'; form-action/);
  const without = answerPage(200, { serviceName: 'Mercato' }, { title: 'Sign in', main: '' });
  assert.doesNotMatch(without.body + without.headers['content-security-policy'], /font-face|font-src|preload/);
});

test('a theme chosen on the site applies to the sign-in page', () => {
  assert.deepEqual(
    [readTheme('a=b; theme=dark'), readTheme('theme=light; a=b'), readTheme('theme=odd'), readTheme('')],
    ['dark', 'light', undefined, undefined],
  );
  const { body } = answerPage(200, { serviceName: 'Mercato', theme: 'dark' }, { title: 'Sign in', main: '' });
  assert.match(body, /<html lang="en" data-theme="dark">/);
});
