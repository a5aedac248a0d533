import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { test } from 'node:test';
import { readClientAddress } from './client-address.ts';

const from = (proxies: readonly string[], socket: string, forwarded?: string) =>
  readClientAddress(proxies)({
    socket: { remoteAddress: socket },
    headers: { 'x-forwarded-for': forwarded },
  } as unknown as IncomingMessage);

test('Y17: a forwarded address loses its port, also that of a trusted proxy in between', () => {
  for (const written of ['203.0.113.5', '203.0.113.5:1111', ' 203.0.113.5:65535 ', '::ffff:203.0.113.5', '[::ffff:203.0.113.5]:443'])
    assert.equal(from(['10.0.0.0/8'], '10.0.0.1', written), '203.0.113.5', written);
  assert.equal(from(['10.0.0.0/8'], '::ffff:10.0.0.1', '198.51.100.1, 203.0.113.5:1111, 10.9.9.9:4321'), '203.0.113.5');
  assert.equal(from(['loopback'], '127.0.0.1', '[2001:db8::1]:443'), '2001:db8::1');
});

test('Y17: an invalid address in the header counts as the proxy that sent it', () => {
  for (const garbage of [
    'unknown',
    '',
    ',',
    '203.0.113.5:99999999',
    '999.1.2.3',
    '[2001:db8::1',
    'for=203.0.113.5',
    '203.0.113.5:80:80',
    '203.0.113.5,',
  ])
    assert.equal(from(['10.0.0.0/8'], '10.0.0.1', garbage), '10.0.0.1', garbage);
  assert.equal(from(['10.0.0.0/8'], '10.0.0.1', 'garbage, 10.2.2.2'), '10.2.2.2');
});

test('the header of a client that is no trusted proxy is ignored', () => {
  assert.equal(from(['10.0.0.0/8'], '203.0.113.9', '198.51.100.1'), '203.0.113.9');
  assert.equal(from([], '10.0.0.1', '198.51.100.1'), '10.0.0.1');
});
