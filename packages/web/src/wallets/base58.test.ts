import assert from 'node:assert/strict';
import { test } from 'node:test';
import { encodeBase58 } from './base58.ts';

test('base58 encodes known texts, leading zeros included', () => {
  assert.equal(encodeBase58(new TextEncoder().encode('Hello World!')), '2NEpo7TZRRrLZSi2U');
  assert.equal(encodeBase58(Uint8Array.of(0, 0, 0x28, 0x7f, 0xb4, 0xcd)), '11233QC4');
  assert.equal(encodeBase58(new Uint8Array(32)), '1'.repeat(32));
  assert.equal(encodeBase58(new Uint8Array()), '');
});
