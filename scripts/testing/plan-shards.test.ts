import assert from 'node:assert/strict';
import { test } from 'node:test';
import { planShards, shuffleShards } from './plan-shards.ts';

const sources: Record<string, string> = {
  'packages/contract/src/money.test.ts': '',
  'packages/contract/src/orders.test.ts': '',
  'test/conformance/browse.test.ts': "import { openMarket } from '../harness/market.ts'; await openMarket();",
  'test/conformance/register.test.ts': "import { openMarket } from '../harness/market.ts'; await openMarket();",
  'test/money/payouts.test.ts': "import { openMarket, withChains } from '../harness/market.ts'; await openMarket(withChains);",
  'test/attacks/tls.test.ts': "import '../harness/market.ts'; process.env['SSL_CERT_FILE'] = file;",
  'test/faults/crash-points.test.ts': "import '../harness/market.ts';",
  'test/orders/releases.alone.test.ts': "import '../harness/market.ts';",
};
const read = (file: string) => sources[file] ?? '';
const files = Object.keys(sources);

test('test files of one kind share a process; files about crashes, globals and time do not', () => {
  const shared = planShards(files, { timings: {}, read }).map((shard) => shard.files.toSorted().join(' '));
  assert.deepEqual(shared.toSorted(), [
    'packages/contract/src/money.test.ts packages/contract/src/orders.test.ts',
    'test/attacks/tls.test.ts',
    'test/conformance/browse.test.ts test/conformance/register.test.ts',
    'test/faults/crash-points.test.ts',
    'test/money/payouts.test.ts',
    'test/orders/releases.alone.test.ts',
  ]);
});

test('the longest shard runs first, and files that measure time run last', () => {
  const timings = { 'test/money/payouts.test.ts': 40, 'test/faults/crash-points.test.ts': 90, 'test/orders/releases.alone.test.ts': 100 };
  const shards = planShards(files, { timings, read });
  assert.deepEqual(
    shards.slice(0, 2).flatMap((shard) => shard.files),
    ['test/faults/crash-points.test.ts', 'test/money/payouts.test.ts'],
  );
  assert.deepEqual(shards.at(-1), { files: ['test/orders/releases.alone.test.ts'], seconds: 100, alone: true });
});

test('no shard is much longer than the length that two workers can share', () => {
  const many = Array.from({ length: 100 }, (_, index) => `packages/sdk/src/${index}.test.ts`);
  const timings = Object.fromEntries(many.map((file) => [file, 5]));
  const shards = planShards(many, { timings, read });
  assert.equal(shards.flatMap((shard) => shard.files).length, 100);
  assert.ok(shards.length >= 3 && shards.every((shard) => shard.seconds <= 150), JSON.stringify(shards.map((shard) => shard.seconds)));
});

test('shuffled shards keep every file, and the same seed gives the same order', () => {
  const shards = planShards(files, { timings: {}, read });
  const shuffled = shuffleShards(shards, 7);
  assert.deepEqual(shuffled, shuffleShards(shards, 7));
  assert.notDeepEqual(shuffled, shuffleShards(shards, 8));
  assert.deepEqual(shuffled.flatMap((shard) => shard.files).toSorted(), files.toSorted());
  assert.equal(shuffled.at(-1)?.alone, true);
});
