import assert from 'node:assert/strict';
import { test } from 'node:test';
import { operations } from '@market/contract';
import { argumentsOf, draftOf, type Policy, problemOf, rulesInWords } from './policy-draft.ts';

const [policy] = (operations.spending.policies.examples[0]?.data ?? []) as [Policy];

test('a spend policy that is opened and saved unchanged stays the same', () => {
  const args = argumentsOf(policy, draftOf(policy));
  for (const [name, value] of Object.entries(args)) assert.deepEqual(value, policy[name as keyof Policy], name);
  assert.equal(problemOf(draftOf(policy)), undefined);
});

test('an empty amount of a spend policy sets no limit, and an invalid one is reported', () => {
  const draft = draftOf(policy);
  assert.equal(argumentsOf(policy, { ...draft, amounts: { ...draft.amounts, per_day_usd: ' ' } }).per_day_usd, null);
  assert.match(problemOf({ ...draft, amounts: { ...draft.amounts, per_day_usd: '1e3' } }) ?? '', /“Most in 24 hours” must be an amount/);
  assert.match(problemOf({ ...draft, blockAgents: 'tallyrook' }) ?? '', /tallyrook is no agent id/);
});

test('ids in a spend policy are separated by lines or commas', () => {
  const id = 'agt_1700000000000_k3v9x1q7a';
  assert.deepEqual(argumentsOf(policy, { ...draftOf(policy), blockAgents: `${id},\n${id}\n` }).block_agents, [id, id]);
});

test('the rules of a spend policy are shown in words', () => {
  assert.equal(rulesInWords(policy), 'At most 25.00 per payment · you approve above 20.00 · 1 category allowed.');
});
