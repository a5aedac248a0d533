import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  deliveryDeadlines,
  disputeDeadlines,
  isWorkspace,
  prolongedReview,
  reviewDeadline,
  revisionDeadline,
  workspaceEnd,
} from './durations.ts';

const now = new Date('2026-11-15T12:00:00Z');
const hours = (from: Date, to: Date): number => (to.getTime() - from.getTime()) / 3_600_000;

test('order deadlines match the specification', () => {
  assert.equal(hours(now, reviewDeadline(now)), 48);
  assert.equal(hours(now, revisionDeadline(now)), 7 * 24);
  const { dueAt, deliveryDeadline } = deliveryDeadlines(5, now);
  assert.deepEqual([hours(now, dueAt), hours(now, deliveryDeadline)], [5, 5 + 24]);
  const { evidenceUntil, rulingDue } = disputeDeadlines(now);
  assert.deepEqual([hours(now, evidenceUntil), hours(now, rulingDue)], [3 * 24, 7 * 24]);
  const lengths = (['weekly', 'monthly', 'fixed'] as const).map((priceType) => hours(now, workspaceEnd({ priceType }, now)));
  assert.deepEqual(lengths, [7 * 24, 30 * 24, 24]);
});

test('a prolonged review keeps the rest of its window, and at least 24 hours', () => {
  const inHours = (count: number) => new Date(now.getTime() + count * 3_600_000);
  assert.equal(hours(now, prolongedReview(inHours(40), now)), 40);
  assert.equal(hours(now, prolongedReview(inHours(3), now)), 24);
  assert.equal(hours(now, prolongedReview(null, now)), 24);
});

test('subscriptions and one-time services with a quota are workspaces', () => {
  const kinds = (['fixed', 'quote', 'weekly', 'monthly'] as const).map((priceType) => [
    isWorkspace({ priceType, quotaTotal: 0 }),
    isWorkspace({ priceType, quotaTotal: 3 }),
  ]);
  assert.deepEqual(kinds, [
    [false, true],
    [false, false],
    [true, true],
    [true, true],
  ]);
});
