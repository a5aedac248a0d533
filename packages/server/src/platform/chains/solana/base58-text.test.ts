import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { base58 } from '@scure/base';
import { canonicalAddress, canonicalReference } from './base58-text.ts';

test('a signature and an address have exactly one accepted spelling', () => {
  for (let round = 0; round < 200; round++) {
    const [reference, address] = [base58.encode(randomBytes(64)), base58.encode(randomBytes(32))];
    assert.equal(canonicalReference(reference), reference);
    assert.equal(canonicalAddress(address), address);
    assert.equal(canonicalReference(` ${reference}\n`), reference);
    assert.equal(canonicalReference(`1${reference}`), undefined);
    assert.equal(canonicalReference(address), undefined);
    assert.equal(canonicalAddress(reference), undefined);
  }
});

test('the shortest and the longest spellings are accepted', () => {
  for (const byte of [0x00, 0xff]) {
    const [reference, address] = [base58.encode(Buffer.alloc(64, byte)), base58.encode(Buffer.alloc(32, byte))];
    assert.equal(canonicalReference(reference), reference);
    assert.equal(canonicalAddress(address), address);
  }
});

test('any other text is refused, and a long one quickly', () => {
  const started = performance.now();
  for (const text of [
    '',
    ' ',
    '0'.repeat(44),
    'O'.repeat(88),
    'z'.repeat(88),
    'z'.repeat(44),
    '5'.repeat(5_000_000),
    '０'.repeat(44),
    `0x${'a'.repeat(64)}`,
  ]) {
    assert.equal(canonicalReference(text), undefined);
    assert.equal(canonicalAddress(text), undefined);
  }
  assert.ok(performance.now() - started < 500);
});
