import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createStatementNames, PLAN_ANEW } from './statement-names.ts';

test('a statement text gets a name when it is seen a second time and keeps it until all are renamed', () => {
  const { nameOf, renameAll } = createStatementNames();
  assert.equal(nameOf('select 1'), undefined);
  const name = nameOf('select 1');
  assert.ok(name);
  assert.equal(nameOf('select 1'), name);
  renameAll();
  assert.equal(nameOf('select 1'), undefined);
  assert.notEqual(nameOf('select 1'), name);
});

test('a statement marked for a new plan each time never gets a name', () => {
  const { nameOf } = createStatementNames();
  const text = `select 1 where ${PLAN_ANEW} true`;
  assert.deepEqual([nameOf(text), nameOf(text), nameOf(text)], [undefined, undefined, undefined]);
});
