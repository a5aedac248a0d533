import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { renderCoverage } from './generators/threat-coverage.ts';
import { specificationIds } from './specification/rows.ts';
import { coverageOf, readTests } from './threats/coverage.ts';
import { sampleRows } from './threats/sample.ts';
import { listTests } from './threats/test-titles.ts';
import { areas, rowsNotYetDefended, type Threat, threats } from './threats/threat-table.ts';

const table: Readonly<Record<string, Threat>> = {
  M01: { attack: 'A first attack.', status: 'built' },
  M02: { attack: 'A second attack.', status: 'built' },
  O01: { attack: 'A later attack.', status: 'step', step: 'mcp' },
  K01: { attack: 'An attack nobody can try.', status: 'reason', reason: 'the market holds no such key' },
};

const problemsOf = (source: string, notYetDefended: readonly string[] = []): readonly string[] =>
  coverageOf(table, listTests('test/x.test.ts', source), notYetDefended).problems;

const both = "test('M01, M02: holds', () => {});";

test('the title scanner reads titles as written: quotes, templates, nested suites, tests of a context', () => {
  const source = `
    // test('a comment', () => {});
    const text = "test('a text')";
    test('it\\'s plain', async () => { assert.match('x', /test\\('a pattern'\\)/); });
    test("double quotes", run);
    for (const network of networks)
      test(\`on \${network} and \${\`\${a}\`} with {braces}\`, { timeout: 1 }, run);
    describe('outer', () => {
      suite(\`inner \${kind}\`, () => {
        it('deep', run);
        story.test('a chapter', run);
      });
      test(title, run);
    });
    test.skip('does not run', run);
    pattern.test('not a title');
    test(
      'on the next line', run);`;
  assert.deepEqual(
    listTests('x.test.ts', source).map(({ title, suites }) => [...suites, title].join(' > ')),
    [
      "it's plain",
      'double quotes',
      'on ${network} and ${`${a}`} with {braces}',
      'outer > inner ${kind} > deep',
      'outer > inner ${kind} > a chapter',
      'outer > ',
      'on the next line',
    ],
  );
});

test('a threat table whose built rows are all named has no problems', () => {
  assert.deepEqual(problemsOf(both), []);
  assert.deepEqual(problemsOf("describe('M01: a suite', () => { test('one', run); test(`M02: ${two}`, run); });"), []);
});

test('a built threat row without a test is a problem, also when its suite is empty or its test is skipped', () => {
  const missing = ['M02 has no test that names it: A second attack.'];
  assert.deepEqual(problemsOf("test('M01: holds', run);"), missing);
  assert.deepEqual(problemsOf("test('M01: holds', run); describe('M02: nothing inside', () => {});"), missing);
  assert.deepEqual(problemsOf("test('M01: holds', run); test.skip('M02: holds', run);"), missing);
  assert.deepEqual(problemsOf("test('M01: holds', run); // test('M02: holds', run);"), missing);
});

test('a test title that names an unknown threat row, or one of a later step, is a problem', () => {
  assert.match(problemsOf(`${both} test('M01, M99: holds', run);`).join(), /x\.test\.ts:1 names M99, which the threat table does not have/);
  assert.match(
    problemsOf(`${both}\ntest('O01: holds', run);`).join(),
    /x\.test\.ts:2 names O01; set its status in the threat table to built/,
  );
});

test('threat ids in another form are reported as a problem, not ignored', () => {
  for (const title of ['M01 holds', 'M01 M02: holds', 'M01,M02: holds', 'M01-M02: holds', 'M01:holds']) {
    assert.match(problemsOf(`${both} test('${title}', run);`).join(), /begins like a row id/, title);
  }
  assert.deepEqual(problemsOf(`${both} test('M1 and 100 others', run); test('AES256 is used', run);`), []);
});

test('a threat row may be listed as undefended only while no test names it', () => {
  assert.deepEqual(problemsOf("test('M01: holds', run);", ['M02']), []);
  assert.deepEqual(problemsOf(both, ['M02']), ['M02 has a test: take it out of rowsNotYetDefended']);
  assert.deepEqual(problemsOf(both, ['O01', 'X77']), [
    'O01 is listed in rowsNotYetDefended but is no built row',
    'X77 is listed in rowsNotYetDefended but is no built row',
  ]);
});

test('the coverage page lists file and title of each defence, the later step, the reason, and the counts', () => {
  const source = "suite('M01: a <suite>', () => { test('one', run); test('two', run); }); test(`M01: on ${network}`, run);";
  const page = renderCoverage(table, coverageOf(table, listTests('test/x.test.ts', source), ['M02']));
  assert.match(page, /\| Rows \| 4 \|\n/);
  assert.match(page, /\| Built and defended by a test \| 1 of 2 \|/);
  assert.match(page, /\| Wait for step 14, MCP and OAuth \| 1 \|/);
  assert.match(
    page,
    /\| M01 \| A first attack\. \| \[test\/x\.test\.ts\]\(\.\.\/\.\.\/test\/x\.test\.ts\)<br>“M01: a \\<suite\\>” \(2 tests\)<br>“M01: on \$\{network\}” \|/,
  );
  assert.match(page, /\| M02 \| A second attack\. \| \*\*No test yet\*\* \|/);
  assert.match(page, /\| O01 \| A later attack\. \| Step 14, MCP and OAuth \|/);
  assert.match(page, /\| K01 \| .* \| No test: the market holds no such key \|/);
});

test('the same seed draws the same sample of threat rows without repeats, another seed another sample', () => {
  const ids = Array.from({ length: 150 }, (_, index) => `R${index}`);
  assert.deepEqual(sampleRows(ids, 15, 7), sampleRows([...ids].reverse(), 15, 7));
  assert.notDeepEqual(sampleRows(ids, 15, 7), sampleRows(ids, 15, 8));
  assert.equal(new Set(sampleRows(ids, 150, 7)).size, 150);
  assert.equal(sampleRows(ids, 999, 7).length, 150);
});

test('the threat table has all 231 rows, 231 of them built, numbered without a gap in each complete area', () => {
  const counts = { M: 32, C: 28, R: 15, A: 22, X: 11, W: 15, U: 10, O: 17, I: 19, K: 9, V: 24, B: 9, S: 4, Y: 19 };
  // The other rows of area S (starting) belong to a later step.
  const missing = ['S01', 'S02', 'S03'];
  assert.deepEqual(Object.keys(counts), Object.keys(areas));
  const expected = Object.entries(counts).flatMap(([letter, count]) =>
    Array.from({ length: count }, (_, index) => `${letter}${String(index + 1).padStart(2, '0')}`),
  );
  assert.deepEqual(
    Object.keys(threats),
    expected.filter((row) => !missing.includes(row)),
  );
  assert.equal(Object.values(threats).filter(({ status }) => status === 'built').length, 231);
});

test('every built row of the threat table is named by a test', async () => {
  const tests = await readTests(join(import.meta.dirname, '..'));
  assert.deepEqual(coverageOf(threats, tests, rowsNotYetDefended, specificationIds).problems, []);
});
