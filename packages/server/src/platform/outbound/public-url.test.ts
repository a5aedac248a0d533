import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { checkPublicUrl, pointsAtPrivateHost, type ResolveHost } from './public-url.ts';

const zone: Record<string, readonly string[]> = {
  'example.com': ['93.184.216.34', '2606:2800:220:1:248:1893:25c8:1946'],
  'xn--bcher-kva.de': ['93.184.216.34'],
  'hooks.agent_one.io': ['93.184.216.34'],
  'private.attacker.com': ['10.0.0.5'],
  'loopback.attacker.com': ['127.0.0.1'],
  'mixed.attacker.com': ['93.184.216.34', '192.168.1.10'],
  'mixed6.attacker.com': ['2606:2800:220:1::1', 'fd00::1'],
  'mapped.attacker.com': ['::ffff:7f00:1'],
  'metadata.attacker.com': ['169.254.169.254'],
  'nat64.attacker.com': ['64:ff9b::a00:1'],
  'scoped.attacker.com': ['fe80::1%eth0'],
  'nonsense.attacker.com': ['not an address'],
  'empty.attacker.com': [],
  'receiver.attacker.com': ['93.184.216.34'],
  'market.example.com': ['93.184.216.35'],
  localhost: ['127.0.0.1', '::1'],
  receiver: ['172.18.0.3'],
};

const resolve: ResolveHost = async (host) => {
  const answers = Object.hasOwn(zone, host) ? zone[host] : undefined;
  if (answers === undefined) throw Object.assign(new Error(`ENOTFOUND ${host}`), { code: 'ENOTFOUND' });
  return answers;
};

const options = { allowHosts: [], ownHosts: ['market.example.com', '93.184.216.99:8443'], resolve };

const hostile: Record<string, readonly string[]> = {
  private: [
    // every spelling of loopback
    'https://127.0.0.1/',
    'https://127.0.0.1./',
    'https://127.1/',
    'https://127.0.1/',
    'https://2130706433/',
    'https://0x7f000001/',
    'https://0x7f.1/',
    'https://0177.0.0.1/',
    'https://0177.0.0.0x1/',
    'https://017700000001/',
    'https://１２７.０.０.１/',
    'https://127。0。0。1/',
    'https://①②⑦.0.0.1/',
    'https://%31%32%37.0.0.1/',
    'https://127.0.0.1:8443/',
    'https://0/',
    'https://0.0.0.0/',
    'https:\\\\127.0.0.1\\',
    'https:127.0.0.1',
    // private and reserved
    'https://10.1.2.3/',
    'https://100.64.0.1/',
    'https://100.100.100.200/latest/meta-data',
    'https://168.63.129.16/',
    'https://169.254.169.254/latest/meta-data/',
    'https://0xA9FEA9FE/',
    'https://2852039166/',
    'https://172.16.0.1/',
    'https://172.31.255.255/',
    'https://192.0.0.192/',
    'https://192.168.0.1/',
    'https://198.18.0.1/',
    'https://224.0.0.1/',
    'https://255.255.255.255/',
    // IPv6
    'https://[::]/',
    'https://[::1]/',
    'https://[0:0:0:0:0:0:0:1]/',
    'https://[::ffff:127.0.0.1]/',
    'https://[::ffff:7f00:1]/',
    'https://[::ffff:8.8.8.8]/',
    'https://[::7f00:1]/',
    'https://[64:ff9b::7f00:1]/',
    'https://[64:ff9b:1::a00:1]/',
    'https://[2002:7f00:1::]/',
    'https://[2001:0:4136:e378:8000:63bf:80ff:fffe]/',
    'https://[fc00::1]/',
    'https://[fd00:ec2::254]/',
    'https://[fe80::1]/',
    'https://[fec0::1]/',
    'https://[ff02::1]/',
    'https://[2001:db8::1]/',
    // names that are not public
    'https://localhost/',
    'https://LOCALHOST/',
    'https://localhost./',
    'https://ｌocalhost/',
    'https://api.localhost/',
    'https://printer.local/',
    'https://metadata.google.internal/computeMetadata/v1/',
    'https://kubernetes.default.svc.cluster.local/',
    'https://router.home.arpa/',
    'https://1.0.0.127.in-addr.arpa/',
    'https://nowhere.invalid/',
    'https://a.test/',
    'https://shop.example/',
    'https://abcdefghijklmnop.onion/',
    'https://nas.lan/',
    'https://intranet/',
    'https://receiver/',
    'https://com./',
    // public names with private answers
    'https://private.attacker.com/',
    'https://loopback.attacker.com/',
    'https://loopback.attacker.com./',
    'https://mixed.attacker.com/',
    'https://mixed6.attacker.com/',
    'https://mapped.attacker.com/',
    'https://metadata.attacker.com/',
    'https://nat64.attacker.com/',
    'https://scoped.attacker.com/',
    'https://nonsense.attacker.com/',
  ],
  not_https: [
    'http://example.com/',
    'HTTP://example.com/',
    'ftp://example.com/',
    'file:///etc/passwd',
    'gopher://127.0.0.1:6379/_x',
    'javascript:alert(1)',
    'data:text/plain,x',
    'ws://example.com/',
    'http://127.0.0.1/',
    'https+unix://%2fvar%2frun%2fdocker.sock/',
  ],
  credentials: [
    'https://user@example.com/',
    'https://user:secret@example.com/',
    'https://:secret@example.com/',
    'https://example.com%40@127.0.0.1/',
  ],
  fragment: ['https://example.com/#part', 'https://example.com/#', 'https://127.0.0.1#@example.com/'],
  port: [
    'https://example.com:22/',
    'https://example.com:25/',
    'https://example.com:80/',
    'https://example.com:0/',
    'https://example.com:1023/',
    'https://example.com:8080/',
    'https://example.com:65535/',
    'https://127.0.0.1:9001/',
    'https://127.0.0.1:22/',
  ],
  own_host: [
    'https://market.example.com/',
    'https://MARKET.example.com./api',
    'https://market.example.com:8443/',
    'https://93.184.216.99:8443/',
  ],
  unresolved: ['https://missing.attacker.com/', 'https://empty.attacker.com/', 'https://constructor.com/'],
  malformed: [
    '',
    'https://',
    'https:///',
    'example.com',
    '//example.com/',
    'https://exa mple.com/',
    'https://example.com/a b',
    ' https://example.com/',
    'https://example.com/\n',
    'ht\ttps://example.com/',
    'https://exam\0ple.com/',
    'https://example.com:65536/',
    'https://example.com:x/',
    'https://example..com/',
    'https://example.com../',
    'https://.example.com/',
    'https://a*b.com/',
    "https://a'b.com/",
    'https://256.256.256.256/',
    'https://1.2.3.4.5/',
    'https://[::1/',
    'https://[fe80::1%25eth0]/',
    'https://[127.0.0.1]/',
    `https://${'a'.repeat(64)}.com/`,
    `https://${'a.'.repeat(127)}com/`,
    `https://example.com/${'a'.repeat(2040)}`,
    'a'.repeat(1_000_000),
  ],
};

describe('hostile targets', () => {
  for (const [reason, urls] of Object.entries(hostile)) {
    for (const url of urls) {
      test(`${JSON.stringify(url.slice(0, 80))} is refused as ${reason}`, async () => {
        const check = await checkPublicUrl(url, options);
        assert.ok(!check.ok);
        assert.equal(check.reason, reason);
        assert.match(check.message, /^[A-Z].+\.$/);
      });
    }
  }
});

describe('allowed targets', () => {
  const good: Record<string, readonly string[]> = {
    'https://example.com': ['93.184.216.34', '2606:2800:220:1:248:1893:25c8:1946'],
    'https://example.com/hook?agent=1': ['93.184.216.34', '2606:2800:220:1:248:1893:25c8:1946'],
    'https://EXAMPLE.com.:443/': ['93.184.216.34', '2606:2800:220:1:248:1893:25c8:1946'],
    'https://example.com:8443/': ['93.184.216.34', '2606:2800:220:1:248:1893:25c8:1946'],
    'https://bücher.de/': ['93.184.216.34'],
    'https://hooks.agent_one.io/': ['93.184.216.34'],
    'https://receiver.attacker.com/@path:80': ['93.184.216.34'],
    'https://1.1.1.1/': ['1.1.1.1'],
    'https://16843009/': ['1.1.1.1'],
    'https://93.184.216.99/': ['93.184.216.99'],
    'https://[2606:4700:4700::1111]:8443/': ['2606:4700:4700::1111'],
  };
  for (const [url, addresses] of Object.entries(good)) {
    test(`${url} is allowed with all its addresses`, async () => {
      assert.deepEqual(await checkPublicUrl(url, options), { ok: true, addresses });
    });
  }
});

describe('the development allow list', () => {
  const allow = (...allowHosts: string[]) => ({ ...options, allowHosts });

  test('a host on the development list may be private, by http and on any port', async () => {
    const passes: [string, string, string[]][] = [
      ['127.0.0.1', 'http://127.0.0.1:9000/hook', ['127.0.0.1']],
      ['127.0.0.1', 'http://127.1:80/', ['127.0.0.1']],
      ['127.0.0.1', 'https://127.0.0.1/', ['127.0.0.1']],
      ['LOCALHOST', 'http://localhost.:3000/', ['127.0.0.1', '::1']],
      ['receiver', 'http://receiver/', ['172.18.0.3']],
      ['127.0.0.1:9000', 'http://127.0.0.1:9000/', ['127.0.0.1']],
      ['127.0.0.1:80', 'http://127.0.0.1/', ['127.0.0.1']],
      ['::1', 'http://[::1]:9000/', ['::1']],
      ['[::1]', 'http://[::1]:9000/', ['::1']],
      ['[::1]:9000', 'http://[::1]:9000/', ['::1']],
      ['private.attacker.com', 'https://private.attacker.com/', ['10.0.0.5']],
    ];
    for (const [entry, url, addresses] of passes) assert.deepEqual(await checkPublicUrl(url, allow(entry)), { ok: true, addresses }, url);
  });

  test('a host on the development list allows no other host', async () => {
    const refused: [string, string, string][] = [
      ['127.0.0.1', 'http://127.0.0.2/', 'not_https'],
      ['127.0.0.1', 'https://127.0.0.2/', 'private'],
      ['127.0.0.1', 'https://loopback.attacker.com/', 'private'],
      ['localhost', 'https://api.localhost/', 'private'],
      ['127.0.0.1:9000', 'https://127.0.0.1:8443/', 'private'],
      ['127.0.0.1', 'http://127.0.0.1:9000/#part', 'fragment'],
      ['example.com', 'https://mixed.attacker.com/', 'private'],
      ['127.0.0.1', 'ftp://127.0.0.1/', 'not_https'],
      ['127.0.0.1', 'http://user@127.0.0.1/', 'credentials'],
      ['', 'https:///', 'malformed'],
    ];
    for (const [entry, url, reason] of refused) {
      const check = await checkPublicUrl(url, allow(entry));
      assert.equal(check.ok ? 'ok' : check.reason, reason, url);
    }
  });

  test('our own host is refused even on the development list', async () => {
    const check = await checkPublicUrl('http://127.0.0.1:4020/', { ...allow('127.0.0.1'), ownHosts: ['127.0.0.1:4020'] });
    assert.equal(check.ok ? 'ok' : check.reason, 'own_host');
  });
});

describe('resolving', () => {
  test('a literal address is never looked up, and a name is looked up once without its trailing dot', async () => {
    const asked: string[] = [];
    const counting: ResolveHost = async (host) => {
      asked.push(host);
      return ['93.184.216.34'];
    };
    await checkPublicUrl('https://1.1.1.1/', { allowHosts: [], resolve: counting });
    await checkPublicUrl('https://printer.local/', { allowHosts: [], resolve: counting });
    await checkPublicUrl('https://example.com./', { allowHosts: [], resolve: counting });
    assert.deepEqual(asked, ['example.com']);
  });

  test('a name server that never answers is timed out', async () => {
    const check = await checkPublicUrl('https://example.com/', {
      allowHosts: [],
      resolve: () => new Promise(() => {}),
      resolveTimeoutMs: 20,
    });
    assert.equal(check.ok ? 'ok' : check.reason, 'unresolved');
  });

  test('the default resolver is the system one', async () => {
    const check = await checkPublicUrl('http://localhost:9000/', { allowHosts: ['localhost'] });
    assert.ok(check.ok && check.addresses.some((address) => address === '127.0.0.1' || address === '::1'));
  });
});

describe('addresses that only browsers load', () => {
  test('a URL that only browsers load is private by its host under any scheme, without DNS', () => {
    const privateUrls = [
      'http://127.0.0.1/a.png',
      'https://0x7f.1/',
      'https://[::ffff:7f00:1]/',
      'http://localhost:3000/',
      'https://nas.lan/a',
      'http://intranet/',
      'https://[::1]/',
    ];
    for (const url of [...privateUrls, 'https://example..com/', 'not a url', ''])
      assert.equal(pointsAtPrivateHost(url, { allowHosts: [] }), true, url);
  });

  test('a URL of a public host, or of a listed one, is not private', () => {
    for (const url of [
      'http://example.com/a.png',
      'https://1.1.1.1/',
      'https://loopback.attacker.com/',
      'https://[2606:4700:4700::1111]/',
    ]) {
      assert.equal(pointsAtPrivateHost(url, { allowHosts: [] }), false, url);
    }
    assert.equal(pointsAtPrivateHost('http://127.0.0.1:9000/a.png', { allowHosts: ['127.0.0.1'] }), false);
  });
});
