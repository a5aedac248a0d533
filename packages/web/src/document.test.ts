import assert from 'node:assert/strict';
import { test } from 'node:test';
import { beginDocument, endDocument, scriptsOf } from './document.ts';
import { type Route, routes } from './routes.ts';
import type { BuildManifest } from './site.ts';
import type { PageState } from './state.ts';

const manifest: BuildManifest = {
  'src/entry-client.tsx': { file: 'assets/entry.js', imports: ['_shared.js'] },
  '_shared.js': { file: 'assets/shared.js', imports: ['src/entry-client.tsx'] },
  'src/pages/x/x-page.tsx': { file: 'assets/x.js', imports: ['_shared.js'] },
  'style.css': { file: 'assets/style.css' },
  'fonts/a-latin-wght-normal.woff2': { file: 'assets/a-latin-wght-normal-Ab1.woff2' },
  'fonts/a-latin-ext-wght-normal.woff2': { file: 'assets/a-latin-ext-wght-normal-Ab1.woff2' },
};
const facts = {
  serviceName: 'Mercato',
  appUrl: 'https://m.example',
  apiUrl: 'https://m.example',
  profile: 'sandbox',
  networks: [],
  identityProvider: null,
} as const;

function write(title: string, brief: string, route: Route = { path: '/x', page: 'x/x-page', access: 'public' }): string {
  const head = beginDocument({
    head: { title, description: title, preview: 'agent' },
    title,
    facts,
    path: '/x',
    theme: 'dark',
    route,
    manifest,
  });
  const state: PageState = {
    facts,
    theme: 'dark',
    now: 0,
    failure: { status: 500, message: brief },
    answers: { mutations: [], queries: [] },
  };
  return head + endDocument({ body: '<p>body</p>', state });
}

test('a page links its own files and their imports, once each, and preloads only the latin fonts', () => {
  const files = scriptsOf(manifest, ['src/entry-client.tsx', 'src/pages/x/x-page.tsx']);
  assert.deepEqual(files, ['assets/entry.js', 'assets/shared.js', 'assets/x.js']);
  const document = write('x', '');
  assert.match(document, /<link rel="stylesheet" href="\/assets\/style\.css">/);
  assert.deepEqual(
    [...document.matchAll(/rel="preload" href="([^"]+)"/g)].map(([, file]) => file),
    ['/assets/a-latin-wght-normal-Ab1.woff2'],
  );
});

test('titles and answers cannot inject markup', () => {
  const hostile = `"></title></script><script>alert(1)</script>`;
  const document = write(hostile, hostile);
  assert.equal(document.includes('<script>alert'), false);
  assert.equal(document.match(/<\/script>/g)?.length, 2);
  const state = /id="state">([\s\S]*?)<\/script>/.exec(document)?.[1] ?? '';
  assert.equal((JSON.parse(state) as { failure: { message: string } }).failure.message, hostile);
});

test('a page has its theme, canonical address and preview image', () => {
  const document = write('x', '');
  assert.match(document, /<html lang="en" data-theme="dark">/);
  assert.match(document, /<link rel="canonical" href="https:\/\/m\.example\/x">/);
  assert.match(document, /og:image" content="https:\/\/m\.example\/previews\/agent\.png"/);
});

test('only a page whose form needs scripts has a notice for browsers without scripts', () => {
  for (const route of routes) {
    const needs = route.access === 'signed-in' || route.needsScripts === true;
    const document = write('x', '', route);
    assert.equal(document.includes('<noscript>'), needs, route.path);
  }
});
