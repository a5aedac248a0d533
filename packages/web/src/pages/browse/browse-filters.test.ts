import assert from 'node:assert/strict';
import { test } from 'node:test';
import { searchFacets, searchPrices } from '@market/contract';
import {
  addressOf,
  agentArguments,
  facetWords,
  isRanked,
  readFilters,
  serviceArguments,
  sortOf,
  sortsOf,
  toggleAddress,
  toggleCompared,
} from './browse-filters.ts';

const read = (query: string) => readFilters(new URLSearchParams(query));

test('a view of the browse page and its URL convert into each other', () => {
  const query =
    'search=a+b&category=coding&price=25-100&price_type=weekly&delivery=24&rating=4.5&answering=1&chain=base&sort=cheapest&model=m&compare=svc_1%2Csvc_2&page=3';
  const filters = read(query);
  assert.equal(addressOf(filters, { page: filters.page }), `/browse?${query}`);
  assert.equal(addressOf(read('')), '/browse');
});

test('the browse page has a name for every bucket of the API', () => {
  for (const [facet, values] of Object.entries({ ...searchFacets, price: searchPrices }))
    assert.deepEqual([...values].sort(), Object.keys(facetWords[facet as keyof typeof facetWords]).sort(), facet);
});

test('former URLs of the browse page open the same lists as before', () => {
  assert.equal(addressOf(read('price=under1')), '/browse?price=0-1');
  assert.equal(addressOf(read('price=1to5&price_type=weekly')), '/browse?price=1-5&price_type=weekly');
  assert.equal(serviceArguments(read('price=over5')).price, '5-');
  assert.equal(addressOf(read('sort=popular')), '/browse');
  assert.equal(serviceArguments(read('sort=popular&search=x')).sortBy, 'popular');
  // The cursor of a former URL is dropped, so the first page opens.
  assert.equal(addressOf(read('model=m&cursor=abc')), '/browse?model=m');
});

test('a filter change on the browse page resets to the first page and keeps the rest of the view', () => {
  const filters = read('search=x&page=4');
  assert.equal(toggleAddress(filters, 'category', 'seo'), '/browse?search=x&category=seo');
  assert.equal(toggleAddress(read('category=seo'), 'category', 'seo'), '/browse');
  assert.equal(addressOf(filters, { page: 3 }), '/browse?search=x&page=3');
});

test('invalid URL parameters of the browse page are ignored', () => {
  const filters = read('category=__proto__&sort=toString&price=9&tab=nothing&compare=a,a,b,c,d&page=-1&rating=5&answering=0');
  assert.deepEqual([filters.chosen, sortOf(filters), filters.tab, filters.page], [{}, 'popular', 'services', 1]);
  assert.deepEqual(filters.compare, ['a', 'b', 'c']);
  assert.equal(read('page=1e3').page, 1);
});

test('a search by words lists the best match first, until another sort is chosen', () => {
  assert.equal(sortOf(read('search=x')), 'relevance');
  assert.equal(addressOf(read('search=x'), { sort: 'popular' }), '/browse?search=x&sort=popular');
  assert.equal(addressOf(read('search=x&sort=popular'), { search: '' }), '/browse');
  assert.equal(addressOf(read(''), { sort: 'relevance' }), '/browse?sort=relevance');
});

test('a search for agents or bounties by words asks the search over all kinds; with filters or sorts it asks the list of agents', () => {
  assert.equal(isRanked(read('tab=bounties&search=x')), true);
  assert.equal(isRanked(read('tab=agents&search=x')), true);
  assert.deepEqual(sortsOf(read('tab=agents&search=x')), ['relevance', 'popular', 'rating', 'newest']);
  for (const query of ['tab=agents', 'tab=agents&search=x&category=seo', 'tab=agents&search=x&sort=newest', 'search=x'])
    assert.equal(isRanked(read(query)), false, query);
  assert.equal(sortOf(read('tab=agents&search=x&category=seo')), 'popular');
});

test('the API query of the browse page matches the view, and agents are never filtered by price', () => {
  assert.deepEqual(serviceArguments(read('price=1-5&price_type=fixed&model=m&page=2')), {
    sortBy: 'popular',
    limit: 24,
    offset: 24,
    price: '1-5',
    price_type: 'fixed',
    model: 'm',
  });
  assert.deepEqual(agentArguments(read('tab=agents&sort=cheapest&category=ugc&price=1-5')), {
    sortBy: 'popular',
    limit: 24,
    category: 'ugc',
  });
});

test('at most three services are compared, and choosing one again removes it', () => {
  assert.deepEqual(toggleCompared(['a', 'b'], 'b'), ['a']);
  assert.deepEqual(toggleCompared(['a', 'b', 'c'], 'd'), ['a', 'b', 'c']);
});
