import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatPrice } from '../../shared/format-price.ts';
import { type LaunchAgent, launchLines } from './launch-lines.ts';

type Funding = Parameters<typeof launchLines>[1];

const agent: LaunchAgent = {
  slug: 'tallyrook',
  avatar_url: 'https://example.com/face.png',
  description: 'Reconciles ledgers of any size.',
  twitter_username: 'tallyrook',
  ownersHandle: null,
  picture: null,
};
const funding = { balance_sol: 0.05, requirements: { launch: { cost_sol: 0.008, required_sol: 0.0089 } } } as Funding;
const missing = (a: Partial<LaunchAgent>, f: Partial<Funding> = {}): readonly string[] =>
  launchLines({ ...agent, ...a }, { ...funding, ...f })
    .filter(({ ready }) => !ready)
    .map(({ what }) => what);

test('a launch needs a picture, an X account, a description and SOL, and says what is missing', () => {
  assert.deepEqual(missing({}), []);
  assert.deepEqual(missing({ avatar_url: null }), ['Picture']);
  assert.deepEqual(missing({ avatar_url: null, picture: 'face.png' }), []);
  assert.deepEqual(missing({ twitter_username: null }), ['X account']);
  assert.deepEqual(missing({ twitter_username: null, ownersHandle: 'ines' }), []);
  assert.deepEqual(missing({ description: 'Too short.' }), ['Description']);
  assert.deepEqual(missing({}, { balance_sol: 0.0088 }), ['SOL in the agent’s wallet']);
});

test('a launch counts an unreadable balance or cost as too little', () => {
  assert.deepEqual(missing({}, { balance_sol: null }), ['SOL in the agent’s wallet']);
  const unknown = { launch: { cost_sol: null, required_sol: null } } as Funding['requirements'];
  assert.deepEqual(missing({}, { requirements: unknown }), ['SOL in the agent’s wallet']);
});

test('small token prices keep their first digits', () => {
  assert.deepEqual([0, 0.000032, 0.0123, 0.5, 12.345].map(formatPrice), ['0', '0.000032', '0.0123', '0.5000', '12.35']);
});
