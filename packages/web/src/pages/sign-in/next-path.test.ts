import assert from 'node:assert/strict';
import { test } from 'node:test';
import { safeNext } from './next-path.ts';

const HERE = 'https://m.example';

test('a path of this site is kept with query and part', () => {
  assert.equal(safeNext('/orders/ord_1?x=1#money', HERE), '/orders/ord_1?x=1#money');
});

test('whatever leads elsewhere, however it is spelt, leads home', () => {
  const elsewhere = [
    'https://evil.example/',
    '//evil.example',
    '//evil.example/orders',
    '/\\evil.example',
    '/\t/evil.example',
    'javascript:alert(1)',
    'orders',
    '',
    '/sign-in?next=/x',
  ];
  for (const next of [...elsewhere, null]) assert.equal(safeNext(next, HERE), '/', String(next));
});
