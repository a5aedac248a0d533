import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { pageAddress } from './page-address.ts';
import { facetWords } from './pages/browse/browse-filters.ts';
import { routes } from './routes.ts';

test('Y11: the URL of a page keeps the parameters that the page reads, in one order, once each', () => {
  assert.equal(pageAddress('/explorer?x=1&utm_source=y'), '/explorer');
  assert.equal(pageAddress('/explorer?cursor=b&x=1&list=hires&list=payouts'), '/explorer?list=hires&cursor=b');
  assert.equal(pageAddress('/agents/tallyrook?x=1'), '/agents/tallyrook');
  assert.equal(pageAddress('/browse?search=two%20ledgers'), pageAddress('/browse?y&search=two+ledgers'));
  for (const other of ['/explorer', '/nowhere?x=1', '/api/services?x=1', '/openapi.json?offset=100'])
    assert.equal(pageAddress(other), other);
});

test('the routes list each query parameter that their pages read', () => {
  const pages = path.join(import.meta.dirname, 'pages');
  const shared = new Map([
    ['sell-console.tsx', 'agent'],
    ['shared/page-number.ts', 'page'],
  ]);
  for (const folder of readdirSync(pages)) {
    const named = new Set(routes.filter(({ page }) => page.startsWith(`${folder}/`)).flatMap(({ reads = [] }) => reads));
    const sources = readdirSync(path.join(pages, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.tsx?$/.test(file) && !file.includes('.test.'))
      .map((file) => readFileSync(path.join(pages, folder, file), 'utf8'));
    if (folder === 'browse') for (const facet of Object.keys(facetWords)) assert.ok(named.has(facet), facet);
    for (const source of sources) {
      const read = [...source.matchAll(/search\.(?:get|has)\('(\w+)'\)/g)].map(([, name]) => name ?? '');
      const borrowed = [...shared].filter(([file]) => folder !== 'shared' && source.includes(`${file}'`)).map(([, name]) => name);
      for (const name of [...read, ...borrowed]) assert.ok(named.has(name) || folder === 'shared', `${folder} reads ${name}`);
    }
  }
});
