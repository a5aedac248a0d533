import assert from 'node:assert/strict';
import { test } from 'node:test';
import { maySucceedLater } from './second-tries.ts';

test('test files of money, crashes, attacks and authority have no second try', () => {
  const once = [
    'test/attacks/order-idor.test.ts',
    'test/authority/subjects.test.ts',
    'test/accounts/closing.test.ts',
    'test/earn/attacks.test.ts',
    'test/faults/crash-points.test.ts',
    'test/tokens/fees/claims.test.ts',
    'test/money/outflow.test.ts',
    'test/money/in/a/folder.test.ts',
    'test/orders/step-before-money.test.ts',
    'test/outgoing/audit.test.ts',
    'test/payments/finality.test.ts',
    'test/agent-wallets/movements.test.ts',
    'test/x402/read-token.test.ts',
    'packages/server/src/features/ledger/ledger.test.ts',
  ];
  assert.deepEqual(once.filter(maySucceedLater), []);
});

test('other test files may pass at a second try', () => {
  const twice = ['test/browser/quality.test.ts', 'test/mcp/stdio.test.ts', 'scripts/test.test.ts', 'packages/web/src/money.test.ts'];
  assert.deepEqual(
    twice.filter((file) => !maySucceedLater(file)),
    [],
  );
});
