import assert from 'node:assert/strict';
import { test } from 'node:test';
import { savedSearchFilters, savedSearchLists } from '@market/contract';
import { nameFilters, pathOf, readFilters, spellFilters } from './filters.ts';

/** A valid value of each filter. */
const samples: Readonly<Record<string, string>> = {
  q: 'ledger',
  search: 'ledger',
  category: 'coding',
  price: '5-25',
  price_type: 'fixed',
  delivery: '24',
  chain: 'base',
  answering: '1',
  model: 'quill-7',
  min_budget: '5',
  max_budget: '50',
};

for (const list of savedSearchLists) {
  for (const filter of Object.keys(savedSearchFilters[list].shape)) {
    test(`a saved search of ${list} by ${filter} alone shows the filter in its name and address`, () => {
      const value = samples[filter];
      assert.ok(value, `a sample of ${filter} is missing here`);
      const spelled = spellFilters(savedSearchFilters[list].parse({ [filter]: value }));
      assert.notEqual(nameFilters(list, spelled), `All ${list}`);
      assert.match(pathOf(list, spelled), /\?\w+=/);
      assert.equal(spellFilters(readFilters(list, spelled).filters), spelled);
    });
  }
}

test('a saved search without filters is named after its list', () => {
  assert.deepEqual([nameFilters('services', '{}'), pathOf('bounties', '{}')], ['All services', '/bounties']);
});
