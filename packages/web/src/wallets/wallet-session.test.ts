import assert from 'node:assert/strict';
import { test } from 'node:test';
import { explainWalletError, WalletProblem } from './wallet-session.ts';

test('a refusal, an open request and an unknown network are distinguished by code and by message', () => {
  const said: [unknown, string][] = [
    [{ code: 4001, message: 'x' }, 'refused'],
    [new Error('User rejected the request.'), 'refused'],
    [{ code: -32002, message: 'x' }, 'busy'],
    [{ code: -32603, message: 'Request already pending for origin' }, 'busy'],
    [{ code: 4902, message: 'x' }, 'unknown_network'],
    [{ code: -32603, message: 'Internal JSON-RPC error.' }, 'failed'],
    ['odd', 'failed'],
  ];
  for (const [error, trouble] of said) assert.equal(explainWalletError(error).trouble, trouble, JSON.stringify(error));
  assert.equal(explainWalletError({ code: 4001 }, 'network_refused').trouble, 'network_refused');
  const ours = new WalletProblem('locked', 'Locked.');
  assert.equal(explainWalletError(ours), ours);
});
