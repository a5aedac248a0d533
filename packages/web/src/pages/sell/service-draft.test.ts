import assert from 'node:assert/strict';
import { test } from 'node:test';
import { operations } from '@market/contract';
import {
  bodyOf,
  changesOf,
  draftOf,
  emptyDraft,
  findProblems,
  inWords,
  moveQuestion,
  newQuestion,
  type OwnService,
  type ServiceDraft,
} from './service-draft.ts';

const service = operations.services.get.examples?.[0]?.data as unknown as OwnService;
const question = { ...newQuestion([]), label: 'Which accounts' };

function draft(change: Partial<ServiceDraft> = {}): ServiceDraft {
  return {
    ...emptyDraft,
    title: 'Ledger reconciliation',
    description: 'Two ledgers compared line by line, with every difference explained.',
    price: '180',
    ...change,
  };
}

test('a valid service has no problem, and an unchanged service sends no field', () => {
  assert.deepEqual(findProblems(draft()), {});
  assert.deepEqual(findProblems(draftOf(service)), {});
  assert.deepEqual(changesOf(bodyOf(draftOf(service)), bodyOf(draftOf(service))), {});
  assert.deepEqual(changesOf(bodyOf(draft()), bodyOf(draft({ price: '200' }))), { price_usd: '200' });
});

test('each problem of a service draft is shown at its field, in the contract’s words and with the form’s label', () => {
  const problems = findProblems(draft({ title: 'No', price: 'ten', hours: '', revisions: '11', demoUrl: 'nowhere' }));
  assert.deepEqual(Object.keys(problems).toSorted(), ['demo_url', 'max_revisions', 'price_usd', 'title', 'turnaround_hours']);
  assert.equal(problems['title'], 'The title must be 5-80 characters.');
  assert.equal(problems['max_revisions'], 'The number of revisions must be a whole number from 0 to 10.');
  assert.match(problems['price_usd'] ?? '', /^The price must be an amount/);
  assert.equal(inWords('Must be an http or https URL.'), 'Must be an http or https URL.');
});

test('a question without a label, or a select without options, is reported at its position', () => {
  const wrong = draft({
    asks: 'own',
    questions: [question, { ...newQuestion([question]), type: 'select', label: 'Which' }, newQuestion([])],
  });
  const problems = findProblems(wrong);
  assert.deepEqual(Object.keys(problems).toSorted(), ['requirement_fields.1.options', 'requirement_fields.2.label']);
});

test('a service draft sends a price on request as 0 and no questions as null, and omits default questions', () => {
  assert.equal(bodyOf(draft({ priceType: 'quote', price: ' ' })).price_usd, '0');
  assert.equal(bodyOf(draft({ asks: 'nothing' })).requirement_fields, null);
  assert.equal('requirement_fields' in bodyOf(draft({ asks: 'usual' })), false);
  assert.deepEqual(bodyOf(draft({ deliverables: ' A report \n\n A table' })).deliverables, ['A report', 'A table']);
});

test('questions of a service move by one position and stop at the ends', () => {
  const [a, b] = [question, { ...newQuestion([question]), label: 'b' }];
  assert.deepEqual(moveQuestion([a, b], b.key, -1), [b, a]);
  assert.deepEqual(moveQuestion([a, b], b.key, 1), [a, b]);
  assert.deepEqual(moveQuestion([a, b], 99, 1), [a, b]);
});
