/** Values, names, addresses and bodies that have broken services before, all in their encoding on the wire. */

const quoted = (text: string) => JSON.stringify(text);

const injections = [
  `'; drop table agents; --`,
  `' or '1'='1`,
  `\\'; select pg_sleep(9); --`,
  `<script>alert(1)</script>`,
  `"><img src=x onerror=alert(1)>`,
  `javascript:alert(1)`,
  '${7*7}{{7*7}}<%= 7*7 %>',
  `../../../../etc/passwd`,
  `line\r\nSet-Cookie: stolen=1`,
  `__proto__`,
  `constructor`,
  `NaN`,
  `Infinity`,
  `1e3`,
  `2026-02-30T00:00:00.000Z`,
  `%00%ff`,
  `\u202eevil\u2066\u200b`,
  `${'a'.repeat(39)}😀`,
  `${'e\u0301'.repeat(200)}`,
] as const;

/** JSON source texts, because some have no JavaScript value. */
export const hostileValues: readonly string[] = [
  'null',
  'true',
  '0',
  '-0',
  '-1',
  '1.5',
  '1e400',
  '9007199254740993',
  '""',
  '" "',
  '"\\u0000"',
  '"\\ud800"',
  '[]',
  '[null]',
  '[[]]',
  '["a","b"]',
  '{}',
  '{"$ne":null}',
  '{"length":1000000000}',
  '{"toString":"x","valueOf":1}',
  '{"constructor":{"prototype":{"polluted":true}}}',
  '{"__proto__":{"polluted":true}}',
  quoted('1'.repeat(60_000)),
  quoted('😀'.repeat(30_000)),
  ...injections.map(quoted),
];

/** A shorter list for fields that every operation shares. */
export const hostileCredentialValues: readonly string[] = [
  'null',
  '1e400',
  '"\\ud800"',
  '["a"]',
  '{"__proto__":{"polluted":true}}',
  quoted(`' or '1'='1`),
  quoted('1'.repeat(60_000)),
];

export const hostileNames: readonly string[] = [
  `'; drop table agents; --`,
  `<script>alert(1)</script>`,
  'line\r\nSet-Cookie: stolen=1',
  '__proto__',
  'constructor',
  'toString',
  `${'a'.repeat(39)}😀`,
  `${'a'.repeat(59)}😀`,
  'a'.repeat(10_000),
  'a[b][c]',
  'a[]',
  '',
  ' ',
  'admin',
  'owner_user_id',
];

/** Query text behind a field's name. */
export const hostileQueryForms: readonly string[] = [
  '',
  '=',
  '=a&%NAME%=b',
  '[]=a',
  '[a]=b',
  '.a=b',
  '=%',
  '=%zz',
  '=%ff',
  '=%c0%af',
  '=%ED%A0%80',
  '=%00',
  '=%0d%0aSet-Cookie:%20stolen=1',
  '=+',
  '=%2500',
  `=${'a'.repeat(12_000)}`,
  '=a;%NAME%=b',
  '=1#fragment',
];

/** Values of a path parameter, as bytes of the request line. */
export const hostileSegments: readonly (string | Buffer)[] = [
  '..',
  '.',
  '%2e%2e',
  '%2e%2e%2f%2e%2e%2fetc%2fpasswd',
  '..%2f..%2fme',
  '%252e%252e',
  '..;',
  ';a=b',
  '%',
  '%z',
  '%zz',
  '%ff',
  '%c0%ae',
  '%ED%A0%80',
  '%00',
  'a%00b',
  '%0d%0aSet-Cookie:stolen=1',
  '%20',
  '*',
  '{id}',
  ':id',
  '__proto__',
  'constructor',
  'toString',
  "'%20or%20'1'='1",
  '%3Cscript%3Ealert(1)%3C%2Fscript%3E',
  '😀'.repeat(30),
  'x'.repeat(81),
  'x'.repeat(301),
  'x'.repeat(12_000),
  '%F0%9F%98%80'.repeat(20),
  Buffer.from([0xff, 0xfe]),
  Buffer.from([0xed, 0xa0, 0x80]),
  Buffer.from([0x80]),
];

export interface HostileBody {
  readonly title: string;
  readonly content: string | Buffer;
  readonly type?: string;
  /** One of these statuses is required; without it any sound answer is accepted. */
  readonly must?: readonly number[];
}

const refused = [400, 413, 415];

export const hostileBodies: readonly HostileBody[] = [
  { title: 'half an object', content: '{"name":', must: refused },
  { title: 'a trailing comma', content: '{"name":"x",}', must: refused },
  { title: 'single quotes', content: "{'name':'x'}", must: refused },
  { title: 'two values', content: '{}{}', must: refused },
  { title: 'a comment', content: '{/* x */}', must: refused },
  { title: 'NaN', content: '{"name":NaN}', must: refused },
  { title: 'white space', content: ' \r\n\t ', must: refused },
  { title: 'an array', content: '[]', must: refused },
  { title: 'a list of objects', content: '[{"name":"x"}]', must: refused },
  { title: 'a string', content: '"x"', must: refused },
  { title: 'a number', content: '1e400', must: refused },
  { title: 'true', content: 'true', must: refused },
  { title: 'null', content: 'null' },
  { title: 'nothing', content: '' },
  { title: '10,000 nested arrays', content: '['.repeat(10_000) + ']'.repeat(10_000), must: refused },
  { title: '10,000 nested objects', content: `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`, must: refused },
  { title: '10,000 brackets that never close', content: '['.repeat(10_000), must: refused },
  { title: 'a nested field', content: `{"name":${'['.repeat(5_000)}${']'.repeat(5_000)}}`, must: refused },
  {
    title: 'bytes that are not UTF-8',
    content: Buffer.concat([Buffer.from('{"name":"'), Buffer.from([0xff]), Buffer.from('"}')]),
    must: refused,
  },
  {
    title: 'an overlong encoding',
    content: Buffer.concat([Buffer.from('{"name":"'), Buffer.from([0xc0, 0xaf]), Buffer.from('"}')]),
    must: refused,
  },
  {
    title: 'an encoded surrogate',
    content: Buffer.concat([Buffer.from('{"name":"'), Buffer.from([0xed, 0xa0, 0x80]), Buffer.from('"}')]),
    must: refused,
  },
  { title: 'a cut-off character', content: Buffer.concat([Buffer.from('{"name":"'), Buffer.from([0xf0, 0x9f])]), must: refused },
  { title: 'UTF-16', content: Buffer.from('{"name":"x"}', 'utf16le'), must: refused },
  { title: 'a NUL byte', content: '{"name":"\0"}', must: refused },
  { title: '__proto__', content: '{"__proto__":{"polluted":true}}', must: refused },
  { title: 'constructor', content: '{"constructor":{"prototype":{"polluted":true}}}', must: refused },
  { title: '20,000 unknown fields', content: `{${Array.from({ length: 20_000 }, (_, n) => `"f${n}":0`).join(',')}}`, must: refused },
  { title: '1 MB of one string', content: `{"name":"${'x'.repeat(1 << 20)}"}`, must: [413] },
  { title: '1 MB of white space', content: ' '.repeat(1 << 20), must: [413] },
  { title: 'plain text', content: '{}', type: 'text/plain', must: [415] },
  { title: 'a form', content: 'name=x&description=y', type: 'application/x-www-form-urlencoded', must: [415] },
  { title: 'a multipart form', content: '--b\r\n\r\nx\r\n--b--\r\n', type: 'multipart/form-data; boundary=b', must: [415] },
  { title: 'XML', content: '<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>', type: 'application/xml', must: [415] },
  { title: 'a type that only begins like JSON', content: '{}', type: 'application/jsonx', must: [415] },
  { title: 'a type that is no type', content: '{}', type: ';;//', must: [400, 415] },
  { title: 'two types', content: '{}', type: 'text/plain, application/json', must: [400, 415] },
];
