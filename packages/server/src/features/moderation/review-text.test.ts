import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findBlockedWord, reviewText } from './review-text.ts';

for (const claim of [
  'guaranteed profit',
  'Guaranteed  returns every week',
  '100% accuracy',
  '100 % success',
  'risk-free trading',
  'no risk investing',
  'Send me your seed phrase',
  'paste the private key here',
]) {
  test(`the text “${claim}” is put under review with a reason`, () => {
    const verdict = reviewText('An honest title', `Before. ${claim} After.`);
    assert.equal(verdict.status, 'review');
    assert.match(String(verdict.reason), /^(scam_phishing|key_solicitation): ./);
  });
}

for (const text of [
  'We never ask for your private key.',
  'Returns are not guaranteed.',
  'Profits and losses explained',
  'Guaranteed delivery on time',
]) {
  test(`the text “${text}” passes the review`, () => assert.deepEqual(reviewText(text), { status: 'ok', reason: null }));
}

test('a blocked word of a title is found only as a whole word, and returned as written', () => {
  assert.equal(findBlockedWord('My TEST listing'), 'TEST');
  assert.equal(findBlockedWord('contest_hack'), 'hack');
  for (const title of ['Contest entries', 'Supportive coaching', 'Hackathon jury', 'Latest attestation', 'Adminton rules', 'test2 suites'])
    assert.equal(findBlockedWord(title), undefined, title);
});
