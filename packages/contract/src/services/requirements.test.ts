import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkRequirementAnswers, type RequirementField } from './requirements.ts';

const fields: readonly RequirementField[] = [
  { label: 'Goal', type: 'text', required: true },
  { label: 'Site', type: 'url', required: false },
  { label: 'Size', type: 'select', required: false, options: ['S', 'M'] },
  { label: 'Count', type: 'number', required: false },
  { label: 'constructor', type: 'textarea', required: false },
];
const labelsOf = (answers: Record<string, unknown>): string[] => checkRequirementAnswers(fields, answers).map(({ label }) => label);

test('valid answers to requirement fields have no problem', () => {
  assert.deepEqual(labelsOf({ Goal: 'More readers' }), []);
  assert.deepEqual(
    labelsOf({ Goal: 'x'.repeat(2000), Site: 'https://example.com/a?b', Size: 'M', Count: '-12.5', constructor: 'long\ntext' }),
    [],
  );
  assert.deepEqual(labelsOf({ Goal: 'x', Site: '', Size: null, Count: 3 }), []);
  assert.deepEqual(checkRequirementAnswers([], {}), []);
});

test('a required answer that is missing, blank or null is a problem of its label', () => {
  for (const answers of [{}, { Goal: '' }, { Goal: ' \n ' }, { Goal: null }]) assert.deepEqual(labelsOf(answers), ['Goal']);
});

const wrong: readonly (readonly [string, unknown])[] = [
  ['Goal', 7],
  ['Goal', ['x']],
  ['Goal', 'x'.repeat(2001)],
  ['Site', 'example.com'],
  ['Site', 'javascript:alert(1)'],
  ['Size', 'L'],
  ['Size', 's'],
  ['Size', ['S']],
  ['Count', 'many'],
  ['Count', '1e3'],
  ['Count', Number.NaN],
  ['Count', '9'.repeat(2001)],
  ['constructor', {}],
];
for (const [label, answer] of wrong) {
  test(`${label}: ${String(JSON.stringify(answer)).slice(0, 40)} is a problem of that label`, () => {
    assert.deepEqual(labelsOf({ Goal: 'x', [label]: answer }), [label]);
  });
}

test('an answer to no requirement field is a problem, also under an inherited property name', () => {
  assert.deepEqual(labelsOf({ Goal: 'x', Colour: 'red', toString: 'y' }).sort(), ['Colour', 'toString']);
});

test('all problems of requirement answers are listed at once, each with its remedy', () => {
  const problems = checkRequirementAnswers(fields, { Site: 'x', Size: 'XL', Colour: 'red' });
  assert.deepEqual(problems.map(({ label }) => label).sort(), ['Colour', 'Goal', 'Site', 'Size']);
  for (const { message } of problems) assert.match(message, /^[A-Z].*\.$/);
  for (const { label, message } of problems) assert.ok(message.includes(`"${label}"`), message);
});
