import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { type Route, routes } from '../routes.ts';
import { sitePaths } from '../site-paths.ts';
import { matchRoute } from './match-route.ts';

const table: readonly Route[] = [
  { path: '/', page: 'a-page', access: 'public' },
  { path: '/agents/:id', page: 'b-page', access: 'public' },
  { path: '/agents/:agent/:service', page: 'c-page', access: 'public' },
];

test('a path finds its page and its decoded parameters, with or without a trailing slash', () => {
  assert.equal(matchRoute('/', table)?.route.page, 'a-page');
  assert.deepEqual(matchRoute('/agents/a%20b/', table)?.params, { id: 'a b' });
  assert.deepEqual(matchRoute('/agents/x/y', table)?.params, { agent: 'x', service: 'y' });
});

test('an unknown or undecodable path matches nothing', () => {
  for (const path of ['/nowhere', '/agents', '/agents/a/b/c', '/agents/%E0%A4%A']) assert.equal(matchRoute(path, table), undefined, path);
});

test('every route has its page file, and none is shadowed by an earlier one', () => {
  for (const { path, page } of routes) {
    assert.ok(existsSync(join(import.meta.dirname, '..', 'pages', `${page}.tsx`)), page);
    const example = path.replace(/:\w+/g, 'x');
    assert.equal(matchRoute(example)?.route.path, path, `${path} is never reached`);
  }
});

test('the public paths lead to pages, with any id', () => {
  const odd = 'a/b?c#d ü';
  const addresses = [
    sitePaths.agent(odd),
    sitePaths.service(odd, odd),
    sitePaths.serviceById(odd),
    sitePaths.profile(odd),
    sitePaths.order(odd),
  ];
  for (const address of addresses) assert.ok(matchRoute(address) !== undefined, address);
  assert.deepEqual(matchRoute(sitePaths.agent(odd))?.params, { idOrSlug: odd });
});
