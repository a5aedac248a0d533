import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addressOf, argumentsOf, readFilters } from './explorer-filters.ts';

const read = (query: string) => readFilters(new URLSearchParams(query));

test('a view of the explorer and its URL convert into each other', () => {
  for (const query of [
    '',
    'list=hires&network=base-mainnet',
    'list=payouts&kind=refund&cursor=abc',
    'network=solana-mainnet&kind=machine',
  ]) {
    const filters = read(query);
    const address = new URL(addressOf(filters, { cursor: filters.cursor }), 'http://site');
    assert.deepEqual(readFilters(address.searchParams), filters, query);
  }
});

test('another view of the explorer starts on its first page and drops a kind that it lacks', () => {
  const filters = read('list=payouts&kind=refund&cursor=abc');
  assert.equal(addressOf(filters, { list: 'hires' }), '/explorer?list=hires#lists');
  assert.equal(addressOf(filters, { kind: undefined }), '/explorer?list=payouts#lists');
});

test('unknown URL parameters of the explorer are not sent to the API', () => {
  assert.deepEqual(argumentsOf(read('list=secrets&network=doge&kind=%3Cb%3E')), { limit: 25 });
  assert.equal(read('list=secrets').list, 'payments');
});
