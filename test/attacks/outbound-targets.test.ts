/** Addresses that would make us call into our own network, given to the client that calls strangers. A listener on loopback must never be reached. */
import assert from 'node:assert/strict';
import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { connect, createServer, type Server } from 'node:net';
import { after, before, test } from 'node:test';
import { createOutboundClient, type OutboundPost } from '../../packages/server/src/platform/outbound/outbound-client.ts';
import { checkPublicUrl, type ResolveHost } from '../../packages/server/src/platform/outbound/public-url.ts';
import { openReceiver, withJson } from '../harness/receiver.ts';

/** One of the ports a stranger may name: on any other the port alone would be the reason, and the address never judged. */
const PORT = 8443;
const post: OutboundPost = { headers: {}, body: '{}', timeoutMs: 2_000, maxResponseBytes: 1_000 };

let canary: Server;
let reached = 0;
before(async () => {
  canary = createServer((socket) => {
    reached += 1;
    socket.destroy();
  });
  await listenPatiently(canary);
});
after(() => canary.close());

/** Another run of this file on the same machine may hold the port for a while. */
async function listenPatiently(server: Server): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    server.listen(PORT, '127.0.0.1');
    try {
      await once(server, 'listening');
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE' || attempt === 100) throw error;
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }
}

/** What a name server under a stranger's control could say. */
const zone: Readonly<Record<string, readonly string[]>> = {
  'loopback.attacker.com': ['127.0.0.1'],
  'private.attacker.com': ['10.0.0.5'],
  'mixed.attacker.com': ['93.184.216.34', '127.0.0.1'],
  'mapped.attacker.com': ['::ffff:127.0.0.1'],
  'mapped-hex.attacker.com': ['::ffff:7f00:1'],
  'six.attacker.com': ['::1'],
  'metadata.attacker.com': ['169.254.169.254'],
  'nat64.attacker.com': ['64:ff9b::7f00:1'],
  'zero.attacker.com': ['0.0.0.0'],
  'scoped.attacker.com': ['fe80::1%lo'],
  'text.attacker.com': ['127.0.0.1.'],
};
const resolve: ResolveHost = async (host) => zone[host] ?? [];

/** Every one of these is this machine, spelled differently. */
const THIS_MACHINE = [
  '127.0.0.1',
  '127.0.0.1.',
  '127.1',
  '127.0.1',
  '2130706433',
  '0x7f000001',
  '0x7f.1',
  '0x7F.0.0.0x1',
  '0177.0.0.1',
  '017700000001',
  '127.0.0.01',
  '１２７.０.０.１',
  '①②⑦.⓪.⓪.①',
  '127。0。0。1',
  '%31%32%37.0.0.1',
  '0.0.0.0',
  '0',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[0:0:0:0:0:ffff:7f00:1]',
  'localhost',
  'LOCALHOST',
  'localhost.',
  'ｌocalhost',
];

const ELSEWHERE_INSIDE = [
  '127.0.0.2',
  '127.255.255.254',
  '10.0.0.1',
  '100.64.0.1',
  '100.100.100.200',
  '168.63.129.16',
  '169.254.169.254',
  '2852039166',
  '172.16.0.1',
  '172.31.255.255',
  '192.0.0.1',
  '192.0.2.1',
  '192.88.99.1',
  '192.168.1.1',
  '198.18.0.1',
  '198.51.100.1',
  '203.0.113.1',
  '224.0.0.1',
  '240.0.0.1',
  '255.255.255.255',
  '[::]',
  '[::1]',
  '[::7f00:1]',
  '[::127.0.0.1]',
  '[::ffff:10.0.0.1]',
  '[64:ff9b::7f00:1]',
  '[64:ff9b:1::a00:1]',
  '[2002:7f00:1::]',
  '[2001:0:7f00:1::]',
  '[2001:db8::1]',
  '[fc00::1]',
  '[fd00:ec2::254]',
  '[fe80::1]',
  '[fec0::1]',
  '[ff02::1]',
  '[100::1]',
  '[3fff::1]',
  '[5f00::1]',
  'api.localhost',
  'localhost.localdomain',
  'metadata.google.internal',
  'kubernetes.default.svc.cluster.local',
  'printer.local',
  'router.lan',
  'nas.home',
  'intranet',
  'postgres',
  'service.test',
];

const client = createOutboundClient({ allowHosts: [], resolve });

async function kindOf(url: string): Promise<string> {
  const answer = await client.post(url, post);
  return answer.ok ? `answered ${answer.status}` : answer.kind;
}

async function requireRefused(urls: readonly string[]): Promise<void> {
  const before = reached;
  for (const url of urls) assert.equal(await kindOf(url), 'refused', url);
  assert.equal(reached, before, 'the listener was reached');
}

test('the listener can be reached by a client that does not look, so that its silence means something', async () => {
  const before = reached;
  for (const host of ['127.0.0.1', '0.0.0.0', (await lookup('localhost', 4)).address]) {
    const socket = connect({ host, port: PORT });
    await once(socket, 'close');
  }
  assert.equal(reached, before + 3);
});

test('W01 W02 W03 no spelling of this machine is called', async () => {
  await requireRefused(THIS_MACHINE.map((host) => `https://${host}:${PORT}/hook`));
});

test('W01 W03 W04 no private, reserved or embedded address and no inside name is called', async () => {
  await requireRefused(ELSEWHERE_INSIDE.map((host) => `https://${host}:${PORT}/hook`));
});

test('W04 no public name with a private answer is called, also when it is one among public ones', async () => {
  await requireRefused(Object.keys(zone).map((host) => `https://${host}:${PORT}/`));
  assert.equal(await kindOf(`https://unknown.attacker.com:${PORT}/`), 'dns');
});

test('W07 no other scheme, port, credentials, fragment or overlong address is called', async () => {
  await requireRefused([
    `http://127.0.0.1:${PORT}/`,
    `http://loopback.attacker.com:${PORT}/`,
    'http://93.184.216.34/',
    `gopher://127.0.0.1:${PORT}/_x`,
    `ws://127.0.0.1:${PORT}/`,
    'file:///etc/passwd',
    'data:text/plain,x',
    'javascript:alert(1)',
    `https://user:x@127.0.0.1:${PORT}/`,
    `https://93.184.216.34@127.0.0.1:${PORT}/`,
    `https://127.0.0.1:${PORT}#@93.184.216.34/`,
    'https://93.184.216.34/#part',
    'https://93.184.216.34:22/',
    'https://93.184.216.34:5432/',
    'https://93.184.216.34:80/',
    `https://127.0.0.1:${PORT}/${'x'.repeat(2_100)}`,
    `https://127.0.0.1:${PORT}\t/`,
    ` https://127.0.0.1:${PORT}/`,
    `//127.0.0.1:${PORT}/`,
    '',
  ]);
});

test('W05 a name that was public when it was set and is private when it is called is not called', async () => {
  const answers = [['93.184.216.34'], ['127.0.0.1']];
  const rebinding: ResolveHost = async () => answers.shift() ?? [];
  const url = `https://rebind.attacker.com:${PORT}/hook`;
  assert.equal((await checkPublicUrl(url, { allowHosts: [], resolve: rebinding })).ok, true);
  const before = reached;
  const answer = await createOutboundClient({ allowHosts: [], resolve: rebinding }).post(url, post);
  assert.equal(answer.ok ? 'answered' : answer.kind, 'refused');
  assert.equal(reached, before);
});

test('W05 the connection goes to the address that was checked: the name server is not asked again', async (t) => {
  const receiver = await openReceiver(withJson(200, {}));
  t.after(receiver.close);
  const { port } = new URL(receiver.url);
  const asked: string[] = [];
  const flipping: ResolveHost = async (host) => {
    asked.push(host);
    return asked.length === 1 ? ['127.0.0.1'] : ['127.0.0.2'];
  };
  // A name only this stub knows: without the checked address there would be nowhere to go.
  const pinned = createOutboundClient({ allowHosts: ['rebind.attacker.com'], resolve: flipping });
  const answer = await pinned.post(`http://rebind.attacker.com:${port}/`, post);
  assert.ok(answer.ok && answer.status === 200);
  assert.deepEqual([asked, receiver.received[0]?.headers.host], [['rebind.attacker.com'], `rebind.attacker.com:${port}`]);
});
