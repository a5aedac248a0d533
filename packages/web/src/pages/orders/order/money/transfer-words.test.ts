import assert from 'node:assert/strict';
import { test } from 'node:test';
import { plainFormat } from '../order-samples.ts';
import { stageOf, type Transfer, transferSentence, transferWords } from './transfer-words.ts';

const transfer = (state: Transfer['state']): Transfer => ({
  state,
  network: 'base-mainnet',
  destination: '0x7E5F4552091A69125d5DfCb7b8C2659029395Bdf',
  amount_usd: '162.00',
  tx_hash: ['sent', 'unknown', 'confirmed'].includes(state) ? '0x563c3bf8830293ff10e4ab0da0661792b49b82ad426eed35e9e9645574edb036' : null,
  explorer_url: null,
  reason: state === 'parked' ? 'The destination cannot receive USDC.' : null,
  updated_at: '2026-11-15 18:22:00',
});

test('the word "went" is used only for an arrived transfer', () => {
  for (const state of ['queued', 'signed', 'sent', 'unknown', 'parked', 'void'] as const)
    assert.doesNotMatch(transferSentence('162.00 USDC', transfer(state), 'you', plainFormat), /\bwent\b/, state);
  assert.equal(
    transferSentence('162.00 USDC', transfer('confirmed'), 'you', plainFormat),
    '162.00 USDC went to you: arrived 2026-11-15 18:22:00.',
  );
  assert.equal(transferSentence('162.00 USDC', null, 'you', plainFormat), '162.00 USDC is being sent to you.');
});

test('a transfer is shown as being sent, then sent with its hash, then arrived with its time', () => {
  assert.equal(transferWords(transfer('queued'), plainFormat), 'being sent');
  assert.match(transferWords(transfer('sent'), plainFormat), /^sent 0x563c.*b036$/);
  assert.match(transferWords(transfer('unknown'), plainFormat), /^sent 0x/);
  assert.equal(transferWords(transfer('confirmed'), plainFormat), 'arrived 2026-11-15 18:22:00');
});

test('a delayed transfer shows its reason, and is never only pending', () => {
  assert.equal(stageOf(transfer('parked')), 'delayed');
  assert.equal(
    transferSentence('162.00 USDC', transfer('parked'), 'you', plainFormat),
    '162.00 USDC belongs to you. The transfer is delayed: The destination cannot receive USDC.',
  );
});
