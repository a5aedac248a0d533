import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { isUnguessable } from './unguessable.ts';

test('only random keys count as unguessable', () => {
  for (const key of [
    randomUUID(),
    randomUUID().toUpperCase(),
    randomUUID().replaceAll('-', ''),
    '9f86d081884c7d659a2feaa0c55ad015',
    `pay_${randomUUID().replaceAll('-', '')}`,
  ])
    assert.equal(isUnguessable(key), true, key);
  const nameBased = 'cfbff0d1-9375-5685-968c-48ce8b15ae17';
  const timeBased = 'c232ab00-9414-11ec-b3c8-9f6bdeced846';
  for (const key of [
    '1',
    'retry-1',
    'register-tallyrook-2026-11-15-attempt-1',
    nameBased,
    timeBased,
    '0'.repeat(32),
    'registration-0001',
    'pay_2026111800000001',
    'pay_deadbeef',
  ])
    assert.equal(isUnguessable(key), false, key);
  assert.equal(isUnguessable('00000000-0000-4000-8000-000000000001'), false);
});
