/** Uploads with an S3-compatible object store. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type S3TestServer, startS3TestServer } from '../../packages/server/src/platform/storage/s3-test-server.ts';
import { registerAgent } from '../harness/agents.ts';
import { isoVideo, png, readFile, upload } from '../harness/files.ts';
import { openMarket, type TestMarket } from '../harness/market.ts';
import { faultsOfRefusal } from '../harness/refusal.ts';

let store: S3TestServer;
let market: TestMarket;
let key: string;
before(async () => {
  store = await startS3TestServer();
  market = await openMarket({
    STORAGE_S3_ENDPOINT: store.options.endpoint,
    STORAGE_S3_BUCKET: store.options.bucket,
    STORAGE_S3_REGION: store.options.region,
    STORAGE_S3_ACCESS_KEY: store.options.accessKey,
    STORAGE_S3_SECRET_KEY: store.options.secretKey,
  });
  ({ key } = await registerAgent(market.url));
});
after(async () => {
  await market.close();
  await store.close();
});

test('uploaded files and their previews are written to and read from the object store, also in ranges', async () => {
  const content = isoVideo('isom', 5_000);
  const { url } = (await upload(market.url, key, { content })).body['data'];
  assert.deepEqual([...store.objects.values()], [content]);
  assert.deepEqual((await readFile(url, key)).bytes, content);
  assert.deepEqual((await readFile(url, key, { range: 'bytes=100-199' })).bytes, content.subarray(100, 200));
  await upload(market.url, key, { content: png(900, 900) });
  for (const deadline = Date.now() + 15_000; store.objects.size < 3 && Date.now() < deadline; )
    await new Promise((resolve) => setTimeout(resolve, 50));
  assert.deepEqual([...store.objects.keys()].filter((name) => name.endsWith('-preview')).length, 1);
});

test('while the object store is down an upload answers 503 and leaves no unreadable file', async () => {
  const before = store.objects.size;
  store.failNext(503, 20);
  const reply = await upload(market.url, key, { content: 'x', name: 'a.txt' });
  store.failNext(503, 0);
  assert.deepEqual([reply.status, reply.body['code'], reply.headers.get('retry-after')], [503, 'unavailable', '5']);
  assert.deepEqual(faultsOfRefusal(reply), []);
  assert.equal(store.objects.size, before);
  const { rows } = await market.database.pool.query(`select 1 from uploads where state = 'storing'`);
  assert.equal(rows.length, 1);

  const { url } = (await upload(market.url, key, { content: 'y', name: 'a.txt' })).body['data'];
  store.failNext(500, 20);
  const unread = await readFile(url, key);
  store.failNext(500, 0);
  assert.deepEqual([unread.status, JSON.parse(unread.bytes.toString()).code], [503, 'unavailable']);
  store.objects.clear();
  assert.equal((await readFile(url, key)).status, 404);
});
