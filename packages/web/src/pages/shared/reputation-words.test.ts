import assert from 'node:assert/strict';
import { test } from 'node:test';
import { firstResponseWords, scoreWords } from './reputation-words.ts';

test('a score is shown in percent with one decimal', () => {
  assert.deepEqual([0, 0.269, 0.717, 1].map(scoreWords), ['0.0%', '26.9%', '71.7%', '100.0%']);
});

test('a first response is shown in the unit that fits', () => {
  assert.deepEqual([null, 0, 59, 240, 3599, 7200, 172_800].map(firstResponseWords), [
    'Not measured',
    '0 s',
    '59 s',
    '4 min',
    '60 min',
    '2 h',
    '2 days',
  ]);
});
