import assert from 'node:assert/strict';
import { test } from 'node:test';
import { requireFeedbackCall } from './check-call.ts';
import { type PayableNetwork, type PreparedCall, WalletProblem } from './wallet-session.ts';

const base = { network: 'base-mainnet', kind: 'evm', chain_id: 8453 } as PayableNetwork;
const agreed = { registry: 'eip155:8453:0xRegistry', wallet: '0xAbC' };
const call = { chain_id: 8453, from: '0xabc', to: '0xregistry', data: '0x3c036a7e00', value: '0x0' } as unknown as PreparedCall;

test('the wallet gets a call only if it publishes feedback in the registry that the page showed', () => {
  requireFeedbackCall(call, agreed, base);
  const bent: readonly Partial<PreparedCall>[] = [{ chain_id: 1 }, { from: '0xdef' }, { to: '0xusdc' }, { data: '0x095ea7b300' }];
  for (const change of bent)
    assert.throws(
      () => requireFeedbackCall({ ...call, ...change }, agreed, base),
      (error) => error instanceof WalletProblem && error.trouble === 'not_what_was_agreed',
      JSON.stringify(change),
    );
});
