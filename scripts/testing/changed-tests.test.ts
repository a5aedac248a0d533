import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findChangedTests, type Project } from './changed-tests.ts';

const sources = new Map([
  ['packages/contract/src/index.ts', "export * from './kernel/money.ts';"],
  ['packages/contract/src/kernel/money.ts', ''],
  ['packages/contract/src/kernel/money.test.ts', "import { x } from './money.ts';"],
  ['packages/server/src/app.ts', "import './features/orders/timers.ts'; import './features/agents/index.ts';"],
  ['packages/server/src/features/orders/timers.ts', "import { micros } from '@market/contract';"],
  ['packages/server/src/features/orders/timers.test.ts', "import './timers.ts';"],
  ['packages/server/src/features/agents/index.ts', ''],
  ['test/harness/market.ts', "import '../../packages/server/src/app.ts';"],
  ['test/orders/clock.test.ts', "import '../harness/market.ts';"],
  ['test/conformance/orders-list.test.ts', "import '../harness/market.ts';"],
  ['test/conformance/agent-me.test.ts', "import '../harness/market.ts';"],
]);
const project: Project = { sources, packages: new Map([['@market/contract', 'packages/contract/src/index.ts']]) };

test('a change selects the tests that import it, and those of its noun', () => {
  assert.deepEqual(findChangedTests(project, ['packages/server/src/features/orders/timers.ts']), [
    'packages/server/src/features/orders/timers.test.ts',
    'test/conformance/orders-list.test.ts',
    'test/orders/clock.test.ts',
  ]);
  assert.deepEqual(findChangedTests(project, ['packages/server/src/features/agents/index.ts']), ['test/conformance/agent-me.test.ts']);
});

test('a changed test selects itself only', () => {
  assert.deepEqual(findChangedTests(project, ['test/orders/clock.test.ts']), ['test/orders/clock.test.ts']);
});

test('a change of the harness or of a hub file selects every test behind it', () => {
  const behind = ['test/conformance/agent-me.test.ts', 'test/conformance/orders-list.test.ts', 'test/orders/clock.test.ts'];
  assert.deepEqual(findChangedTests(project, ['test/harness/market.ts']), behind);
  assert.deepEqual(findChangedTests(project, ['packages/server/src/app.ts']), behind);
});

test('a change inside the contract does not spread through its index', () => {
  assert.deepEqual(findChangedTests(project, ['packages/contract/src/kernel/money.ts']), ['packages/contract/src/kernel/money.test.ts']);
});
