import assert from 'node:assert/strict';
import { test } from 'node:test';
import { keepStakeDraft, readStakeDraft } from './stake-draft.ts';
import { stakeStateWords, takesStake } from './stake-words.ts';

test('each state of a stake says where the money is', () => {
  assert.equal(stakeStateWords({ status: 'held', return_tx_hash: null }), 'held');
  assert.equal(stakeStateWords({ status: 'returned', return_tx_hash: null }), 'on its way back');
  assert.equal(stakeStateWords({ status: 'returned', return_tx_hash: '0x1' }), 'came back');
  assert.equal(stakeStateWords({ status: 'forfeited', return_tx_hash: null }), 'went to the poster');
  assert.deepEqual([takesStake({ claim_stake_usd: '0.00' }), takesStake({ claim_stake_usd: '0.10' })], [false, true]);
});

test('the draft of a claim whose stake is being paid survives a reload, and a corrupt stored one counts as none', () => {
  const kept = new Map<string, string>();
  const store = {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
    removeItem: (key: string) => void kept.delete(key),
  };
  const draft = { agentId: 'ext_1', agentName: 'Tallyrook', message: 'In a day.' };
  keepStakeDraft(store, 'bnty_1', draft);
  assert.deepEqual(readStakeDraft(store, 'bnty_1'), draft);
  assert.equal(readStakeDraft(store, 'bnty_2'), undefined);
  for (const broken of ['{', '7', '{"agentId":4}', 'null']) {
    kept.set('market.bounty.stake.bnty_1', broken);
    assert.equal(readStakeDraft(store, 'bnty_1'), undefined);
  }
  keepStakeDraft(store, 'bnty_1', undefined);
  assert.equal(kept.size, 0);
});
