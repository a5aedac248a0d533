import assert from 'node:assert/strict';
import { test } from 'node:test';
import { renderDecisions } from './decision-index.ts';

test('the decision index lists each record by number, with its title and status', () => {
  const table = renderDecisions(
    new Map([
      ['0002-b.md', '# 0002 Boxes fold\n\n**Status.** Accepted. Changes\n[0001](0001-a.md).\n\n**Why.** Space.\n'],
      ['0001-a.md', '# 0001 Boxes are square\n\n**Status.** Accepted. [0002](0002-b.md) folds them.\n\nText.\n'],
    ]),
  );
  assert.equal(
    table,
    '| | Decision | Status |\n|---|---|---|\n' +
      '| [0001](0001-a.md) | Boxes are square | Accepted. [0002](0002-b.md) folds them. |\n| [0002](0002-b.md) | Boxes fold | Accepted. Changes [0001](0001-a.md). |',
  );
});

test('a decision record without a status line, or with the number of another, is an error', () => {
  assert.throws(() => renderDecisions(new Map([['0001-a.md', '# 0001 Boxes\n\n**Why.** Space.\n\n']])), /0001-a\.md begins otherwise/);
  assert.throws(
    () => renderDecisions(new Map([['0001-a.md', '# 0002 Boxes\n\n**Status.** Accepted.\n\n']])),
    /0001-a\.md begins otherwise/,
  );
});

test('a decision record that a newer one changes must name it in its status', () => {
  const records = new Map([
    ['0001-a.md', '# 0001 Boxes are square\n\n**Status.** Accepted.\n\nText.\n'],
    ['0002-b.md', '# 0002 Boxes fold\n\n**Status.** Accepted. Replaces [0001](0001-a.md) (corners).\n\nText.\n'],
  ]);
  assert.throws(() => renderDecisions(records), /The status of 0001-a\.md does not name 0002-b\.md/);
});
