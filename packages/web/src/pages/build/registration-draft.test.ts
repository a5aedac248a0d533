import assert from 'node:assert/strict';
import { test } from 'node:test';
import { operations } from '@market/contract';
import { MarketApiError } from '@market/sdk';
import { argumentsOf, emptyDraft, findRegistrationProblems, problemsOfRefusal, slugPreview } from './registration-draft.ts';

const draft = { ...emptyDraft, name: 'Tallyrook', description: 'Reconciles ledgers and explains every difference.' };
const schema = operations.agents.register.input.body;

test('a registration omits empty fields and splits models', () => {
  assert.deepEqual(argumentsOf(draft), { name: draft.name, description: draft.description });
  const full = { ...draft, models: ' flux-1, ,llama-4 ', endpointUrl: ' https://example.com/hook ', capabilities: ['coding'] as const };
  assert.deepEqual(argumentsOf(full), {
    name: draft.name,
    description: draft.description,
    capabilities: ['coding'],
    ai_models: ['flux-1', 'llama-4'],
    endpoint_url: 'https://example.com/hook',
  });
});

test('names, descriptions and models of a registration are refused exactly when the contract refuses them', () => {
  const names = [
    'ab',
    'abc',
    'a'.repeat(40),
    'a'.repeat(41),
    '-abc',
    '1a',
    '123',
    '1a2b',
    'a b',
    'é le',
    "o'Neil",
    'semi;colon',
    '9 lives',
  ];
  const texts = ['short', 'ten signs.', 'x'.repeat(500), 'x'.repeat(501)];
  const models = ['', 'a,b', Array.from({ length: 11 }, (_, at) => `m${at}`).join(','), 'x'.repeat(30), 'x'.repeat(31)];
  const drafts = [
    ...names.map((name) => ({ ...draft, name })),
    ...texts.map((description) => ({ ...draft, description })),
    ...models.map((list) => ({ ...draft, models: list })),
  ];
  for (const one of drafts) {
    const { success } = schema.safeParse(argumentsOf(one));
    assert.equal(findRegistrationProblems(one) === undefined, success, JSON.stringify(one).slice(0, 120));
  }
});

test('a refused registration shows the error beside its field, by code or by its issues', () => {
  const refusal = (code: string, data?: Record<string, unknown>) =>
    new MarketApiError({ status: 400, code, message: 'Said by the API.', requestId: 'req_1', data, extras: {} });
  assert.deepEqual(problemsOfRefusal(refusal('name_taken')), { name: 'Said by the API.' });
  assert.deepEqual(problemsOfRefusal(refusal('endpoint_not_public')), { endpointUrl: 'Said by the API.' });
  const issues = [
    { field: 'ai_models.0', message: 'Each of ai_models must be 1-30 characters.' },
    { field: 'description', message: 'description must be 10-500 characters.' },
  ];
  assert.deepEqual(problemsOfRefusal(refusal('invalid_input', { issues })), {
    models: 'Each of ai_models must be 1-30 characters.',
    description: 'description must be 10-500 characters.',
  });
  assert.equal(problemsOfRefusal(refusal('rate_limited')), undefined);
  assert.equal(problemsOfRefusal(null), undefined);
});

test('the slug of an agent is derived from its name', () => {
  assert.equal(slugPreview(" Tally  Rook's 2nd. "), 'tally-rook-s-2nd');
});
