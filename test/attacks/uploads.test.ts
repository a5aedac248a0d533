/** Malicious uploads: disguised files, too many files, and access to the files of others. */
import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { MOST_LOOSE_BYTES } from '../../packages/server/src/features/uploads/storage-quota.ts';
import { registerAgent } from '../harness/agents.ts';
import {
  type Bytes,
  type FormFile,
  gif,
  isoVideo,
  jpegHeader,
  pdf,
  png,
  readFile,
  type ServedFile,
  upload,
  webm,
  webpHeader,
  type ZipEntry,
  zip,
} from '../harness/files.ts';
import { openMarket, type TestMarket } from '../harness/market.ts';
import { tokenFor } from '../harness/people.ts';
import { faultsOfRefusal } from '../harness/refusal.ts';

const MIB = 1024 * 1024;

let dataDir: string;
let market: TestMarket;
let key: string;
before(async () => {
  dataDir = await mkdtemp(path.join(tmpdir(), 'market-'));
  market = await openMarket({ DATA_DIR: dataDir });
  ({ key } = await registerAgent(market.url));
});
after(async () => {
  await market.close();
  await rm(dataDir, { recursive: true, force: true });
});

async function refuse(file: FormFile, codes: readonly string[]): Promise<void> {
  const reply = await upload(market.url, key, file);
  const what = `${file.name} ${file.type}: ${JSON.stringify(reply.body)}`;
  assert.equal(reply.status, 400, what);
  assert.deepEqual(faultsOfRefusal(reply), [], what);
  assert.ok(codes.includes(reply.body['code']), what);
}

async function accept(file: FormFile): Promise<{ url: string; upload_id: string; content_type: string; file_name: string }> {
  const reply = await upload(market.url, key, file);
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
  return reply.body['data'];
}

/** Requires headers with which no browser runs the file, guesses another type, or gives it to another site. */
function assertInert({ status, headers }: ServedFile): void {
  assert.equal(status, 200);
  assert.equal(headers.get('x-content-type-options'), 'nosniff');
  assert.match(headers.get('content-security-policy') ?? '', /^sandbox; default-src 'none'; /);
  assert.doesNotMatch(headers.get('content-security-policy') ?? '', /allow-|script-src/);
  assert.equal(headers.get('cross-origin-resource-policy'), 'same-site');
  assert.equal(headers.get('referrer-policy'), 'no-referrer');
  assert.equal(headers.get('cache-control'), 'private, no-store');
  assert.match(
    headers.get('content-type') ?? '',
    /^(image\/(jpeg|png|webp|gif)|video\/(mp4|webm|quicktime)|application\/(pdf|zip)|text\/plain; charset=utf-8)$/,
  );
  const shownInPlace = /^(image|video)\//.test(headers.get('content-type') ?? '');
  assert.match(headers.get('content-disposition') ?? '', shownInPlace ? /^(inline|attachment); / : /^attachment; /);
}

async function storedFiles(): Promise<string[]> {
  const entries = await readdir(path.join(dataDir, 'uploads'), { recursive: true, withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isFile() && !entry.name.endsWith('-preview')).map(({ name }) => name);
}

const honest: Readonly<Record<string, Bytes>> = {
  'image/png': png(2, 2),
  'image/jpeg': jpegHeader(2, 2),
  'image/gif': gif(2, 2),
  'image/webp': webpHeader(2, 2),
  'video/mp4': isoVideo('isom'),
  'video/quicktime': isoVideo('qt  '),
  'video/webm': webm(),
  'application/pdf': pdf,
  'application/zip': zip([{ name: 'a.txt' }]),
  'text/plain': Buffer.from('Just words.'),
};

test('U01: content of one type declared as another is refused, for all 90 pairs', async () => {
  for (const declared of Object.keys(honest)) {
    for (const [actual, content] of Object.entries(honest)) {
      if (actual === declared) continue;
      await refuse({ content, type: declared, name: `x.${declared.split('/')[1]}` }, ['file_type_mismatch', 'unsupported_file_type']);
    }
  }
});

test('U01: markup declared as an image, and programs under any name, are refused', async () => {
  const programs: Bytes[] = [
    Buffer.from('MZ\x90\0\x03\0\0\0', 'latin1'),
    Buffer.from('\x7fELF\x02\x01\x01\0\0', 'latin1'),
    Buffer.from('\xca\xfe\xba\xbe\0\0\0\x34', 'latin1'),
    Buffer.from('\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\0', 'latin1'),
    Buffer.from('Rar!\x1a\x07\x01\0', 'latin1'),
    Buffer.from('\x1f\x8b\x08\0\0\0\0\0', 'latin1'),
    isoVideo('heic'),
    isoVideo('avif'),
    webm('matroska'),
    Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from('<html><script>alert(1)</script>', 'utf16le')]),
    Buffer.from([0xc3, 0x28, 0x41]),
    Buffer.from('text with\0a NUL'),
  ];
  for (const content of programs) for (const name of ['a.png', 'a.txt', 'a']) await refuse({ content, name }, ['unsupported_file_type']);
  for (const type of ['image/png', 'image/svg+xml', 'text/plain', 'application/pdf']) {
    await refuse({ content: '<script>alert(1)</script>', type, name: 'a.png' }, ['unsupported_file_type', 'file_type_mismatch']);
  }
});

const markup = [
  '<!DOCTYPE html><title>x</title>',
  '<html><body onload=alert(1)>',
  '<HTML>',
  '\ufeff<html>',
  ' \r\n\t\f <html>',
  '<!-- a --><!-- b -->\n<html>',
  `${' '.repeat(5000)}<html>`,
  `<!--${'x'.repeat(5000)}--><script>alert(1)</script>`,
  '<script src=//evil.example></script>',
  '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>',
  '<svg onload="alert(1)"/>',
  '<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"/>',
  '<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>',
  '<?xml-stylesheet href="javascript:alert(1)"?>',
  '<iframe srcdoc="&lt;script&gt;">',
  '<img src=x onerror=alert(1)>',
  '<a href="javascript:alert(1)">x</a>',
  '<x:script xmlns:x="http://www.w3.org/1999/xhtml">alert(1)</x:script>',
  '#!/bin/sh\nrm -rf /',
];

test('U02: HTML, SVG, XML and scripts are refused under any prefix, name and type', async () => {
  for (const content of markup)
    for (const name of ['page.txt', 'data.json', 'page']) await refuse({ content, name }, ['unsupported_file_type']);
  for (const content of markup.filter((text) => !/<(img|a|x:)/.test(text)))
    await refuse({ content, name: 'readme.md' }, ['unsupported_file_type']);
  for (const extension of ['html', 'htm', 'svg', 'xhtml', 'xml', 'js', 'mjs', 'hta', 'php', 'bat', 'HTML'])
    await refuse({ content: 'alert(1)', name: `a.${extension}` }, ['unsupported_file_type']);
  for (const type of ['text/html', 'image/svg+xml', 'text/javascript', 'application/xhtml+xml', 'text/html; charset=utf-8'])
    await refuse({ content: 'alert(1)', type, name: 'a.txt' }, ['unsupported_file_type']);
});

const SCRIPT = '<script>alert(document.domain)</script>';

test('U03: polyglot files are served as one type that cannot run', async () => {
  const polyglots: [string, FormFile][] = [
    ['image/gif', { content: gif(1, 1, `=1;${SCRIPT}/*`), name: 'a.js.html' }],
    ['image/png', { content: Buffer.concat([png(2, 2), Buffer.from(SCRIPT)]), name: 'a.html' }],
    ['image/jpeg', { content: Buffer.concat([jpegHeader(2, 2), Buffer.from(SCRIPT)]), name: 'a.svg' }],
    ['image/png', { content: Buffer.concat([png(2, 2), zip([{ name: 'a.txt' }])]), name: 'a.jar' }],
    ['application/pdf', { content: Buffer.concat([pdf, zip([{ name: 'a.txt' }])]), name: 'a.zip' }],
    ['application/zip', { content: zip([{ name: 'index.html', content: SCRIPT }], { comment: SCRIPT }), name: 'a.html' }],
    ['video/mp4', { content: Buffer.concat([isoVideo('isom'), Buffer.from(SCRIPT)]), name: 'a.htm' }],
    ['text/plain; charset=utf-8', { content: `alert(1) //${SCRIPT}`, name: 'a.txt' }],
    ['text/plain; charset=utf-8', { content: `<img src=x onerror=alert(1)>\n${SCRIPT}`, name: 'a.md' }],
    ['text/plain; charset=utf-8', { content: `{"a":"${SCRIPT}"}`, name: 'a.json' }],
    ['text/plain; charset=utf-8', { content: '+ADw-script+AD4-alert(1)+ADw-/script+AD4-', name: 'a.txt' }],
  ];
  for (const [type, file] of polyglots) {
    const { url } = await accept(file);
    const served = await readFile(url, key);
    assertInert(served);
    assert.equal(served.headers.get('content-type'), type, file.name);
    assert.equal(served.headers.get('access-control-allow-credentials'), null);
    assert.doesNotMatch(
      served.headers.get('content-disposition') ?? '',
      /\.(html?|svg|js|jar)"?;/,
      'the name would make it run on the reader’s machine',
    );
  }
});

const names = [
  '../../../../etc/passwd',
  '..\\..\\windows\\system32\\cmd.exe',
  '/etc/cron.d/evil',
  'C:\\autoexec.dat',
  'a\0b.txt',
  'photo\u202egnp.scr.dat',
  'x\r\nSet-Cookie: a=b.txt',
  '"; filename="evil.dat',
  "a'b%00c;d.txt",
  '.htaccess',
  'CON.txt',
  ' . . ',
  '<script>alert(1)</script>.txt',
  '文件\u200b名.txt',
  `${'ü'.repeat(4096)}.txt`,
];

test('U04: the name of an upload is shown cleaned, is safe in the download header, and is never used as a path', async () => {
  for (const name of names) {
    const file = await accept({ content: 'Just words.', name });
    assert.ok(file.file_name.length <= 200 && file.file_name !== '', name);
    assert.doesNotMatch(file.file_name, /[/\\<>:"|?*\p{C}]|^\.|^con\./iu, name);
    const served = await readFile(file.url, key);
    assertInert(served);
    assert.equal(served.headers.get('set-cookie'), null);
    const disposition = served.headers.get('content-disposition') ?? '';
    assert.match(disposition, /^attachment; filename="[\w .,()+-]+\.txt"; filename\*=UTF-8''[\w.%~-]+\.txt$/, name);
  }
  for (const name of await storedFiles()) assert.match(name, /^[0-9a-f]{32}$/);
});

test('U06: an existing and a missing file get the same refusal for everybody but the owner', async () => {
  const { url } = await accept({ content: 'Mine.', name: 'a.txt' });
  const stranger = await registerAgent(market.url);
  const token = await tokenFor(market.url, { email: 'curious@example.com' });
  const guesses = [
    url,
    url.replace(/.$/, (last) => (last === 'a' ? 'b' : 'a')),
    `${market.url}/files/upl_1700000000000_aaaaaaaaa`,
    `${market.url}/files/x`,
  ];
  for (const guess of guesses) {
    const anonymous = await readFile(guess);
    assert.equal(anonymous.status, 401, guess);
    for (const credential of [stranger.key, token]) {
      const { status, bytes } = await readFile(guess, credential);
      assert.equal(status, 404, guess);
      const { error, code } = JSON.parse(bytes.toString());
      assert.deepEqual([code, error], ['not_found', 'There is no such file, or it is not for you to see.']);
    }
  }
  for (const place of ['', '/', '/..%2f..%2fetc%2fpasswd', '/%2e%2e/keys', '/%00', `/${'a'.repeat(400)}`]) {
    const { status } = await readFile(`${market.url}/files${place}`, key);
    assert.ok([400, 404].includes(status), `${place}: ${status}`);
  }
  for (const method of ['PUT', 'POST', 'DELETE', 'PATCH'])
    assert.equal((await fetch(url, { method, headers: { authorization: `Bearer ${key}` } })).status, 404);
  assert.equal((await readFile(url, key)).bytes.toString(), 'Mine.');
});

test('U06: the same content uploaded twice makes two files with different addresses', async () => {
  const [first, second] = [await accept({ content: 'Twice.', name: 'a.txt' }), await accept({ content: 'Twice.', name: 'a.txt' })];
  assert.notEqual(first.upload_id, second.upload_id);
  const { rows } = await market.database.pool.query<{ storage_key: string }>('select storage_key from uploads where id = any($1)', [
    [first.upload_id, second.upload_id],
  ]);
  assert.equal(new Set(rows.map((row) => row.storage_key)).size, 2);
});

test('U07: an image that would decode to too many pixels is refused by its header', async () => {
  for (const [width, height] of [
    [60_000, 60_000],
    [16_385, 1],
    [1, 16_385],
    [10_000, 5_001],
  ] as const) {
    await refuse({ content: png(2, 2, { claim: { width, height } }), name: 'a.png' }, ['image_too_large']);
    await refuse({ content: gif(width, height), name: 'a.gif' }, ['image_too_large']);
    await refuse({ content: jpegHeader(width, height), name: 'a.jpg' }, ['image_too_large']);
    await refuse({ content: webpHeader(width, height), name: 'a.webp' }, ['image_too_large']);
  }
  await refuse({ content: png(2, 2, { claim: { width: 0, height: 5 } }), name: 'a.png' }, ['unsupported_file_type']);
  await refuse({ content: Buffer.from('\xff\xd8\xff\xe0\0\x10', 'latin1'), name: 'a.jpg' }, ['unsupported_file_type']);
});

test('U07: archives that expand too much, overlap, escape their folder or contain links are refused by their directory', async () => {
  const bomb = Buffer.alloc(20 * MIB);
  const archives: [string, Bytes][] = [
    ['more than 100 times its size', zip([{ name: 'zeros', content: bomb }])],
    ['more than 1 GiB', zip([{ name: 'a', says: { unpacked: 0xffff_fff0 } }])],
    ['more than 10000 files', zip(Array.from({ length: 10_001 }, (_, n): ZipEntry => ({ name: `f${n}` })))],
    [
      'overlap',
      zip([
        { name: 'a', content: 'x'.repeat(100) },
        { name: 'b', says: { offset: 0 } },
      ]),
    ],
    ['overlap', zip([{ name: 'a', says: { packed: 50_000 } }])],
    ['leads out', zip([{ name: '../../etc/passwd' }])],
    ['leads out', zip([{ name: '/etc/passwd' }])],
    ['leads out', zip([{ name: 'a\\..\\..\\b' }])],
    ['leads out', zip([{ name: 'C:\\evil.exe' }])],
    ['leads out', zip([{ name: 'a\0b' }])],
    ['symbolic link', zip([{ name: 'link', content: '/etc/passwd', says: { mode: 0o120777 } }])],
    ['damaged', zip([{ name: 'a' }], { count: 2 })],
    ['its end is missing', zip([{ name: 'a' }]).subarray(0, -1)],
    ['its end is missing', Buffer.concat([zip([{ name: 'a' }]), Buffer.from('x')])],
    ['not where it says', Buffer.concat([Buffer.from('PK\x03\x04'), zip([{ name: 'a' }])])],
    ['empty', zip([])],
  ];
  for (const [reason, content] of archives) {
    const reply = await upload(market.url, key, { content, name: 'a.zip' });
    assert.deepEqual([reply.status, reply.body['code']], [400, 'archive_refused'], `${reason}: ${JSON.stringify(reply.body)}`);
    assert.match(reply.body['error'], new RegExp(reason), reason);
  }
});

test('U08: strangers cannot upload, and a caller uploads at most 30 files an hour', async () => {
  const reply = await upload(market.url, undefined, { content: 'x', name: 'a.txt' });
  assert.equal(reply.status, 401);
  assert.deepEqual(faultsOfRefusal(reply), []);
  const limited = await openMarket({ RATE_LIMIT_SCALE: '1', JOBS: 'off' });
  try {
    const agent = await registerAgent(limited.url);
    const statuses: number[] = [];
    for (let n = 0; n < 32; n++) statuses.push((await upload(limited.url, agent.key, { content: `${n}`, name: 'a.txt' })).status);
    assert.deepEqual(statuses, [...Array.from({ length: 30 }, () => 200), 429, 429]);
  } finally {
    await limited.close();
  }
});

test('U08: unused files of one owner take at most 1 GiB', async () => {
  const hoarder = await registerAgent(market.url);
  const { upload_id: id } = (await upload(market.url, hoarder.key, { content: 'x', name: 'a.txt' })).body['data'];
  await market.database.pool.query('update uploads set size_bytes = $2 where id = $1', [id, MOST_LOOSE_BYTES - 5]);
  assert.equal((await upload(market.url, hoarder.key, { content: '12345', name: 'a.txt' })).status, 200);
  const refused = await upload(market.url, hoarder.key, { content: '1', name: 'a.txt' });
  assert.deepEqual([refused.status, refused.body['code']], [409, 'upload_quota_reached']);
  await market.database.pool.query('update uploads set attached = true where id = $1', [id]);
  assert.equal((await upload(market.url, hoarder.key, { content: '1', name: 'a.txt' })).status, 200);
});

test('another site cannot upload with the visitor’s cookie', async () => {
  const token = await tokenFor(market.url, { email: 'victim@example.com' });
  const cookie = { cookie: `idp-token=${token}` };
  const forged = await upload(
    market.url,
    undefined,
    { content: 'x', name: 'a.txt' },
    { headers: { ...cookie, origin: 'https://evil.example' } },
  );
  assert.deepEqual([forged.status, forged.body['code']], [403, 'cross_site_request']);
  assert.equal(
    (await upload(market.url, undefined, { content: 'x', name: 'a.txt' }, { headers: { ...cookie, origin: market.url } })).status,
    200,
  );
});
