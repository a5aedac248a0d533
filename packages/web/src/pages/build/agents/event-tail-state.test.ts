import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type MarketEvent, putEvents, resumeTail, startTail } from './event-tail-state.ts';

const event = (seq: number): MarketEvent => ({ seq }) as MarketEvent;
const seqs = (events: readonly MarketEvent[]) => events.map(({ seq }) => seq);

test('the event tail shows the newest event first', () => {
  const tail = putEvents(putEvents(startTail(), [event(1), event(2)], false), [event(3)], false);
  assert.deepEqual([seqs(tail.shown), tail.held], [[3, 2, 1], []]);
});

test('a paused event tail holds events back in order, and shows them all on resume', () => {
  let tail = putEvents(startTail(), [event(1)], false);
  tail = putEvents(putEvents(tail, [event(2), event(3)], true), [event(4)], true);
  assert.deepEqual([seqs(tail.shown), seqs(tail.held)], [[1], [4, 3, 2]]);
  tail = resumeTail(tail);
  assert.deepEqual([seqs(tail.shown), tail.held], [[4, 3, 2, 1], []]);
});

test('an event that arrives right after resuming is above the held ones', () => {
  const tail = putEvents(putEvents(startTail(), [event(1)], true), [event(2)], false);
  assert.deepEqual(seqs(tail.shown), [2, 1]);
});

test('the event tail keeps the newest 500 events', () => {
  const tail = putEvents(
    startTail(),
    Array.from({ length: 600 }, (_, at) => event(at + 1)),
    false,
  );
  assert.deepEqual([tail.shown.length, tail.shown[0]?.seq], [500, 600]);
});
