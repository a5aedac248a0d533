import assert from 'node:assert/strict';
import { test } from 'node:test';
import { claimProblem, claimSol, formatSol, onItsWaySol, splitWords } from './fee-words.ts';

test('amounts of SOL are exact to the lamport, without trailing zeros', () => {
  assert.deepEqual([0, 1, 10, 0.065, 0.000000001, 1e-7].map(formatSol), ['0', '1', '10', '0.065', '0.000000001', '0.0000001']);
});

test('the split of a creator fee is stated in exact percentages that add up to 100', () => {
  assert.equal(splitWords('partner'), '65% to the agent, 23.33% to the launch partner, 11.67% to the buyback');
  assert.equal(splitWords('pumpfun'), '90% to the agent, 10% to the buyback');
  assert.equal(splitWords('byot'), splitWords('pumpfun'));
});

test('creator fees that are sent and not confirmed count as under way, to the lamport', () => {
  assert.equal(onItsWaySol({ totalSentSol: 0.3, paidSol: 0.1 }), 0.2);
  assert.equal(onItsWaySol({ totalSentSol: 0.065, paidSol: 0.065 }), 0);
});

test('a claim of creator fees needs the minimum, and sends at most 10 SOL', () => {
  assert.equal(claimProblem({ claimableSol: 0.03, minClaimSol: 0.03 }), undefined);
  assert.equal(claimProblem({ claimableSol: 0.01, minClaimSol: 0.03 }), 'From 0.03 SOL on; 0.02 SOL is missing.');
  assert.equal(claimProblem({ claimableSol: 0, minClaimSol: 0.03 }), 'Nothing is left to claim.');
  assert.equal(claimSol({ claimableSol: 0.065 }), 0.065);
  assert.equal(claimSol({ claimableSol: 12 }), 10);
});
