import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { isPublicAddress } from './address-guard.ts';

/** First and last address of every refused IPv4 block, and the adjacent public addresses. */
const ipv4Blocks: readonly { first: string; last: string; before?: string; after?: string }[] = [
  { first: '0.0.0.0', last: '0.255.255.255', after: '1.0.0.0' },
  { first: '10.0.0.0', last: '10.255.255.255', before: '9.255.255.255', after: '11.0.0.0' },
  { first: '100.64.0.0', last: '100.127.255.255', before: '100.63.255.255', after: '100.128.0.0' },
  { first: '127.0.0.0', last: '127.255.255.255', before: '126.255.255.255', after: '128.0.0.0' },
  { first: '168.63.129.16', last: '168.63.129.16', before: '168.63.129.15', after: '168.63.129.17' },
  { first: '169.254.0.0', last: '169.254.255.255', before: '169.253.255.255', after: '169.255.0.0' },
  { first: '172.16.0.0', last: '172.31.255.255', before: '172.15.255.255', after: '172.32.0.0' },
  { first: '192.0.0.0', last: '192.0.0.255', before: '191.255.255.255', after: '192.0.1.0' },
  { first: '192.0.2.0', last: '192.0.2.255', before: '192.0.1.255', after: '192.0.3.0' },
  { first: '192.31.196.0', last: '192.31.196.255', before: '192.31.195.255', after: '192.31.197.0' },
  { first: '192.52.193.0', last: '192.52.193.255', before: '192.52.192.255', after: '192.52.194.0' },
  { first: '192.88.99.0', last: '192.88.99.255', before: '192.88.98.255', after: '192.88.100.0' },
  { first: '192.168.0.0', last: '192.168.255.255', before: '192.167.255.255', after: '192.169.0.0' },
  { first: '192.175.48.0', last: '192.175.48.255', before: '192.175.47.255', after: '192.175.49.0' },
  { first: '198.18.0.0', last: '198.19.255.255', before: '198.17.255.255', after: '198.20.0.0' },
  { first: '198.51.100.0', last: '198.51.100.255', before: '198.51.99.255', after: '198.51.101.0' },
  { first: '203.0.113.0', last: '203.0.113.255', before: '203.0.112.255', after: '203.0.114.0' },
  { first: '224.0.0.0', last: '255.255.255.255', before: '223.255.255.255' },
];

const ipv6Blocks: typeof ipv4Blocks = [
  { first: '::', last: '1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', after: '2000::' },
  { first: '2001::', last: '2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff', before: '2000:ffff:ffff:ffff::', after: '2001:200::' },
  { first: '2001:db8::', last: '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff', before: '2001:db7:ffff::', after: '2001:db9::' },
  { first: '2002::', last: '2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff', before: '2001:ffff:ffff::', after: '2003::' },
  { first: '2620:4f:8000::', last: '2620:4f:8000:ffff:ffff:ffff:ffff:ffff', before: '2620:4f:7fff:ffff::', after: '2620:4f:8001::' },
  { first: '3fff::', last: '3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff', before: '3ffe:ffff::', after: '3fff:1000::' },
  { first: '4000::', last: 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', before: '3fff:ffff:ffff:ffff::' },
];

describe('special-purpose ranges', () => {
  for (const { first, last, before, after } of [...ipv4Blocks, ...ipv6Blocks]) {
    test(`${first} to ${last} is refused, the adjacent public addresses are not`, () => {
      assert.equal(isPublicAddress(first), false);
      assert.equal(isPublicAddress(last), false);
      if (before !== undefined) assert.equal(isPublicAddress(before), true, before);
      if (after !== undefined) assert.equal(isPublicAddress(after), true, after);
    });
  }

  test('exactly the addresses outside the listed IPv4 blocks are public', () => {
    const bounds = ipv4Blocks.map(({ first, last }) => [toNumber(first), toNumber(last)] as const);
    fc.assert(
      fc.property(fc.nat(0xffff_ffff), (value) => {
        const listed = bounds.some(([first, last]) => value >= first && value <= last);
        assert.equal(isPublicAddress(toDotted(value)), !listed);
      }),
      { numRuns: 2000 },
    );
  });
});

describe('addresses that hide IPv4 or a scope', () => {
  const hidden = [
    '::1',
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '::ffff:8.8.8.8', // mapped: refused although the inner address is public
    '0:0:0:0:0:ffff:0808:0808',
    '::FFFF:0a00:0001',
    '::7f00:1', // compatible
    '::127.0.0.1',
    '::ffff:0:127.0.0.1', // translated
    '64:ff9b::7f00:1', // NAT64
    '64:ff9b::8.8.8.8',
    '64:ff9b:1::7f00:1', // local NAT64
    '64:ff9b:1:ffff:ffff:ffff:ffff:ffff',
    '100::1', // discard
    '2002:7f00:1::', // 6to4 of 127.0.0.1
    '2001:0:4136:e378:8000:63bf:80ff:fffe', // Teredo
    '2001:10::1', // ORCHID
    '2001:20::1', // ORCHIDv2
    '5f00::1', // segment routing
    'fc00::1',
    'fd00:ec2::254', // cloud metadata
    'fe80::1',
    'fe80::1%eth0',
    '2606:4700:4700::1111%1',
    'fec0::1', // site-local
    'ff02::1',
  ];
  for (const address of hidden) {
    test(`W03: ${address} is refused`, () => assert.equal(isPublicAddress(address), false));
  }
});

test('well-known public addresses are public', () => {
  for (const address of [
    '1.1.1.1',
    '8.8.8.8',
    '93.184.216.34',
    '172.15.0.1',
    '2606:4700:4700::1111',
    '2a00:1450:4001:81b::200e',
    '2001:4860:4860::8888',
  ]) {
    assert.equal(isPublicAddress(address), true, address);
  }
});

test('an address that is not a plain IP address is refused', () => {
  for (const text of [
    '',
    '127.1',
    '0177.0.0.1',
    '0x7f.0.0.1',
    '2130706433',
    '1.1.1.1 ',
    '1.1.1.1\n',
    '1.1.1.1/32',
    '[2606:4700::1]',
    'one.one.one.one',
    '1.1.1',
    '1.1.1.1.1',
    '１.1.1.1',
    '1.1.1.1\0',
    'a'.repeat(1_000_000),
  ]) {
    assert.equal(isPublicAddress(text), false, text.slice(0, 40));
  }
});

function toNumber(dotted: string): number {
  return dotted.split('.').reduce((value, byte) => value * 256 + Number(byte), 0);
}

function toDotted(value: number): string {
  return [24, 16, 8, 0].map((shift) => (value >>> shift) & 255).join('.');
}
