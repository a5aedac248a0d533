import assert from 'node:assert/strict';
import { test } from 'node:test';
import { joinBrief, splitBrief } from './brief-parts.ts';

test('criteria written into a brief are read back as the same list', () => {
  const parts = { text: 'Compare both ledgers.\n\nOctober only.', criteria: ['Every difference has a cause', 'One page'] };
  const brief = joinBrief(parts);
  assert.equal(brief, 'Compare both ledgers.\n\nOctober only.\n\nDone when:\n- Every difference has a cause\n- One page');
  assert.deepEqual(splitBrief(brief), parts);
  assert.equal(joinBrief({ text: ' Only text. ', criteria: ['', ' '] }), 'Only text.');
});

test('criteria of a brief may have other headings and marks; a list that is not at the end stays text', () => {
  assert.deepEqual(splitBrief('Do it.\n\nAcceptance criteria\n* a\n\n• b'), { text: 'Do it.', criteria: ['a', 'b'] });
  for (const text of ['- a\n- b', 'Done when:\n- a\nand then some more', 'Done when:', 'Done when it is done.\n- a'])
    assert.deepEqual(splitBrief(text), { text, criteria: [] });
});
