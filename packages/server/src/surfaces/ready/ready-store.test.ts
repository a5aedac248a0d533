import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DataVersions, VersionedTable } from '../../platform/versions/data-versions.ts';
import { finishAnswer } from './finished-answer.ts';
import { createReadyStore, isTrue, type KeptAnswer } from './ready-store.ts';

const route = { operation: undefined, pattern: '/' };
const versions = (changes: number, epoch = '1'): DataVersions => ({ epoch, changesOf: () => changes });

function keptOf(bytes: number, onGrowth: (bytes: number) => void = () => undefined): KeptAnswer {
  const answer = finishAnswer({ status: 200, headers: {}, body: Buffer.alloc(bytes, 'a'), onGrowth });
  const tables: VersionedTable[] = ['services'];
  return { route, answer, tables, versions: { epoch: '1', changes: 5 }, until: 1_000 };
}

test('kept answers never exceed their memory, and the least recently read one is dropped first', () => {
  const store = createReadyStore(100_000);
  for (let n = 0; n < 1_000; n++) {
    store.set(`key ${n}`, keptOf(8_000));
    // Read after every insertion.
    store.get('key 0');
    assert.ok(store.bytes() <= 100_000, `${store.bytes()} bytes after ${n}`);
  }
  assert.ok(store.entries() > 5);
  assert.ok(store.get('key 0') !== undefined);
  assert.ok(store.get('key 999') !== undefined);
  assert.equal(store.get('key 500'), undefined);
});

test('compressed forms of a kept answer count, and a replaced answer no longer counts', async () => {
  const store = createReadyStore(1_000_000);
  const growth: number[] = [];
  const kept = keptOf(50_000, (bytes) => {
    growth.push(bytes);
    store.grow('key', kept.answer, bytes);
  });
  store.set('key', kept);
  const before = store.bytes();
  await Promise.all([kept.answer.toward('br', undefined), kept.answer.toward('br', undefined)]);
  assert.equal(growth.length, 1, 'compressed once');
  assert.equal(store.bytes(), before + (growth[0] ?? 0));
  store.set('key', keptOf(10));
  assert.ok(store.bytes() < 2_000);
  store.grow('key', kept.answer, 5_000);
  assert.ok(store.bytes() < 2_000);
});

test('a kept answer is valid until a change, until its age, and not after the database restarted', () => {
  const kept = keptOf(10);
  assert.equal(isTrue(kept, versions(5), 999), true);
  assert.equal(isTrue(kept, versions(4), 999), true, 'newer than asked for');
  assert.equal(isTrue(kept, versions(6), 999), false);
  assert.equal(isTrue(kept, versions(5), 1_000), false);
  assert.equal(isTrue(kept, versions(5, '2'), 999), false);
});
