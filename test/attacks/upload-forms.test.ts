/** Upload forms that are malformed, endless, of a wrong length or with too many parts, and clients that disconnect. */
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createSpool } from '../../packages/server/src/platform/storage/spool.ts';
import { registerAgent } from '../harness/agents.ts';
import { upload } from '../harness/files.ts';
import { openMarket, type TestMarket } from '../harness/market.ts';
import { exchangeBytes, sendRaw } from '../harness/raw-http.ts';
import { faultsOfRefusal } from '../harness/refusal.ts';

const MIB = 1024 * 1024;

let dataDir: string;
let market: TestMarket;
let key: string;
before(async () => {
  dataDir = await mkdtemp(path.join(tmpdir(), 'market-'));
  market = await openMarket({ DATA_DIR: dataDir, JOBS: 'off' });
  ({ key } = await registerAgent(market.url));
});
after(async () => {
  await market.close();
  await rm(dataDir, { recursive: true, force: true });
});

async function storedFiles(): Promise<string[]> {
  const entries = await readdir(path.join(dataDir, 'uploads'), { recursive: true, withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isFile() && !entry.name.endsWith('-preview')).map(({ name }) => name);
}

/** A form written byte by byte, with boundary `b`. */
function form(...parts: readonly (readonly [disposition: string, content: string | Buffer])[]): Buffer {
  const pieces = parts.flatMap(([disposition, content]) => [
    `--b\r\nContent-Disposition: form-data; ${disposition}\r\n\r\n`,
    content,
    '\r\n',
  ]);
  return Buffer.concat([...pieces, '--b--\r\n'].map((piece) => Buffer.from(piece as string)));
}

async function sendForm(body: Buffer, { type = 'multipart/form-data; boundary=b', headers = [] as [string, string][] } = {}) {
  return await sendRaw(market.url, {
    method: 'POST',
    path: '/api/upload',
    headers: [['Content-Type', type], ['Authorization', `Bearer ${key}`], ...headers],
    body,
  });
}

const aFile = ['name="file"; filename="a.txt"', 'Just words.'] as const;

test('U05: an upload form with anything but one file in its field is refused with the reason, and stores nothing', async () => {
  const kept = await storedFiles();
  const forms: [string, Buffer, string][] = [
    ['no part at all', form(), 'file_missing'],
    ['no file', form(['name="wallet"', 'x']), 'file_missing'],
    ['a file under another name', form(['name="files"; filename="a.txt"', 'x']), 'invalid_form'],
    ['a file without a field name', form(['filename="a.txt"', 'x']), 'invalid_form'],
    ['text where the file belongs', form(['name="file"', 'x']), 'invalid_form'],
    ['two files', form(aFile, aFile), 'invalid_form'],
    ['a field after the file', form(aFile, ['name="wallet"', 'x']), 'invalid_form'],
    ['a field twice', form(['name="wallet"', 'x'], ['name="wallet"', 'y'], aFile), 'invalid_form'],
    ['a field nobody reads', form(['name="visibility"', 'public'], aFile), 'invalid_input'],
    ['the prototype as a field', form(['name="__proto__"', 'x'], aFile), 'invalid_input'],
    ['a NUL in a field', form(['name="wallet"', 'a\0b'], aFile), 'invalid_encoding'],
    ['a field of 20 kB', form(['name="wallet"', 'x'.repeat(20_000)], aFile), 'invalid_form'],
    ['10,000 fields', form(...Array.from({ length: 10_000 }, (_, n) => [`name="f${n}"`, 'x'] as const), aFile), 'invalid_form'],
    ['10,000 files', form(...Array.from({ length: 10_000 }, () => aFile)), 'invalid_form'],
    ['no end', form(aFile).subarray(0, -8), 'invalid_form'],
    ['no form', Buffer.from('just words'), 'invalid_form'],
    ['an empty file', form(['name="file"; filename="a.txt"', '']), 'file_empty'],
  ];
  for (const [title, body, code] of forms) {
    const reply = await sendForm(body);
    assert.equal(reply.body['code'], code, `${title}: ${reply.text.slice(0, 300)}`);
    assert.deepEqual(faultsOfRefusal(reply), [], title);
  }
  const noBoundary = await sendForm(form(aFile), { type: 'multipart/form-data' });
  assert.equal(noBoundary.body['code'], 'invalid_form');
  assert.deepEqual(await storedFiles(), kept);
});

test('U05: an upload of 51 MB is refused with 413, with or without Content-Length, and an endless body is cut off', async () => {
  const kept = await storedFiles();
  const content = Buffer.alloc(51 * MIB, 'a');
  const announced = await upload(market.url, key, { content, name: 'a.txt' });
  assert.deepEqual([announced.status, announced.body['code']], [413, 'body_too_large']);
  assert.deepEqual(faultsOfRefusal(announced), []);

  const head = (fields: string) =>
    `POST /api/upload HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer ${key}\r\nContent-Type: multipart/form-data; boundary=b\r\n${fields}\r\n\r\n`;
  const chunk = Buffer.concat([Buffer.from('100000\r\n'), Buffer.alloc(MIB, 'a'), Buffer.from('\r\n')]);
  const opening = Buffer.from(form(aFile).toString().split('Just')[0] ?? '');
  const first = Buffer.concat([Buffer.from(`${opening.length.toString(16)}\r\n`), opening, Buffer.from('\r\n')]);
  const unannounced = Buffer.concat([
    Buffer.from(head('Transfer-Encoding: chunked')),
    first,
    ...Array.from({ length: 51 }, () => chunk),
    Buffer.from('0\r\n\r\n'),
  ]);
  assert.match((await exchangeBytes(market.url, unannounced)).toString(), /^HTTP\/1\.1 413 [\s\S]*"code":"body_too_large"/);

  const answer = await new Promise<string>((resolve) => {
    const { hostname, port } = new URL(market.url);
    const socket = connect({ host: hostname, port: Number(port) });
    let received = '';
    let sent = 0;
    const send = (): void => {
      while (!socket.destroyed && sent < 400 && socket.write(chunk)) sent += 1;
    };
    socket.on('data', (bytes) => {
      received += bytes.toString();
    });
    socket.on('error', () => undefined).on('drain', send);
    socket.on('close', () => resolve(`${sent < 400 ? 'cut off' : 'read to the end'} ${received}`));
    socket.write(Buffer.concat([Buffer.from(head('Transfer-Encoding: chunked')), first]));
    send();
  });
  assert.match(answer, /^cut off /);
  assert.deepEqual(await storedFiles(), kept);
});

test('U05: an upload with a wrong Content-Length, or from a client that disconnects, leaves no stored file', async () => {
  const kept = await storedFiles();
  const body = form(aFile);
  const short = await sendForm(body, { headers: [['Content-Length', String(body.length - 12)]] });
  assert.ok(['invalid_form', 'malformed_request'].includes(short.body['code']), short.text);

  const { hostname, port } = new URL(market.url);
  const socket = connect({ host: hostname, port: Number(port) });
  socket.on('error', () => undefined);
  socket.write(
    `POST /api/upload HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: ${20 * MIB}\r\n\r\n`,
  );
  socket.write(Buffer.concat([body.subarray(0, body.length - 20), Buffer.alloc(MIB, 'a')]));
  const began = async () => (await storedFiles()).length > kept.length;
  for (let n = 0; n < 100 && !(await began()); n++) await sleep(20);
  assert.ok(await began(), 'the file was on its way in');
  socket.destroy();
  for (let n = 0; n < 100 && (await began()); n++) await sleep(20);
  assert.deepEqual(await storedFiles(), kept);
});

test('the sweep removes old incomplete uploads and keeps recent ones', async () => {
  const incoming = path.join(dataDir, 'uploads', 'incoming');
  await mkdir(incoming, { recursive: true });
  await writeFile(path.join(incoming, 'fresh'), 'x');
  await writeFile(path.join(incoming, 'old'), 'x');
  await utimes(path.join(incoming, 'old'), 0, 0);
  await createSpool(incoming).sweep();
  assert.deepEqual(await readdir(incoming), ['fresh']);
  await rm(path.join(incoming, 'fresh'));
});
