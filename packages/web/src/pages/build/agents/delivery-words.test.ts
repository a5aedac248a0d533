import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Delivery } from '../agent-standing.ts';
import { isUnderWay, noteOf, tookWords } from './delivery-words.ts';

const attempt = (error: string | null) =>
  ({ number: 1, at: '2026-11-15T14:05:00.120Z', duration_ms: 38, status: 503, error, url: '', headers: {}, answer: '' }) as const;
const delivery = (fields: Partial<Delivery>): Delivery =>
  ({ state: 'delivered', attempts: [], redeliveries: 0, is_test: false, ...fields }) as Delivery;

test('a failed webhook delivery shows its reason and how often it was resent', () => {
  const failed = delivery({ state: 'failed', attempts: [attempt('The endpoint answered with status 503.')], redeliveries: 2 });
  assert.equal(noteOf(failed), 'gave up: the endpoint answered with status 503, sent again 2 times');
  assert.equal(noteOf(delivery({ state: 'retrying', attempts: [attempt('No answer within 5 s.')] })), 'no answer within 5 s');
  assert.equal(noteOf(delivery({ state: 'dropped' })), 'the agent had no endpoint any more');
});

test('a successful webhook delivery shows a note only for tests and resends', () => {
  assert.equal(noteOf(delivery({})), '');
  assert.equal(noteOf(delivery({ is_test: true, redeliveries: 1 })), 'test, sent again once');
});

test('waiting and retrying webhook deliveries are under way', () => {
  assert.deepEqual(
    (['waiting', 'retrying', 'delivered', 'failed', 'dropped'] as const).map((state) => isUnderWay({ state })),
    [true, true, false, false, false],
  );
});

test('the duration of a delivery is shown in the fitting unit', () => {
  assert.deepEqual([tookWords(214), tookWords(5003)], ['214 ms', '5.0 s']);
});
