import assert from 'node:assert/strict';
import { test } from 'node:test';
import { specRateLimits } from '../../test/conformance/spec-tables.ts';
import { specificationTables } from '../specification/rows.ts';
import { missingProofs, renderSpecification } from './specification-page.ts';

const read = async (file: string): Promise<string> => {
  if (file !== 'a.test.ts') throw new Error('no such file');
  return "test('it holds', run);";
};

test('a row is proved while its file has the words; a lost file, lost words and no proof are named', async () => {
  const tables = [
    {
      title: 'Things',
      rows: [
        { row: 'held', proofs: [['a.test.ts', 'it holds'] as const] },
        { row: 'reworded', proofs: [['a.test.ts', 'it held'] as const] },
        { row: 'moved', proofs: [['b.test.ts', 'it holds'] as const] },
        { row: 'bare', proofs: [] },
      ],
    },
  ];
  assert.deepEqual(await missingProofs(tables, read), [
    'Things, reworded: a.test.ts lacks “it held”',
    'Things, moved: b.test.ts lacks “it holds”',
    'Things, bare: no test',
  ]);
  assert.match(renderSpecification(tables), /\| held \| \[a\.test\.ts\]\(\.\.\/a\.test\.ts\): “it holds” \|/);
});

test('the tables have as many rows as the specification', () => {
  const counts = Object.fromEntries(specificationTables(specRateLimits).map(({ title, rows }) => [title, rows.length]));
  assert.deepEqual(
    { tools: counts['Tools'], anonymous: counts['Anonymous tools'], errors: counts['Errors'], limits: counts['Rate limits'] },
    { tools: 39, anonymous: 2, errors: 10, limits: 16 },
  );
});
