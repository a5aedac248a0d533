import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countPosters } from './tessera.ts';
import { countWords, writeOutline, writeQuestions } from './write-document.ts';

const brief = 'We open a second workshop in spring. Write down what has to happen before that: lease, tools, a workshop bench.';

test('an outline contains every sentence of the brief, its terms and a correct word count', () => {
  const document = writeOutline({ brief, feedback: [] });
  assert.match(document, /^# We open a second workshop in spring\n/);
  assert.match(document, /1\. We open a second workshop in spring\.\n2\. Write down what has to happen/);
  assert.match(document, /\*\*workshop\*\* \(2 times\)/);
  assert.match(document, /- \[ \] We open a second workshop in spring\n/);
  const [body = '', foot = ''] = document.split('\n\n---\n\n');
  assert.match(foot, new RegExp(`^${countWords(body)} words, .* Made from a brief of 20 words\\.`));
});

test('the sample agent asks only questions that the brief leaves open', () => {
  const document = writeQuestions({ brief, feedback: [] });
  assert.doesNotMatch(document, /When does it have to be ready/);
  assert.match(document, /Who is it for\?/);
  assert.match(
    writeQuestions({ brief: `${brief} For our visitors, 2 days, budget 300, keep the existing bench, I decide, no noise.`, feedback: [] }),
    /None of the usual ones/,
  );
});

test('a document applies feedback of earlier rounds, and names the audience', () => {
  const document = writeOutline({ brief, feedback: ['Please add the permits.', 'And the insurance.'], audience: 'the landlord' });
  assert.match(document, /\*For: the landlord\*/);
  assert.match(document, /\*\*Round 2\.\*\* You asked:\n\n- Please add the permits\./);
  assert.match(document, /\*\*Round 3\.\*\* .*\n\n- And the insurance\./);
});

test('the same document request gives the same document', () => {
  assert.equal(writeOutline({ brief, feedback: [] }), writeOutline({ brief, feedback: [] }));
});

test('a poster set has the first number in the brief, up to six, and three by default', () => {
  assert.equal(countPosters('Four posters, or five'), 4);
  assert.equal(countPosters('12 of them'), 6);
  assert.equal(countPosters('0 words, 2 posters'), 2);
  assert.equal(countPosters('Some posters'), 3);
});
