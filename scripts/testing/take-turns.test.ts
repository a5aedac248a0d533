import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TURNS, takeTurns, turnOfToday } from './take-turns.ts';

const timings = { 'long-1': 60, 'long-2': 50, 'long-3': 40, 'long-4': 30, 'long-5': 20, 'long-6': 10, short: 1 };
const files = [...Object.keys(timings), 'new'];

test('each long test file runs in exactly one turn; short and unknown files run in all', () => {
  const turns = Array.from({ length: TURNS }, (_, turn) => takeTurns(files, timings, turn));
  for (const file of files) {
    const times = turns.filter((turn) => turn.files.includes(file)).length;
    assert.equal(times, file.startsWith('long') ? 1 : TURNS, file);
  }
  for (const turn of turns) assert.equal(turn.files.length + turn.waiting, files.length);
});

test('each turn has some of the longest and some shorter test files', () => {
  assert.deepEqual(takeTurns(files, timings, 0).files, ['long-1', 'long-4', 'short', 'new']);
  assert.deepEqual(takeTurns(files, timings, TURNS).files, takeTurns(files, timings, 0).files);
});

test('the turn of test files changes at midnight UTC and repeats after a few days', () => {
  const [day, hour] = [86_400_000, 3_600_000];
  assert.equal(turnOfToday(5 * day), turnOfToday(5 * day + 23 * hour));
  assert.equal(new Set([5, 6, 7].map((number) => turnOfToday(number * day))).size, TURNS);
});
