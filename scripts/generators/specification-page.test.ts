import assert from 'node:assert/strict';
import { test } from 'node:test';
import { specRateLimits } from '../../test/conformance/spec-tables.ts';
import { citationsIn, problemsOf } from '../specification/citations.ts';
import { specificationTables } from '../specification/rows.ts';
import { renderSpecification } from './specification-page.ts';

const tables = [
  {
    title: 'Things',
    rows: [
      { id: 'E01', row: 'held' },
      { id: 'E02', row: 'data' },
    ],
  },
];
const source = `
test('W01, E01: it\\'s held', run);
const rows = [{ written: "E02: GET /things { a }" }, { written: \`E02: on \${network}\` }];
test('EUR 20: no id', run);`;

test('test titles and data rows cite specification ids at their start, whatever the rest of the title', () => {
  const citations = citationsIn('test/a.test.ts', source);
  assert.deepEqual(
    citations.map(({ id, title }) => `${id} ${title}`),
    ["W01 it's held", "E01 it's held", 'E02 GET /things { a }', 'E02 on ${network}'],
  );
  assert.deepEqual(problemsOf(tables, citations, new Set(['W01'])), []);
  assert.deepEqual(problemsOf(tables, citationsIn('test/a.test.ts', source.replace('held', 'kept')), new Set(['W01'])), []);
  assert.match(
    renderSpecification(tables, citations),
    /\| E01 \| held \| \[test\/a\.test\.ts\]\(\.\.\/test\/a\.test\.ts\): “it's held” \|/,
  );
});

test('a specification row without a test, an unknown id and an id of two tables are reported', () => {
  const cited = citationsIn('test/a.test.ts', "test('E01, E03: holds', run);");
  assert.deepEqual(problemsOf(tables, cited, new Set(['E01'])), [
    'Things, E01: the threat table has this id, too',
    'Things, E02 (data): no test cites it',
    'test/a.test.ts cites E03, which no row of the specification or of the threats has: holds',
  ]);
});

test('an id that two specification rows share is reported, unless one test takes the whole table', () => {
  const row = { id: 'E01', row: 'held' };
  const cited = citationsIn('test/a.test.ts', "test('E01, E02: holds', run);");
  assert.deepEqual(
    problemsOf([{ title: 'Things', rows: [row, row] }], citationsIn('test/a.test.ts', "test('E01: holds', run);"), new Set()),
    [],
  );
  assert.deepEqual(problemsOf([{ title: 'Things', rows: [row, row, { id: 'E02', row: 'data' }] }], cited, new Set()), [
    'Things: an id stands twice',
  ]);
});

test('the tables of specification rows have as many rows as the specification', () => {
  const counts = Object.fromEntries(specificationTables(specRateLimits).map(({ title, rows }) => [title, rows.length]));
  assert.deepEqual(
    { tools: counts['Tools'], anonymous: counts['Anonymous tools'], errors: counts['Errors'], limits: counts['Rate limits'] },
    { tools: 39, anonymous: 2, errors: 10, limits: 16 },
  );
});
