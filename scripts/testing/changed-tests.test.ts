import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findChangedTests, type Project } from './changed-tests.ts';

const sources = new Map([
  ['packages/contract/src/index.ts', "export * from './kernel/money.ts'; export * from './orders/limits.ts';"],
  ['packages/contract/src/orders/limits.ts', ''],
  ['packages/contract/src/kernel/money.ts', ''],
  ['packages/contract/src/kernel/money.test.ts', "import { x } from './money.ts';"],
  ['packages/server/src/app.ts', "import './features/orders/timers.ts'; import './surfaces/execute-operation.ts';"],
  ['packages/server/src/surfaces/execute-operation.ts', "import '../features/agents/index.ts';"],
  ['packages/server/src/features/orders/timers.ts', "import { micros } from '@market/contract';"],
  ['packages/server/src/features/orders/timers.test.ts', "import './timers.ts';"],
  ['packages/server/src/features/agents/index.ts', ''],
  ['test/harness/market.ts', "import '../../packages/server/src/app.ts';"],
  ['test/orders/clock.test.ts', "import '../harness/market.ts';"],
  ['test/conformance/orders-list.test.ts', "import '../harness/market.ts';"],
  ['test/conformance/agent-me.test.ts', "import '../harness/market.ts';"],
  ['packages/web/src/ui/button.tsx', ''],
  ['packages/web/src/pages/orders/list.tsx', "import '../../ui/button.tsx';"],
  ['test/harness/browser.ts', ''],
  ['test/browser/orders.test.ts', "import '../harness/browser.ts';"],
  ['test/browser/quality.test.ts', "import '../harness/browser.ts';"],
]);
const project: Project = { sources, packages: new Map([['@market/contract', 'packages/contract/src/index.ts']]) };

test('npm test -- --changed selects the tests that import a changed file, and those of its noun', () => {
  assert.deepEqual(findChangedTests(project, ['packages/server/src/features/orders/timers.ts']), [
    'packages/server/src/features/orders/timers.test.ts',
    'test/browser/orders.test.ts',
    'test/conformance/orders-list.test.ts',
    'test/orders/clock.test.ts',
  ]);
  assert.deepEqual(findChangedTests(project, ['packages/server/src/features/agents/index.ts']), ['test/conformance/agent-me.test.ts']);
});

test('npm test -- --changed selects a changed test alone', () => {
  assert.deepEqual(findChangedTests(project, ['test/orders/clock.test.ts']), ['test/orders/clock.test.ts']);
});

test('a change of the harness or of a hub file selects every test that imports it', () => {
  const behind = ['test/conformance/agent-me.test.ts', 'test/conformance/orders-list.test.ts', 'test/orders/clock.test.ts'];
  assert.deepEqual(findChangedTests(project, ['test/harness/market.ts']), behind);
  assert.deepEqual(findChangedTests(project, ['packages/server/src/app.ts']), behind);
});

test('a change of a noun selects no tests through the index of the contract', () => {
  assert.deepEqual(findChangedTests(project, ['packages/contract/src/orders/limits.ts']), [
    'test/browser/orders.test.ts',
    'test/conformance/orders-list.test.ts',
    'test/orders/clock.test.ts',
  ]);
});

test('a change of a file without tests of its own selects tests through hub files', () => {
  const all = [...sources.keys()].filter((file) => file.endsWith('.test.ts')).sort();
  const inBrowser = (file: string) => file.startsWith('test/browser/');
  assert.deepEqual(
    findChangedTests(project, ['packages/contract/src/kernel/money.ts']),
    all.filter((file) => !inBrowser(file)),
  );
  assert.deepEqual(
    findChangedTests(project, ['packages/server/src/surfaces/execute-operation.ts']),
    all.filter((file) => file.startsWith('test/') && !inBrowser(file)),
  );
});

test('a change of code that all pages share selects all browser tests, a change of a page its own', () => {
  assert.deepEqual(findChangedTests(project, ['packages/web/src/ui/button.tsx']), [
    'test/browser/orders.test.ts',
    'test/browser/quality.test.ts',
  ]);
  assert.deepEqual(findChangedTests(project, ['packages/web/src/pages/orders/list.tsx']), [
    'test/browser/orders.test.ts',
    'test/conformance/orders-list.test.ts',
    'test/orders/clock.test.ts',
  ]);
});

test('a changed migration or manifest selects every test', () => {
  const all = [...sources.keys()].filter((file) => file.endsWith('.test.ts')).sort();
  assert.deepEqual(findChangedTests(project, ['packages/server/src/platform/db/migrations/0001_first.sql']), all);
  assert.deepEqual(findChangedTests(project, ['package.json']), all);
});

test('a change of documents selects no test', () => {
  assert.deepEqual(findChangedTests(project, ['docs/guide.md']), []);
});
