import assert from 'node:assert/strict';
import { test } from 'node:test';
import { safeNext } from './next-path.ts';

const HERE = 'https://m.example';

test('after sign-in a path of this site is kept with query and fragment', () => {
  assert.equal(safeNext('/orders/ord_1?x=1#money', HERE), '/orders/ord_1?x=1#money');
});

test('after sign-in a URL of another site, in any spelling, leads to the home page', () => {
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
