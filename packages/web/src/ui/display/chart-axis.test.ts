import assert from 'node:assert/strict';
import { test } from 'node:test';
import { axisAround, axisOf } from './chart-axis.ts';

test('an axis starts at zero, has few round steps and ends at or above the highest value', () => {
  for (const highest of [0, 0.000032, 0.4, 1, 7, 42, 729, 12_406, 999_999]) {
    const { top, ticks } = axisOf(highest);
    assert.ok(top >= highest && top > 0, `${highest}: ${top}`);
    assert.ok(ticks.length >= 1 && ticks.length <= 5, `${highest}: ${ticks}`);
    assert.equal(ticks.at(-1), top);
  }
  assert.deepEqual(axisOf(729).ticks, [200, 400, 600, 800]);
  assert.deepEqual(axisOf(0, 1).ticks, [1], 'counts');
});

test('an axis around values below zero has zero among its steps and covers both ends', () => {
  assert.deepEqual(axisAround(0.5, 729), { bottom: 0, ...axisOf(729) });
  for (const [lowest, highest] of [
    [-1, 3],
    [-0.02, 0.0004],
    [-12, -4],
  ] as const) {
    const { bottom, top, ticks } = axisAround(lowest, highest);
    assert.ok(bottom <= lowest && top >= Math.max(0, highest), `${bottom} to ${top}`);
    assert.ok(ticks.some((tick) => tick === 0) && ticks.length <= 7, `${ticks}`);
    assert.deepEqual([ticks[0], ticks.at(-1)], [bottom, top]);
  }
});
