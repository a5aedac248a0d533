/** Every file store must pass the same tests. */
import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import { after, before, describe, test } from 'node:test';
import { createLocalStorage } from './local-storage.ts';
import { createS3Storage } from './s3-storage.ts';
import { type S3TestServer, signatureOf, startS3TestServer } from './s3-test-server.ts';
import { createSpool, type Spool, SpoolLimitError } from './spool.ts';
import { FileMissingError, type FileStorage } from './storage.ts';

let folder: string;
let spool: Spool;
let s3: S3TestServer;
before(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'market-storage-'));
  spool = createSpool(path.join(folder, 'incoming'));
  s3 = await startS3TestServer();
});
after(async () => {
  await s3.close();
  await rm(folder, { recursive: true, force: true });
});

const KEY = '0123456789abcdef'.repeat(2);
const content = Buffer.from(Array.from({ length: 300_000 }, (_, n) => (n * 7) % 256));

const stores: readonly [name: string, open: () => FileStorage][] = [
  ['a local folder', () => createLocalStorage(path.join(folder, 'files'))],
  ['a store that speaks S3', () => createS3Storage(s3.options)],
];

for (const [name, open] of stores) {
  describe(name, () => {
    test('a file store returns the stored bytes, completely and in ranges', async () => {
      const storage = open();
      await storage.put(KEY, await spool.write([content], content.length));
      assert.deepEqual(await buffer(await storage.open(KEY)), content);
      assert.deepEqual(await buffer(await storage.open(KEY, { start: 1000, end: 1009 })), content.subarray(1000, 1010));
      assert.deepEqual(await buffer(await storage.open(KEY, { start: 0, end: 0 })), content.subarray(0, 1));
    });

    test('a file store replaces an object as a whole', async () => {
      const storage = open();
      await storage.put(KEY, await spool.write([Buffer.from('second')], 100));
      assert.equal((await buffer(await storage.open(KEY))).toString(), 'second');
    });

    test('a file store reports a missing object, and removes existing and missing ones', async () => {
      const storage = open();
      await storage.remove(KEY);
      await storage.remove(KEY);
      await assert.rejects(storage.open(KEY), FileMissingError);
      await assert.rejects(storage.open(KEY, { start: 0, end: 1 }), FileMissingError);
    });
  });
}

test('an invalid storage key never becomes a path', async () => {
  const storage = createLocalStorage(path.join(folder, 'files'));
  for (const key of ['../../etc/passwd', '', `${KEY}/..`, KEY.toUpperCase(), `${KEY}\0`])
    await assert.rejects(storage.open(key), TypeError);
});

test('the test store computes signatures like the published example', () => {
  const empty = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';
  const signature = signatureOf({
    method: 'GET',
    path: '/test.txt',
    headers: [
      ['host', 'examplebucket.s3.amazonaws.com'],
      ['range', 'bytes=0-9'],
      ['x-amz-content-sha256', empty],
      ['x-amz-date', '20130524T000000Z'],
    ],
    payload: empty,
    time: '20130524T000000Z',
    region: 'us-east-1',
    secretKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
  });
  assert.equal(signature, 'f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41');
});

test('a store refuses a wrong secret or damaged bytes, and the refusal is reported', async () => {
  const file = await spool.write([content], content.length);
  await assert.rejects(createS3Storage({ ...s3.options, secretKey: 'wrong' }).put(KEY, file), /answered 403 .*SignatureDoesNotMatch/);
  s3.damageNext();
  await assert.rejects(createS3Storage(s3.options).put(KEY, file), /answered 403 .*XAmzContentSHA256Mismatch/);
  assert.equal(s3.objects.has(KEY), false);
});

test('a request to a briefly busy store is retried; a store that stays busy is an error', async () => {
  const storage = createS3Storage(s3.options);
  const file = await spool.write([content], content.length);
  s3.failNext(503, 2);
  await storage.put(KEY, file);
  assert.deepEqual(s3.objects.get(KEY), content);
  s3.failNext(500, 10);
  await assert.rejects(storage.open(KEY), /answered 500/);
  s3.failNext(500, 0);
});

test('the spool accepts up to the limit, refuses one byte more, and leaves no file', async () => {
  const incoming = path.join(folder, 'limits');
  const small = createSpool(incoming);
  const file = await small.write([Buffer.from('abc'), Buffer.from('de')], 5);
  assert.deepEqual([file.sizeBytes, file.sha256], [5, '36bbe50ed96841d10443bcb670d6554f0a34b761be67ec9c4a8ad2c0c44ca42c']);
  await assert.rejects(small.write([Buffer.from('abc'), Buffer.from('def')], 5), SpoolLimitError);
  const failing = async function* () {
    yield Buffer.from('abc');
    throw new Error('gone');
  };
  await assert.rejects(small.write(failing(), 5), /gone/);
  await small.discard(file);
  await small.discard(file);
  assert.deepEqual(await readdir(incoming), []);
});
