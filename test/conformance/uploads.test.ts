/** Uploads: types by content, answers, read permissions, links, previews, and removal of unused files. */
import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { UploadId } from '@market/contract';
import { createFileLinks, createFileOpener, type FileGuard, uploadedFiles } from '../../packages/server/src/features/uploads/index.ts';
import { createSecretBox } from '../../packages/server/src/platform/secrets/secret-box.ts';
import { openStorage } from '../../packages/server/src/platform/storage/open-storage.ts';
import { createLogger } from '../../packages/server/src/platform/telemetry/logger.ts';
import { registerAgent, registerOwnedAgent, type TestAgent } from '../harness/agents.ts';
import { type FormFile, gif, isoVideo, jpegHeader, pdf, png, readFile, upload, webm, webpHeader, zip } from '../harness/files.ts';
import { call, expectCall } from '../harness/http.ts';
import { MASTER_KEY, openMarket, type TestMarket } from '../harness/market.ts';
import { asHeaders, baseWallet, signed, solanaWallet, tokenFor } from '../harness/people.ts';

let dataDir: string;
let market: TestMarket;
let agent: TestAgent;
before(async () => {
  dataDir = await mkdtemp(path.join(tmpdir(), 'market-'));
  market = await openMarket({ DATA_DIR: dataDir });
  agent = await registerAgent(market.url);
});
after(async () => {
  await market.close();
  await rm(dataDir, { recursive: true, force: true });
});

const realClock = { now: () => new Date(), realNow: () => new Date() };

/** The market's upload parts, built again to be called directly as other features do. */
function parts() {
  const links = createFileLinks({
    baseUrl: market.url,
    secrets: createSecretBox({ current: Buffer.from(MASTER_KEY, 'hex'), previous: [] }),
    clock: realClock,
  });
  const log = createLogger({ level: 'silent', pretty: false });
  const room = { bytes: 1024 ** 3, files: 1000 };
  const quotas = { agent: room, account: room };
  const context = { database: market.database, clock: realClock, log, links, quotas, ...openStorage(dataDir, undefined) };
  return { links, context, files: uploadedFiles(context) };
}

async function accept(file: FormFile, key = agent.key) {
  const reply = await upload(market.url, key, file);
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
  return reply.body['data'] as { url: string; upload_id: UploadId; media_type: string; content_type: string; sha256: string };
}

async function untilPreviewed(id: string): Promise<void> {
  for (const deadline = Date.now() + 20_000; Date.now() < deadline; await sleep(50)) {
    if ((await parts().files.describe([id])).get(id)?.hasPreview) return;
  }
  assert.fail('no preview was made in time');
}

const kinds: readonly [file: FormFile, contentType: string, mediaType: string][] = [
  [{ content: png(3, 2), type: 'image/png', name: 'a.png' }, 'image/png', 'image'],
  [{ content: jpegHeader(3, 2), type: 'image/jpg' }, 'image/jpeg', 'image'],
  [{ content: gif(3, 2), type: '' }, 'image/gif', 'image'],
  [{ content: webpHeader(3, 2), name: 'wrong.txt' }, 'image/webp', 'image'],
  [{ content: isoVideo('mp42'), type: 'video/mp4' }, 'video/mp4', 'video'],
  [{ content: isoVideo('qt  '), type: 'video/quicktime' }, 'video/quicktime', 'video'],
  [{ content: webm(), type: 'video/webm' }, 'video/webm', 'video'],
  [{ content: pdf, type: 'application/pdf' }, 'application/pdf', 'document'],
  [{ content: zip([{ name: 'src/main.rs' }]), type: 'application/x-zip-compressed' }, 'application/zip', 'document'],
  [{ content: 'Grüße', type: 'text/plain', name: 'a.txt' }, 'text/plain', 'text'],
  [{ content: '# Title', name: 'a.md', type: 'text/plain' }, 'text/markdown', 'text'],
  [{ content: '<h1 align="center">Title</h1>', name: 'README.md' }, 'text/markdown', 'text'],
  [{ content: 'a,b', type: 'text/csv' }, 'text/csv', 'text'],
  [{ content: '{}', name: 'a.json', type: 'application/json' }, 'application/json', 'code'],
  [{ content: '#!/usr/bin/env python3\nprint(1)', name: 'a.py' }, 'text/x-python', 'code'],
  [{ content: 'fn main() {}', name: 'main.rs' }, 'text/plain', 'text'],
];

test('E29: every accepted file type is detected by content, and read back byte by byte', async () => {
  for (const [file, contentType, mediaType] of kinds) {
    const data = await accept(file);
    assert.deepEqual([data.content_type, data.media_type], [contentType, mediaType], file.name);
    const { bytes } = await readFile(data.url, agent.key);
    assert.deepEqual(bytes, Buffer.from(file.content as string));
    const { rows } = await market.database.pool.query<{ state: string; sha256: string }>(
      'select state, sha256 from uploads where id = $1',
      [data.upload_id],
    );
    assert.deepEqual(rows, [{ state: 'ready', sha256: data.sha256 }]);
  }
});

test('a reference image is JPEG, PNG or WebP of at most 5 MiB', async () => {
  const path = '/api/orders/brief-images';
  for (const content of [png(2, 2), jpegHeader(2, 2), webpHeader(2, 2)])
    assert.equal((await upload(market.url, agent.key, { content }, { path })).status, 200);
  for (const content of [gif(2, 2), pdf, Buffer.from('words')]) {
    const { status, body } = await upload(market.url, agent.key, { content }, { path });
    assert.deepEqual([status, body['code']], [400, 'unsupported_file_type']);
  }
  const large = Buffer.concat([png(2, 2), Buffer.alloc(5 * 1024 * 1024)]);
  assert.equal((await upload(market.url, agent.key, { content: large }, { path })).status, 413);
});

test('an agent, a signed-in person and a wallet may upload; a signature may be in headers or in fields before the file', async () => {
  const wallet = solanaWallet();
  const other = baseWallet();
  const file: FormFile = { content: 'Mine.', name: 'a.txt' };
  const token = await tokenFor(market.url, { email: 'ines@example.com' });
  const byHeader = await upload(market.url, undefined, file, { headers: asHeaders(await signed(wallet)) });
  const byFields = await upload(market.url, undefined, file, { fields: await signed(other) });
  const byToken = await upload(market.url, undefined, file, { fields: { idp_access_token: token } });
  for (const reply of [byHeader, byFields, byToken]) assert.equal(reply.status, 200, JSON.stringify(reply.body));

  const read = async (reply: typeof byHeader, headers: Record<string, string>) =>
    (await readFile(reply.body['data'].url, undefined, headers)).status;
  assert.equal(await read(byHeader, asHeaders(await signed(wallet))), 200);
  assert.equal(await read(byFields, asHeaders(await signed(other))), 200);
  assert.equal(await read(byFields, asHeaders(await signed(wallet))), 404);
  assert.equal(await read(byToken, { authorization: `Bearer ${token}` }), 200);
  const admin = await tokenFor(market.url, { email: 'ops@example.com', admin: true });
  assert.equal(await read(byHeader, { authorization: `Bearer ${admin}` }), 200);

  const forged = await upload(market.url, undefined, file, { fields: { ...(await signed(wallet)), wallet: other.address } });
  assert.equal(forged.status, 401);
  const inAddress = await call(
    market.url,
    `POST /api/upload?${new URLSearchParams((await signed(wallet)) as unknown as Record<string, string>)}`,
  );
  assert.equal(inAddress.status, 401);
});

test('an upload as JSON or without a file is refused, after the credentials are checked', async () => {
  const json = await call(market.url, 'POST /api/upload', { key: agent.key, body: { file: 'x' } });
  assert.deepEqual([json.status, json.body['code']], [415, 'unsupported_media_type']);
  assert.match(json.body['error'], /multipart\/form-data/);
  const nothing = await call(market.url, 'POST /api/upload', { key: agent.key });
  assert.deepEqual([nothing.status, nothing.body['code']], [400, 'file_missing']);
  assert.equal((await call(market.url, 'POST /api/upload')).status, 401);
});

test('a repeated upload with the same key and file gets the same answer; the same key with another file is refused', async () => {
  const headers = { 'idempotency-key': 'upload-1' };
  const first = await upload(market.url, agent.key, { content: 'Once.', name: 'a.txt' }, { headers });
  const again = await upload(market.url, agent.key, { content: 'Once.', name: 'a.txt' }, { headers });
  assert.deepEqual(again.body, first.body);
  assert.equal(again.headers.get('idempotent-replayed'), 'true');
  const other = await upload(market.url, agent.key, { content: 'Twice.', name: 'a.txt' }, { headers });
  assert.deepEqual([other.status, other.body['code']], [422, 'idempotency_key_reused']);
});

test('a video is readable in ranges, from any offset, and never beyond its end', async () => {
  const content = isoVideo('isom', 10_000);
  const { url } = await accept({ content, type: 'video/mp4' });
  const ask = async (range: string) => {
    const { status, headers, bytes } = await readFile(url, agent.key, { range });
    return { status, range: headers.get('content-range'), length: Number(headers.get('content-length')), bytes };
  };
  const size = content.length;
  for (const [range, start, end] of [
    ['bytes=0-99', 0, 99],
    ['bytes=5000-', 5000, size - 1],
    ['bytes=-16', size - 16, size - 1],
    ['bytes=9999-99999999', 9999, size - 1],
    ['bytes=-99999999', 0, size - 1],
  ] as const) {
    assert.deepEqual(
      await ask(range),
      { status: 206, range: `bytes ${start}-${end}/${size}`, length: end - start + 1, bytes: content.subarray(start, end + 1) },
      range,
    );
  }
  for (const range of ['bytes=0-1,5-6', 'bytes=9-3', 'bytes=-', 'items=0-5', 'bytes=a-b'])
    assert.equal((await ask(range)).status, 200, range);
  for (const range of [`bytes=${size}-`, 'bytes=-0']) {
    const beyond = await ask(range);
    assert.deepEqual(
      [beyond.status, beyond.range, JSON.parse(beyond.bytes.toString()).code],
      [416, `bytes */${size}`, 'range_not_satisfiable'],
    );
  }
  const head = await fetch(url, { method: 'HEAD', headers: { authorization: `Bearer ${agent.key}` } });
  assert.deepEqual([head.status, head.headers.get('content-length'), head.headers.get('accept-ranges')], [200, String(size), 'bytes']);
});

test('a file link opens without credentials, for its file and access level only', async () => {
  const original = png(1000, 800);
  const [mine, other] = [await accept({ content: original, name: 'a.png' }), await accept({ content: 'x', name: 'b.txt' })];
  const { links } = parts();
  const link = links.grantFile(mine.upload_id, 'full');
  assert.deepEqual((await readFile(link)).bytes, original);
  const grant = new URL(link).searchParams.get('grant') ?? '';
  const spoilt = [
    link.replace(mine.upload_id, other.upload_id),
    links.grantFile(mine.upload_id, 'preview').replace('grant=preview', 'grant=full'),
    link.replace(/full\.(\d+)/, (_, seconds: string) => `full.${Number(seconds) + 1}`),
    `${mine.url}?grant=${grant}x`,
    `${mine.url}?grant=${grant}&grant=${grant}`,
    `${mine.url}?grant=`,
  ];
  for (const address of spoilt) assert.equal((await readFile(address)).status, 401, address);
});

test('a preview is small, marked and separate from the original; a placeholder replaces a missing one', async () => {
  const original = png(2000, 1000);
  const { upload_id: id } = await accept({ content: original, name: 'secret plan.png' });
  const link = parts().links.grantFile(id, 'preview');
  await untilPreviewed(id);
  const { status, headers, bytes } = await readFile(link);
  assert.deepEqual([status, headers.get('content-type'), headers.get('cache-control')], [200, 'image/webp', 'private, no-store']);
  assert.equal(headers.get('content-disposition'), `inline; filename="preview.webp"; filename*=UTF-8''preview.webp`);
  assert.deepEqual([bytes.toString('latin1', 0, 4), bytes.toString('latin1', 8, 12)], ['RIFF', 'WEBP']);

  const broken = await accept({ content: gif(100, 100), name: 'broken.gif' });
  const placeholder = await readFile(parts().links.grantFile(broken.upload_id, 'preview'));
  assert.deepEqual([placeholder.status, placeholder.headers.get('content-type')], [200, 'image/svg+xml; charset=utf-8']);
  assert.match(placeholder.headers.get('content-security-policy') ?? '', /^sandbox; default-src 'none'/);

  const document = await accept({ content: pdf, name: 'a.pdf' });
  const refused = await readFile(parts().links.grantFile(document.upload_id, 'preview'));
  assert.deepEqual([refused.status, JSON.parse(refused.bytes.toString()).code], [403, 'preview_only']);
});

test('only the uploader of a file, or the owner of the uploading agent, can attach it', async () => {
  const owner = solanaWallet();
  const owned = await registerOwnedAgent(market.url, owner);
  const mine = await accept({ content: 'x', name: 'a.txt' }, owned.key);
  const { files, links } = parts();
  const as = (caller: object) => ({ byCookieOnly: false, ...caller });
  const agentCaller = as({ agent: { id: owned.id } });
  const ownerCaller = as({ wallet: { address: owner.address } });
  const stranger = as({ agent: { id: agent.id }, wallet: { address: baseWallet().address }, user: { id: 'usr_1', wallets: [] } });
  const attach = async (by: object, urls: readonly string[], subjectId = 'ord_1') =>
    await market.database.transaction((tx) => files.attach(tx, urls, { by: by as never, subjectId }));

  const foreign = [
    'https://example.com/a.png',
    `${market.url}.evil.example/files/${mine.upload_id}`,
    `https://evil.example/?${mine.url}`,
    '',
    'javascript:alert(1)',
  ];
  assert.deepEqual(await attach(agentCaller, [...foreign, mine.url, links.grantFile(mine.upload_id, 'full')]), [
    ...foreign.map(() => null),
    mine.upload_id,
    mine.upload_id,
  ]);
  assert.deepEqual(await attach(ownerCaller, [mine.url], 'ord_2'), [mine.upload_id]);
  await assert.rejects(attach(stranger, [mine.url]), { code: 'foreign_upload' });
  await assert.rejects(attach(agentCaller, [`${market.url}/files/upl_1700000000000_aaaaaaaaa`]), { code: 'foreign_upload' });
  await assert.rejects(attach(agentCaller, [`${market.url}/files/../api/agents`.replace('/../', '/%2e%2e%2f')]), {
    code: 'foreign_upload',
  });
  await assert.rejects(attach(as({}), [mine.url]), { code: 'foreign_upload' });
});

test('the first guard that knows an attached file decides who may read it', async () => {
  const mine = await accept({ content: png(10, 10), name: 'a.png' });
  const { files, context } = parts();
  const buyer = { byCookieOnly: false, user: { id: 'usr_buyer', wallets: [] } } as never;
  const uploader = { byCookieOnly: false, agent: { id: agent.id } } as never;
  const open = async (guards: readonly FileGuard[]) =>
    await createFileOpener(context, guards)({ id: mine.upload_id, grant: undefined, caller: buyer });
  const asked: unknown[] = [];
  const guard =
    (verdict: Awaited<ReturnType<FileGuard>>): FileGuard =>
    async (_caller, file) => {
      asked.push(file);
      return verdict;
    };
  await assert.rejects(open([guard('full')]), { code: 'not_found' }, 'a file that is part of nothing has no guard');
  await market.database.transaction((tx) => files.attach(tx, [mine.url], { by: uploader, subjectId: 'ord_7' }));
  assert.deepEqual(asked, []);
  assert.equal((await open([guard(undefined), guard('full'), guard('no')]))?.contentType, 'image/png');
  assert.deepEqual(asked.at(-1), { id: mine.upload_id, mediaType: 'image', subjectIds: ['ord_7'] });
  await assert.rejects(open([guard('no'), guard('full')]), { code: 'not_found' });
  await assert.rejects(open([]), { code: 'not_found' });
  await untilPreviewed(mine.upload_id);
  assert.equal((await open([guard('preview')]))?.contentType, 'image/webp');
});

test('an unattached file is removed after 7 days with its bytes; an attached one stays', async () => {
  const [loose, kept, half] = [
    await accept({ content: png(4, 4) }),
    await accept({ content: 'kept', name: 'a.txt' }),
    await accept({ content: 'half', name: 'a.txt' }),
  ];
  await untilPreviewed(loose.upload_id);
  const { rows: places } = await market.database.pool.query<{ storage_key: string }>('select storage_key from uploads where id = $1', [
    loose.upload_id,
  ]);
  const bytesOfLoose = async () => {
    const names = await readdir(path.join(dataDir, 'uploads', 'files'), { recursive: true });
    return names.filter((name) => name.includes(places[0]?.storage_key ?? '')).length;
  };
  assert.equal(await bytesOfLoose(), 2);
  const uploader = { byCookieOnly: false, agent: { id: agent.id } } as never;
  await market.database.transaction((tx) => parts().files.attach(tx, [kept.url], { by: uploader, subjectId: 'ord_9' }));
  await market.database.pool.query(`update uploads set created_at = created_at - interval '6 days 23 hours' where id = any($1)`, [
    [loose.upload_id, kept.upload_id],
  ]);
  // The state left by a process that died before storing the whole file.
  await market.database.pool.query(`update uploads set state = 'storing', created_at = created_at - interval '59 minutes' where id = $1`, [
    half.upload_id,
  ]);
  await expectCall(market.url, 200, 'POST /sandbox/clock', { body: { advance_seconds: 2 * 3600 } });
  for (const deadline = Date.now() + 15_000; Date.now() < deadline; await sleep(50)) {
    const { rows } = await market.database.pool.query<{ id: string }>('select id from uploads where id = any($1)', [
      [loose.upload_id, kept.upload_id, half.upload_id],
    ]);
    if (rows.length === 1) break;
  }
  assert.equal((await readFile(loose.url, agent.key)).status, 404);
  assert.equal((await readFile(half.url, agent.key)).status, 404);
  assert.equal(await bytesOfLoose(), 0);
  assert.equal((await readFile(kept.url, agent.key)).bytes.toString(), 'kept');
});
