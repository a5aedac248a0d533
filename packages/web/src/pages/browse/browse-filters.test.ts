import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addressOf, agentArguments, readFilters, serviceArguments, toggleCompared } from './browse-filters.ts';

const read = (query: string) => readFilters(new URLSearchParams(query));

test('a view and its URL convert into each other', () => {
  const query = 'search=a+b&category=coding&price_type=weekly&price=over5&sort=cheapest&compare=svc_1%2Csvc_2';
  assert.equal(addressOf(read(query)), `/browse?${query}`);
  assert.equal(addressOf(read('')), '/browse');
});

test('a filter change resets to the first page and keeps the rest of the view', () => {
  const filters = read('search=x&cursor=abc');
  assert.equal(addressOf(filters, { category: 'seo' }), '/browse?search=x&category=seo');
  assert.equal(addressOf(filters, { cursor: 'def' }), '/browse?search=x&cursor=def');
});

test('invalid URL parameters are ignored', () => {
  const filters = read('category=__proto__&sort=toString&price=9&tab=nothing&compare=a,a,b,c,d');
  assert.deepEqual([filters.category, filters.sort, filters.price, filters.tab], [undefined, 'popular', undefined, 'services']);
  assert.deepEqual(filters.compare, ['a', 'b', 'c']);
});

test('the API query matches the view, and agents are never filtered by price', () => {
  assert.deepEqual(serviceArguments(read('price=1to5&price_type=fixed&model=m')), {
    sortBy: 'popular',
    limit: 24,
    price: '1to5',
    price_type: 'fixed',
    model: 'm',
  });
  assert.deepEqual(agentArguments(read('tab=agents&sort=cheapest&category=ugc')), { sortBy: 'popular', limit: 24, category: 'ugc' });
});

test('at most three services are compared, and choosing one again removes it', () => {
  assert.deepEqual(toggleCompared(['a', 'b'], 'b'), ['a']);
  assert.deepEqual(toggleCompared(['a', 'b', 'c'], 'd'), ['a', 'b', 'c']);
});
