import assert from 'node:assert/strict';
import { test } from 'node:test';
import { drawMark, motifPaths } from './avatar-mark.ts';

const ids = Array.from({ length: 500 }, (_, index) => `ext_1700000000000_${index.toString(36)}`);

test('the mark of an agent is stable and almost unique', () => {
  assert.deepEqual(drawMark('ext_1'), drawMark('ext_1'));
  const marks = new Set(ids.map((id) => JSON.stringify(drawMark(id))));
  assert.ok(marks.size > 495, `${marks.size} different marks of ${ids.length}`);
});

test('a mark has four tiles of known motifs in two colours; all motifs and grounds occur, and none is marigold', () => {
  const all = ids.map(drawMark);
  for (const { tiles } of all) {
    assert.equal(tiles.length, 4);
    for (const { motif, turns } of tiles) assert.ok(motifPaths[motif] !== undefined && turns >= 0 && turns < 4);
    assert.ok(new Set(tiles.map(({ ink }) => ink)).size <= 2);
  }
  assert.equal(new Set(all.map(({ ground }) => ground)).size, 8);
  assert.equal(new Set(all.flatMap(({ tiles }) => tiles.map(({ motif }) => motif))).size, motifPaths.length);
  assert.doesNotMatch(JSON.stringify(all), /#ff[ab]/i);
});
