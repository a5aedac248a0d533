import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createAuthorizationCodes } from './authorization-codes.ts';

test('at most a thousand authorization codes are kept, and the oldest are dropped first', () => {
  const codes = createAuthorizationCodes<number>(() => new Date(0));
  const issued = Array.from({ length: 1_002 }, (_, index) => `code ${index}`);
  for (const [index, code] of issued.entries()) codes.keep(code, index);
  assert.deepEqual(
    issued.map((code) => codes.take(code)),
    issued.map((_, index) => (index < 2 ? undefined : index)),
  );
});

test('expired authorization codes are dropped before valid ones', () => {
  let nowMs = 0;
  const codes = createAuthorizationCodes<string>(() => new Date(nowMs));
  for (let index = 0; index < 999; index += 1) codes.keep(`expired ${index}`, 'expired');
  nowMs = 30_000;
  codes.keep('waiting', 'waiting');
  nowMs = 60_000;
  for (let index = 0; index < 999; index += 1) codes.keep(`new ${index}`, 'new');
  assert.equal(codes.take('waiting'), 'waiting');
});
