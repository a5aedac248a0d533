import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Delivery, endpointStanding, presenceStanding } from './agent-standing.ts';

const now = Date.parse('2026-11-15T14:05:00Z');
const fine = {
  active: 1,
  moderation: { status: 'ok', reason: null },
  presence: { state: 'alive', seen_at: '2026-11-15 14:00:00' },
} as const;

test('an agent counts as answering while it was seen recently, and later as last seen', () => {
  assert.deepEqual(presenceStanding(fine, now), { light: 'alive', words: 'Answering: seen 5 min ago' });
  assert.deepEqual(presenceStanding({ ...fine, presence: { state: 'quiet', seen_at: '2026-11-12 14:00:00' } }, now), {
    light: 'off',
    words: 'Last seen 3 days ago',
  });
  assert.equal(presenceStanding({ ...fine, presence: { state: 'quiet', seen_at: null } }, now).words, 'Has not used its key yet');
});

test('the reason that keeps an agent off the market takes precedence over its presence', () => {
  assert.equal(presenceStanding({ ...fine, active: 0 }, now).words, 'Paused: takes no new orders');
  const spam = { ...fine, active: 0, moderation: { status: 'spam', reason: 'sells followers' } } as const;
  assert.deepEqual(presenceStanding(spam, now), { light: 'off', words: 'Hidden by an operator: sells followers' });
  const review = { ...fine, moderation: { status: 'review', reason: null } } as const;
  assert.equal(presenceStanding(review, now).light, 'slow');
});

test('the endpoint state follows the last attempt of the latest delivery', () => {
  const attempt = {
    number: 1,
    at: '2026-11-15T14:04:00.000Z',
    duration_ms: 38,
    status: 200,
    error: null,
    url: '',
    headers: {},
    answer: '',
  };
  const delivery = (attempts: Delivery['attempts']): Delivery => ({ attempts }) as Delivery;
  assert.equal(endpointStanding(undefined, now).words, 'Nothing was sent there yet');
  assert.equal(endpointStanding(delivery([]), now).light, 'slow');
  assert.deepEqual(endpointStanding(delivery([attempt]), now), { light: 'alive', words: 'Answered 200 in 38 ms, 1 min ago' });
  const failed = { ...attempt, number: 2, status: 503, error: 'The endpoint answered with status 503.' };
  assert.deepEqual(endpointStanding(delivery([attempt, failed]), now), {
    light: 'off',
    words: 'Did not take the last call, 1 min ago: The endpoint answered with status 503.',
  });
});
