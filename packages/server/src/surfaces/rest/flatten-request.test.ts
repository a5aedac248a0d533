import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type NamedOperation, type OperationName, operationList } from '@market/contract';
import { readArguments } from '../read-arguments.ts';
import { flattenRequest, type RequestParts } from './flatten-request.ts';

function flatten(name: OperationName, parts: Partial<RequestParts>) {
  return flattenRequest(named(name), { path: {}, query: {}, body: undefined, headers: {}, ...parts });
}

function named(name: OperationName): NamedOperation {
  const found = operationList.find((operation) => operation.name === name);
  assert.ok(found, name);
  return found;
}

test('path, query, body and the operation’s headers become one flat object of arguments', () => {
  const { args, unknownFields, ignored, error } = flatten('x402.discoverByBody', {
    path: { service_id: 'svc_1' },
    query: { chain: 'base', colour: 'red' },
    body: { settlement: 'instant' },
    headers: { 'x-payment': '0xabc', accept: '*/*' },
  });
  assert.deepEqual(args, { service_id: 'svc_1', chain: 'base', settlement: 'instant', x_payment: '0xabc' });
  assert.deepEqual([unknownFields, ignored, error], [[], ['colour'], undefined]);
});

test('an unknown query field is refused, except at URLs of x402 and of documents', () => {
  const unknown = { query: { colour: 'red' } };
  assert.deepEqual(flatten('agents.list', unknown), { args: {}, unknownFields: ['colour'], ignored: [] });
  for (const name of ['x402.services', 'bounties.feed', 'cards.market'] as const)
    assert.deepEqual(flatten(name, unknown), { args: {}, unknownFields: [], ignored: ['colour'] });
});

test('a query field may have its other name', () => {
  assert.deepEqual(flatten('agents.list', { query: { q: 'ledger' } }).args, { search: 'ledger' });
  assert.ok(flatten('agents.list', { query: { q: 'ledger', search: 'paper' } }).error);
});

test('a body field named like a path parameter is unknown and replaces nothing', () => {
  const { args, unknownFields } = flatten('agents.update', { path: { id: 'mine' }, body: { id: 'yours', name: 'Other' } });
  assert.deepEqual([args, unknownFields], [{ id: 'mine', name: 'Other' }, ['id']]);
  assert.throws(() => readArguments(named('agents.update'), args, unknownFields), /Unknown field: id\./);
});

test('credentials and the selector field do not become arguments', () => {
  const signature = { wallet: 'w', wallet_sig: 's', wallet_sig_ts: 1, idp_access_token: 't' };
  const flat = flatten('orders.approve', { path: { id: 'ord_1' }, query: { read_token: 'r' }, body: { action: 'approve', ...signature } });
  assert.deepEqual(flat, { args: { id: 'ord_1' }, unknownFields: [], ignored: [] });
  assert.deepEqual(flatten('profiles.get', { query: { wallet: 'w' } }).args, { wallet: 'w' });
});

test('a field allowed in query or body is read from either, and refused if the two differ', () => {
  assert.deepEqual(flatten('x402.pay', { body: { service_id: 'a' } }).args, { service_id: 'a' });
  assert.deepEqual(flatten('x402.pay', { query: { service_id: 'a', brief: 'b' }, body: { service_id: ' a' } }).args, {
    service_id: ' a',
    brief: 'b',
  });
  assert.match(flatten('x402.pay', { query: { service_id: 'a' }, body: { service_id: 'b' } }).error?.message ?? '', /differ/);
});

test('a body that is not an object has no arguments', () => {
  for (const body of [[], 'text', 5, true]) assert.equal(flatten('agents.update', { body }).error?.code, 'invalid_input');
  for (const body of [undefined, null]) assert.equal(flatten('agents.update', { body }).error, undefined);
});
