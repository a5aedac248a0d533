/** W14: which certificates the outbound client trusts. The test makes the certificates; only the last test trusts one of them. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import { createSecureContext, getCACertificates, setDefaultCACertificates } from 'node:tls';
import { createOutboundClient, type OutboundPost } from '../../packages/server/src/platform/outbound/outbound-client.ts';
import { selfSigned } from '../harness/certificates.ts';

const NAME = 'receiver.attacker.com';
const good = selfSigned(NAME);
const expired = selfSigned('expired.attacker.com', { expired: true });
const post: OutboundPost = { headers: {}, body: '{}', timeoutMs: 3_000, maxResponseBytes: 1_000 };

let requests = 0;
const names: string[] = [];
const server = createServer(
  {
    ...good,
    SNICallback(name, choose) {
      names.push(name);
      choose(null, createSecureContext(name.startsWith('expired') ? expired : good));
    },
  },
  (_request, response) => {
    requests += 1;
    response.end('fine');
  },
);
server.on('tlsClientError', () => undefined);
let port = 0;
const trusted = getCACertificates();

before(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  port = (server.address() as AddressInfo).port;
});
after(() => {
  setDefaultCACertificates(trusted);
  server.close();
});

async function outcomeOf(host: string): Promise<string> {
  const client = createOutboundClient({ allowHosts: [host], resolve: async () => ['127.0.0.1'] });
  const answer = await client.post(`https://${host}:${port}/`, post);
  return answer.ok ? answer.body.toString() : answer.kind;
}

test('W14: an untrusted certificate ends the outbound call before a byte of it is sent', async () => {
  assert.equal(await outcomeOf(NAME), 'tls');
  assert.equal(await outcomeOf('127.0.0.1'), 'tls');
  assert.equal(requests, 0);
});

test('W14: an environment variable that disables TLS verification has no effect', async () => {
  process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0';
  try {
    assert.equal(await outcomeOf(NAME), 'tls');
  } finally {
    delete process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
  }
  assert.equal(requests, 0);
});

test('W14: a trusted certificate is accepted only for its own name, while it is valid, and with SNI', async () => {
  setDefaultCACertificates([...trusted, good.cert, expired.cert]);
  assert.equal(await outcomeOf(NAME), 'fine');
  assert.deepEqual([requests, names.at(-1)], [1, NAME]);
  assert.equal(await outcomeOf('another.attacker.com'), 'tls');
  assert.equal(await outcomeOf('127.0.0.1'), 'tls');
  assert.equal(await outcomeOf('expired.attacker.com'), 'tls');
  assert.equal(requests, 1);
});

test('an outbound call over TLS leaves no connection open', async () => {
  const open = async (): Promise<number> =>
    await new Promise((resolve, reject) => server.getConnections((error, count) => (error ? reject(error) : resolve(count))));
  for (let look = 0; look < 50 && (await open()) > 0; look++) await new Promise((resolve) => setTimeout(resolve, 20));
  assert.equal(await open(), 0);
});
