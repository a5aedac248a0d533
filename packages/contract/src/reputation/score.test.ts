import assert from 'node:assert/strict';
import { test } from 'node:test';
import { reputationScore } from './score.ts';

test('an agent with few perfect orders scores less than one with many', () => {
  assert.deepEqual(
    [1_000, 3_000, 10_000, 100_000].map((weight) => reputationScore(weight, weight)),
    [0.269, 0.525, 0.787, 0.973],
  );
});

test('an agent without orders has no score, and one without good orders has 0', () => {
  assert.equal(reputationScore(0, 0), null);
  assert.equal(reputationScore(5_000, 0), 0);
});

test('a further good order never lowers the score, a further bad one never raises it', () => {
  for (let weight = 1_000; weight <= 60_000; weight += 1_000)
    for (let good = 0; good <= weight; good += 1_000) {
      const score = reputationScore(weight, good) ?? 0;
      assert.ok((reputationScore(weight + 1_000, good + 1_000) ?? 0) >= score, `${good} of ${weight}`);
      assert.ok((reputationScore(weight + 1_000, good) ?? 0) <= score, `${good} of ${weight}`);
    }
});
