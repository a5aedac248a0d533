import assert from 'node:assert/strict';
import { test } from 'node:test';
import { wordQuery } from './search-words.ts';

const rows: readonly (readonly [search: string, query: string | undefined])[] = [
  ['Ledger', `'ledger':*`],
  ['ledger recon', `'ledger' & 'recon':*`],
  ['  a\tb\n c ', `'a' & 'b' & 'c':*`],
  ['node.js', `'node' & 'js':*`],
  [`it's "quoted" \\ :* & | ! ( )`, `'it' & 's' & 'quoted':*`],
  ['same same', `'same':*`],
  ['Привет мир', `'привет' & 'мир':*`],
  ['网站', `'网站':*`],
  ['don’t', `'don’t':*`],
  ['', undefined],
  ['!?&', undefined],
  ['😀 —', undefined],
];

for (const [search, query] of rows) {
  test(`the search text ${JSON.stringify(search)} becomes the query ${query ?? 'nothing'}`, () => assert.equal(wordQuery(search), query));
}
