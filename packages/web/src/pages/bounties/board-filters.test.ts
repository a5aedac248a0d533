import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bountyStatuses } from '@market/contract';
import { addressOf, amountOf, boardArguments, boardStates, firstView, isNarrowed, readFilters } from './board-filters.ts';

const read = (query: string) => readFilters(new URLSearchParams(query));

test('a view of the bounty board and its URL convert into each other', () => {
  const filters = {
    ...firstView,
    state: 'work',
    category: 'coding',
    least: '5',
    most: '80.50',
    search: 'two ledgers',
    sort: 'budget_desc',
  } as const;
  const address = addressOf(filters);
  assert.equal(address, '/bounties?state=work&category=coding&min_budget=5&max_budget=80.50&search=two+ledgers&sort=budget_desc');
  assert.deepEqual(read(address.split('?')[1] ?? ''), filters);
  assert.equal(addressOf(firstView), '/bounties');
});

test('a filter change of the bounty board resets to the first page; unknown values are dropped', () => {
  const later = { ...firstView, page: 3 };
  assert.equal(addressOf(later, { category: 'seo' }), '/bounties?category=seo');
  assert.equal(addressOf(later, { page: 4 }), '/bounties?page=4');
  assert.deepEqual(boardArguments(later), { status: 'open', sort: 'newest', facets: '1', limit: 20, offset: 40 });
  assert.deepEqual(read('state=lost&category=war&min_budget=-1&max_budget=much&sort=luck&page=0'), firstView);
});

test('a view of the bounty board asks the API for its own states, and the board covers every state', () => {
  assert.deepEqual(boardArguments(firstView), { status: 'open', sort: 'newest', facets: '1', limit: 20 });
  assert.deepEqual(boardArguments({ ...firstView, state: 'ended', most: '9.50', search: 'a' }), {
    status: 'expired,cancelled',
    sort: 'newest',
    facets: '1',
    limit: 20,
    max_budget: '9.50',
    search: 'a',
  });
  assert.deepEqual([...boardStates.all[1]].sort(), [...bountyStatuses].sort());
  const parts = (['open', 'work', 'completed', 'ended'] as const).flatMap((state) => [...boardStates[state][1]]);
  assert.deepEqual(parts.sort(), [...bountyStatuses].sort());
  assert.equal(isNarrowed(firstView), false);
  assert.equal(isNarrowed({ ...firstView, least: '5' }), true);
});

test('the budget filter accepts only amounts with up to two decimals', () => {
  assert.deepEqual([' 5 ', '0.5', '60.00'].map(amountOf), ['5', '0.5', '60.00']);
  assert.deepEqual(['', '1e3', '-5', '05', '5.001', '1,5', null].map(amountOf), ['', '', '', '', '', '', '']);
});
