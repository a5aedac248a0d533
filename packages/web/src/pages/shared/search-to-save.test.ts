import assert from 'node:assert/strict';
import { test } from 'node:test';
import { operations } from '@market/contract';
import { findSaved, pathOfSaved, searchToSave } from './search-to-save.ts';

const read = (query: string) => new URLSearchParams(query);

test('filters of a URL become arguments of a saved search; settings of the view do not', () => {
  const services = searchToSave(
    'services',
    read('search=+seo+audits+&category=seo&price=1-5&delivery=24&chain=base&answering=1&sort=newest&compare=a,b&cursor=x'),
  );
  assert.deepEqual(services, {
    args: { services: { q: 'seo audits', category: 'seo', price: '1-5', delivery: '24', chain: 'base', answering: '1' } },
    leftOut: [],
  });
  const bounties = searchToSave('bounties', read('state=open&search=logo&min_budget=5&max_budget=20.50&sort=budget_desc'));
  assert.deepEqual(bounties, { args: { bounties: { search: 'logo', min_budget: '5', max_budget: '20.50' } }, leftOut: [] });
  for (const { args } of [services, bounties]) assert.ok(operations.savedSearches.save.input.body.safeParse(args).success);
});

test('a filter that a saved search does not accept is named', () => {
  const { args, leftOut } = searchToSave('services', read('rating=4&price=cheap&category=nothing'));
  assert.deepEqual([args, leftOut], [{ services: {} }, ['rating', 'price', 'category']]);
  assert.deepEqual(searchToSave('bounties', read('min_budget=-1&status=open')).leftOut, ['min budget', 'status']);
});

test('a saved search is recognised in another spelling, and links to its list on this site', () => {
  const saved = [
    {
      id: 'ssr_1700000000000_k3v9x1q7a',
      name: 'logos',
      list: 'bounties',
      services: null,
      bounties: { search: 'Logo  sketch', min_budget: '25.00' },
      url: 'https://market.example/bounties?min_budget=25.00&search=Logo',
      matches: 0,
      last_match_at: null,
      created_at: '2026-11-15 14:05:00',
    },
  ] as const;
  const [one] = saved;
  assert.equal(findSaved(saved, 'bounties', searchToSave('bounties', read('search=logo+sketch&min_budget=25'))), one);
  assert.equal(findSaved(saved, 'bounties', searchToSave('bounties', read('search=logo&min_budget=25'))), undefined);
  assert.equal(findSaved(saved, 'services', searchToSave('services', read('search=logo+sketch'))), undefined);
  assert.equal(pathOfSaved(one), '/bounties?min_budget=25.00&search=Logo');
});
