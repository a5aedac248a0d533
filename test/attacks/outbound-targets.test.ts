/** Targets in our own network, given to the outbound client. A listener on loopback must never be reached. */
import assert from 'node:assert/strict';
import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { connect } from 'node:net';
import { after, before, test } from 'node:test';
import { createOutboundClient, type OutboundPost } from '../../packages/server/src/platform/outbound/outbound-client.ts';
import { checkPublicUrl, type ResolveHost } from '../../packages/server/src/platform/outbound/public-url.ts';
import { attackersZone, CANARY_PORT, type Canary, ELSEWHERE_INSIDE, openCanary, THIS_MACHINE } from '../harness/hostile-targets.ts';
import { openReceiver, withJson } from '../harness/receiver.ts';

const PORT = CANARY_PORT;
const post: OutboundPost = { headers: {}, body: '{}', timeoutMs: 2_000, maxResponseBytes: 1_000 };

let canary: Canary;
before(async () => {
  canary = await openCanary();
});
after(() => canary.close());

const resolve: ResolveHost = async (host) => attackersZone[host] ?? [];

const client = createOutboundClient({ allowHosts: [], resolve });

async function kindOf(url: string): Promise<string> {
  const answer = await client.post(url, post);
  return answer.ok ? `answered ${answer.status}` : answer.kind;
}

async function requireRefused(urls: readonly string[]): Promise<void> {
  const before = canary.reached();
  for (const url of urls) assert.equal(await kindOf(url), 'refused', url);
  assert.equal(canary.reached(), before, 'the listener was reached');
}

test('an ordinary client reaches the canary listener', async () => {
  const before = canary.reached();
  for (const host of ['127.0.0.1', '0.0.0.0', (await lookup('localhost', 4)).address]) {
    const socket = connect({ host, port: PORT });
    await once(socket, 'close');
  }
  assert.equal(canary.reached(), before + 3);
});

test('W01, W02, W03: every spelling of this machine is refused as an outbound target', async () => {
  await requireRefused(THIS_MACHINE.map((host) => `https://${host}:${PORT}/hook`));
});

test('W01, W03, W04: private, reserved and embedded addresses and internal names are refused as outbound targets', async () => {
  await requireRefused(ELSEWHERE_INSIDE.map((host) => `https://${host}:${PORT}/hook`));
});

test('W04: a public name with any private address in its DNS answer is refused as an outbound target', async () => {
  await requireRefused(Object.keys(attackersZone).map((host) => `https://${host}:${PORT}/`));
  assert.equal(await kindOf(`https://unknown.attacker.com:${PORT}/`), 'dns');
});

test('W07: another scheme or port, credentials, a fragment or an overlong address is refused as an outbound target', async () => {
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

test('W05: a target name that was public when set and is private when called is refused', async () => {
  const answers = [['93.184.216.34'], ['127.0.0.1']];
  const rebinding: ResolveHost = async () => answers.shift() ?? [];
  const url = `https://rebind.attacker.com:${PORT}/hook`;
  assert.equal((await checkPublicUrl(url, { allowHosts: [], resolve: rebinding })).ok, true);
  const before = canary.reached();
  const answer = await createOutboundClient({ allowHosts: [], resolve: rebinding }).post(url, post);
  assert.equal(answer.ok ? 'answered' : answer.kind, 'refused');
  assert.equal(canary.reached(), before);
});

test('W05: the outbound connection goes to the checked address, without a second DNS query', async (t) => {
  const receiver = await openReceiver(withJson(200, {}));
  t.after(receiver.close);
  const { port } = new URL(receiver.url);
  const asked: string[] = [];
  const flipping: ResolveHost = async (host) => {
    asked.push(host);
    return asked.length === 1 ? ['127.0.0.1'] : ['127.0.0.2'];
  };
  // Only this stub resolves the name: without the checked address there is no target.
  const pinned = createOutboundClient({ allowHosts: ['rebind.attacker.com'], resolve: flipping });
  const answer = await pinned.post(`http://rebind.attacker.com:${port}/`, post);
  assert.ok(answer.ok && answer.status === 200);
  assert.deepEqual([asked, receiver.received[0]?.headers.host], [['rebind.attacker.com'], `rebind.attacker.com:${port}`]);
});
