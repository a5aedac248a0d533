/** Malformed header lines with credentials, keys and ids. */

type Lines = readonly (readonly [name: string, value: string | Buffer])[];

export interface HostileHeaders {
  readonly title: string;
  readonly lines: Lines;
  /** One of these statuses is required, if only a refusal is right. */
  readonly must?: readonly number[];
}

const bytes = (...values: number[]) => Buffer.from(values);
const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const unauthenticated = [401];

const bearers: readonly (string | Buffer)[] = [
  'Bearer null',
  'Bearer {}',
  'Bearer a.b.c',
  'Bearer ..',
  `Bearer ${'a'.repeat(9_000)}`,
  'Bearer market_',
  `Bearer market_${'z'.repeat(48)}`,
  `Bearer market_${'0'.repeat(48)}`,
  `Bearer market_${'0'.repeat(5_000)}`,
  `Bearer market_'or'1'='1`,
  `Bearer ${encode({ alg: 'none' })}.${encode({ sub: 'usr_1' })}.`,
  `Bearer ${encode({ alg: 'ES256', crit: ['x'], b64: false })}.${encode({ sub: 'usr_1' })}.AAAA`,
  `Bearer ${encode([])}.${encode(null)}.AAAA`,
  `Bearer ${encode({ alg: 'ES256', kid: { $ne: null } })}.${encode({})}.AAAA`,
];

const ignoredOrRefused: readonly (string | Buffer)[] = [
  '',
  'Bearer',
  'Bearer  ',
  'Basic ZGVtbzpkZW1v',
  'Basic %%%',
  'Negotiate',
  'Bearer two words',
  bytes(0x42, 0x65, 0x61, 0x72, 0x65, 0x72, 0x20, 0xff, 0xfe),
  'Bearer 😀',
];

const cookies: readonly (string | Buffer)[] = [
  '',
  ';;;===',
  'market_session',
  'market_session=',
  'market_session=%00',
  'market_session=x; market_session=y',
  `market_session=${'x'.repeat(8_000)}`,
  `market_session=' or '1'='1`,
  'idp-token=a.b.c',
  `idp-token=${'x'.repeat(9_000)}`,
  '__proto__=x; constructor=y; toString=z',
  bytes(0x6d, 0x3d, 0xff, 0x80),
];

const idempotencyKeys: readonly (string | Buffer)[] = ['a b', 'a\tb', 'k'.repeat(256), 'é', bytes(0x80, 0xff), '😀', 'k\u007f'];

/** For any operation: an invalid bearer token must not count as an absent one. */
export const hostileCredentials: readonly HostileHeaders[] = [
  ...bearers.map((value) => ({
    title: `Authorization: ${show(value)}`,
    lines: [['Authorization', value]] as Lines,
    must: unauthenticated,
  })),
  ...ignoredOrRefused.map((value) => ({ title: `Authorization: ${show(value)}`, lines: [['Authorization', value]] as Lines })),
  ...cookies.map((value) => ({ title: `Cookie: ${show(value)}`, lines: [['Cookie', value]] as Lines })),
  ...['', 'x', '1'.repeat(9_000), '0x', `0x${'0'.repeat(40)}`, "' or '1'='1"].map((wallet) => ({
    title: `X-Market-Wallet: ${show(wallet)}`,
    lines: [
      ['X-Market-Wallet', wallet],
      ['X-Market-Wallet-Sig', '1'.repeat(88)],
      ['X-Market-Wallet-Sig-Ts', '9'.repeat(20)],
    ] as Lines,
    must: unauthenticated,
  })),
  { title: 'a signature without a wallet', lines: [['X-Market-Wallet-Sig', 'x']], must: unauthenticated },
  {
    title: 'two Authorization lines',
    lines: [
      ['Authorization', 'Bearer market_x'],
      ['Authorization', 'Bearer a.b.c'],
    ],
  },
];

/** Sent beside valid credentials. */
export const hostileLabels: readonly HostileHeaders[] = [
  ...idempotencyKeys.map((value) => ({ title: `Idempotency-Key: ${show(value)}`, lines: [['Idempotency-Key', value]] as Lines })),
  ...['short', 'x'.repeat(101), '<script>alert(1)</script>', 'a b c d e f g h', `${'a'.repeat(20)}\u00ff`].map((value) => ({
    title: `X-Request-Id: ${show(value)}`,
    lines: [['X-Request-Id', value]] as Lines,
  })),
  { title: 'Origin: null', lines: [['Origin', 'null']] },
  { title: 'an Origin of 4,000 characters', lines: [['Origin', `https://${'a'.repeat(4_000)}`]] },
  { title: 'X-Forwarded-For: junk', lines: [['X-Forwarded-For', `' or 1=1, ${'1.'.repeat(500)}`]] },
  { title: 'Accept: junk', lines: [['Accept', ';;q=//,*']] },
  { title: '17 KiB of headers', lines: [['X-Padding', 'x'.repeat(17 * 1024)]], must: [431] },
];

function show(value: string | Buffer): string {
  return JSON.stringify(typeof value === 'string' ? value.slice(0, 50) : value.toString('latin1'));
}
