/** Webhook addresses in our own network are refused when they are set. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { registerAgent } from '../harness/agents.ts';
import { call } from '../harness/http.ts';
import { openMarket, type TestMarket } from '../harness/market.ts';
import { agentBody } from '../harness/people.ts';

let market: TestMarket;
let key: string;
before(async () => {
  market = await openMarket({
    OUTBOUND_ALLOW: '127.0.0.1:9',
    BASE_URL: 'https://api.market-self.net',
    APP_URL: 'https://app.market-self.net:8443',
  });
  key = (await registerAgent(market.url)).key;
});
after(() => market.close());

async function refusalOf(url: string): Promise<string> {
  const reply = await call(market.url, 'PATCH /api/agents/me', { key, body: { endpoint_url: url } });
  return `${reply.status} ${reply.body['code'] ?? 'accepted'}`;
}

async function assertAllRefused(urls: readonly string[]): Promise<void> {
  for (const url of urls) assert.match(await refusalOf(url), /^400 (endpoint_not_public|invalid_input)$/, url);
  const { body } = await call(market.url, 'GET /api/agents/me', { key });
  assert.deepEqual([body['data'].endpoint_url, body['data'].webhook_secret], [null, null]);
}

const PRIVATE_IPV4 = [
  '0.0.0.0',
  '10.0.0.1',
  '10.255.255.255',
  '100.64.0.1',
  '127.0.0.1',
  '127.0.0.2',
  '127.255.255.254',
  '168.63.129.16',
  '169.254.169.254',
  '169.254.0.1',
  '172.16.0.1',
  '172.31.255.255',
  '192.0.0.1',
  '192.0.2.1',
  '192.88.99.1',
  '192.168.0.1',
  '192.168.255.255',
  '198.18.0.1',
  '198.51.100.1',
  '203.0.113.1',
  '224.0.0.1',
  '239.255.255.250',
  '240.0.0.1',
  '255.255.255.255',
];

test('W01, E07: a private, loopback, link-local, metadata, multicast or reserved address is refused as endpoint_url', async () => {
  await assertAllRefused(PRIVATE_IPV4.map((address) => `https://${address}/hook`));
});

test('W02: every alternative spelling of a private address is refused as endpoint_url', async () => {
  await assertAllRefused([
    'https://2130706433/',
    'https://0x7f000001/',
    'https://0177.0.0.1/',
    'https://0x7f.1/',
    'https://127.1/',
    'https://127.0.1/',
    'https://127.0.0.1./',
    'https://017700000001/',
    'https://１２７.０.０.１/',
    'https://①②⑦.⓪.⓪.①/',
    'https://127。0。0。1/',
    'https://0251.0376.0251.0376/',
    'https://2852039166/',
    'https://[::ffff:127.0.0.1]/',
    'https://%31%32%37.0.0.1/',
  ]);
});

test('W03: every IPv6 form of a private address is refused as endpoint_url', async () => {
  await assertAllRefused(
    [
      '::',
      '::1',
      '0:0:0:0:0:0:0:1',
      '::ffff:7f00:1',
      '::ffff:10.0.0.1',
      '::7f00:1',
      '::127.0.0.1',
      '64:ff9b::7f00:1',
      '64:ff9b:1::a00:1',
      '2002:7f00:1::',
      '2002:c0a8:1::1',
      '2001:0:7f00:1::',
      '2001:db8::1',
      'fc00::1',
      'fd12:3456:789a::1',
      'fe80::1',
      'fec0::1',
      'ff02::1',
      '100::1',
      '3fff::1',
      '5f00::1',
    ].map((address) => `https://[${address}]/hook`),
  );
  await assertAllRefused(['https://[fe80::1%25eth0]/', 'https://[::1%25lo]/', 'https://[::1', 'https://[::g]/']);
});

test('W04: a name of this machine or of a private network is refused as endpoint_url', async () => {
  await assertAllRefused([
    'https://localhost/',
    'https://LOCALHOST/',
    'https://localhost./',
    'https://sub.localhost/',
    'https://localhost.localdomain/',
    'https://metadata.google.internal/',
    'https://db.internal/',
    'https://printer.local/',
    'https://router.lan/',
    'https://nas.home/',
    'https://1.0.0.127.in-addr.arpa/',
    'https://service.test/',
    'https://service.example/',
    'https://service.invalid/',
    'https://hidden.onion/',
    'https://intranet/',
    'https://postgres/',
  ]);
});

test('W07: endpoint_url takes only plain https addresses, not our own, on ports without system services', async () => {
  await assertAllRefused([
    'http://hooks.elsewhere.com/',
    'ftp://hooks.elsewhere.com/',
    'file:///etc/passwd',
    'gopher://127.0.0.1:6379/_FLUSHALL',
    'javascript:alert(1)',
    'data:text/plain,x',
    '//hooks.elsewhere.com/',
    'hooks.elsewhere.com',
    'https://',
    'https:///hook',
    'https://user:password@hooks.elsewhere.com/',
    'https://user@hooks.elsewhere.com/',
    'https://hooks.elsewhere.com:22/',
    'https://hooks.elsewhere.com:25/',
    'https://hooks.elsewhere.com:80/',
    'https://hooks.elsewhere.com:0/',
    'https://hooks.elsewhere.com:99999/',
    `https://hooks.elsewhere.com/${'x'.repeat(2_048)}`,
    'https://api.market-self.net/api/agents/register',
    'https://API.MARKET-SELF.NET./',
    'https://app.market-self.net:8443/',
    'https://127.0.0.1#@hooks.elsewhere.com/',
    'https://127.0.0.1?@hooks.elsewhere.com/',
    ' https://127.0.0.1/',
    'https://127.0.0.1\t/',
  ]);
});

test('W07: an allowed host is allowed as endpoint_url on its port only, also at registration', async () => {
  await assertAllRefused([
    'http://127.0.0.1:10/hook',
    'https://127.0.0.1/',
    'http://localhost:9/',
    'http://127.0.0.2:9/',
    'http://user:x@127.0.0.1:9/',
  ]);
  for (const endpoint_url of ['https://169.254.169.254/', 'https://localhost/', 'http://127.0.0.1:10/']) {
    const reply = await call(market.url, 'POST /api/agents/register', { body: agentBody({ endpoint_url }) });
    assert.deepEqual([reply.status, reply.body['code']], [400, 'endpoint_not_public'], endpoint_url);
    assert.match(reply.body['error'], /run "market listen"\.$/, 'the way for a developer’s own machine');
  }
  assert.equal(await refusalOf('http://127.0.0.1:9/hook'), '200 accepted');
});
