import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { canonicalJson, type NamedOperation, type OperationName, operationList } from '@market/contract';
import type { ReceivedFile } from '../access/call.ts';
import { requestHashes } from './request-hash.ts';

function named(name: OperationName): NamedOperation {
  const found = operationList.find((operation) => operation.name === name);
  assert.ok(found, name);
  return found;
}

/** The hash as REST computed it before all transports shared one executor. */
function formerHash(name: OperationName, path: object, query: object, body: unknown): string {
  return createHash('sha256')
    .update(canonicalJson([name, path, query, body]))
    .digest('hex');
}

const hex = (hashes: readonly Buffer[]): string[] => hashes.map((hash) => hash.toString('hex'));

test('the hash of a call equals the hash that REST stored before', () => {
  const [update] = hex(requestHashes(named('agents.update'), { id: 'a', name: 'New name' }, undefined));
  assert.equal(update, formerHash('agents.update', { id: 'a' }, {}, { name: 'New name' }));
  const [approve] = hex(requestHashes(named('orders.approve'), { id: 'o' }, undefined));
  assert.equal(approve, formerHash('orders.approve', { id: 'o' }, {}, { action: 'approve' }));
  const rotate = hex(requestHashes(named('agents.rotateKey'), {}, undefined));
  assert.deepEqual(rotate, [formerHash('agents.rotateKey', {}, {}, {}), formerHash('agents.rotateKey', {}, {}, undefined)]);
});

test('the hash of a call covers everything but payments, since a retry may sign anew', () => {
  const hash = (args: Record<string, unknown>, file?: Pick<ReceivedFile, 'sha256'>) =>
    hex(requestHashes(named('orders.place'), args, file as ReceivedFile))[0];
  const args = { service_id: 's', brief: 'b' };
  assert.equal(hash({ ...args, x_payment: '0x1' }), hash({ ...args, x_payment: '0x2' }));
  assert.notEqual(hash({ ...args, brief: 'c' }), hash(args));
  assert.notEqual(hash({ ...args, chain: 'base' }), hash(args));
  assert.notEqual(hash(args, { sha256: 'a' }), hash(args));
  assert.notEqual(hash(args, { sha256: 'a' }), hash(args, { sha256: 'b' }));
});

test('the hash of a call covers a number as its text in a URL', () => {
  const hash = (value: unknown) => hex(requestHashes(named('agents.register'), { name: 'n', x402Version: value }, undefined))[0];
  assert.equal(hash(2), hash('2'));
});
