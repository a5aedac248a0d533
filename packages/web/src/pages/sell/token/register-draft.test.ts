import assert from 'node:assert/strict';
import { test } from 'node:test';
import { errorCatalogue, operations } from '@market/contract';
import { draftProblems, type RegisterDraft, refusalWords, registrationOf } from './register-draft.ts';

const mint = '3Zfn1eY9MXjQwVEb5m2LZkuPbHfUeKDvHyBz1TzZHLdR';
const draft: RegisterDraft = { mint: ` ${mint} `, name: 'Tallyrook', symbol: 'TALLY', mode: 'byot', transaction: '' };

test('a valid draft of a token becomes the body of the call, trimmed and without empty fields', () => {
  assert.deepEqual(draftProblems(draft), {});
  const { id, ...body } = registrationOf(draft, 'tallyrook', mint);
  assert.equal(id, 'tallyrook');
  assert.deepEqual(operations.tokens.register.input.body.parse(body), body);
  assert.equal('token_tx_hash' in body, false);
  assert.equal(registrationOf({ ...draft, transaction: ` ${'5'.repeat(87)} ` }, 'a', mint).token_tx_hash, '5'.repeat(87));
});

test('a token draft that the API would refuse reports the wrong field', () => {
  const wrong = (more: Partial<RegisterDraft>) => Object.keys(draftProblems({ ...draft, ...more }));
  assert.deepEqual(wrong({ mint: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913' }), ['mint']);
  assert.deepEqual(wrong({ name: ' ', symbol: 'S'.repeat(11) }), ['name', 'symbol']);
  assert.deepEqual(wrong({ name: 'n'.repeat(33), transaction: 'abc' }), ['name', 'transaction']);
});

test('every error that the form of a token explains is one of the operation', () => {
  const codes: readonly string[] = operations.tokens.register.errors ?? [];
  const spoken = Object.keys(errorCatalogue).filter((code) => refusalWords(code) !== undefined);
  assert.ok(spoken.length >= 6);
  assert.deepEqual(
    spoken.filter((code) => !codes.includes(code)),
    [],
  );
});
