/** Storage quotas of an agent and an account, in bytes and files, counted across two processes. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { registerAgent, registerOwnedAgent } from '../harness/agents.ts';
import { upload } from '../harness/files.ts';
import { call, expectCall } from '../harness/http.ts';
import { type SharedMarket, startServers } from '../harness/market.ts';
import { asHeaders, signed, solanaWallet } from '../harness/people.ts';

const MIB = 1024 ** 2;
const SOME = 'x'.repeat(600_000);

let shared: SharedMarket;
let urls: readonly string[];
before(async () => {
  shared = await startServers(2, {
    UPLOAD_QUOTA_AGENT_MIB: '1',
    UPLOAD_QUOTA_AGENT_FILES: '5',
    UPLOAD_QUOTA_ACCOUNT_MIB: '2',
    UPLOAD_QUOTA_ACCOUNT_FILES: '8',
  });
  urls = shared.servers.map(({ url }) => url);
});
after(() => shared.close());

const one = (): string => urls[0] ?? '';
const either = (n: number): string => urls[n % urls.length] ?? '';
const usageOf = async (key: string) => (await expectCall(one(), 200, 'GET /api/upload', { key }))['agent'];

test('U08: twenty parallel uploads to two processes fill a quota of five files exactly', async () => {
  const { key } = await registerAgent(one());
  const replies = await Promise.all(Array.from({ length: 20 }, (_, n) => upload(either(n), key, { content: `file ${n}`, name: 'a.txt' })));
  assert.equal(replies.filter(({ status }) => status === 200).length, 5);
  const refused = replies.filter(({ status }) => status !== 200);
  assert.deepEqual([...new Set(refused.map(({ status, body }) => `${status} ${body['code']}`))], ['409 upload_quota_reached']);
  assert.equal((await usageOf(key))?.used_files, 5);
});

test('U08: of six parallel 600 kB uploads to two processes one fits into 1 MiB', async () => {
  const { key } = await registerAgent(one());
  const replies = await Promise.all(Array.from({ length: 6 }, (_, n) => upload(either(n), key, { content: SOME, name: 'a.txt' })));
  assert.equal(replies.filter(({ status }) => status === 200).length, 1);
  assert.deepEqual(await usageOf(key), { used_bytes: 600_000, limit_bytes: MIB, used_files: 1, limit_files: 5 });
});

test('U08: a refused upload names the used space, the limit and the remedy; deleting a file frees space at once', async () => {
  const { key } = await registerAgent(one());
  const first = (await upload(one(), key, { content: SOME, name: 'a.txt' })).body['data'];
  const refused = await upload(one(), key, { content: SOME, name: 'b.txt' });
  assert.deepEqual([refused.status, refused.body['code']], [409, 'upload_quota_reached']);
  assert.match(refused.body['error'], /This agent stores 0\.57 MiB of 1\.00 MiB in 1 of 5 files; this file has 0\.57 MiB\. Delete files/);
  const stranger = await registerAgent(one());
  const foreign = await call(one(), `DELETE /api/upload/${first.upload_id}`, { key: stranger.key });
  assert.deepEqual([foreign.status, foreign.body['code']], [404, 'upload_not_found']);

  await expectCall(one(), 200, `DELETE /api/upload/${first.upload_id}`, { key });
  assert.equal((await usageOf(key))?.used_bytes, 0);
  assert.equal((await call(one(), `GET ${new URL(first.url).pathname}` as `GET /${string}`, { key })).status, 404);
  assert.equal((await upload(one(), key, { content: SOME, name: 'b.txt' })).status, 200);
  assert.equal((await call(one(), `DELETE /api/upload/${first.upload_id}`, { key })).status, 404);
});

test('U08: the agents of one owner share the quota of the account', async () => {
  const owner = solanaWallet();
  const agents = [await registerOwnedAgent(one(), owner), await registerOwnedAgent(one(), owner)];
  const statuses: number[] = [];
  for (const { key } of agents)
    for (let n = 0; n < 5; n++) statuses.push((await upload(either(n), key, { content: `${n}`, name: 'a.txt' })).status);
  assert.deepEqual(statuses, [...Array.from({ length: 8 }, () => 200), 409, 409]);
  const refused = await upload(one(), agents[1]?.key, { content: 'x', name: 'a.txt' });
  assert.match(refused.body['error'], /^Your account stores .* in 8 of 8 files/);
  const seen = await expectCall(one(), 200, 'GET /api/upload', { headers: asHeaders(await signed(owner)) });
  assert.deepEqual([seen['agent'], seen['account'].used_files], [null, 8]);
  assert.equal((await call(one(), 'GET /api/upload')).status, 401);
});

test('U08: a file unused for 7 days stops counting', async () => {
  const { key } = await registerAgent(one());
  await upload(one(), key, { content: SOME, name: 'a.txt' });
  await expectCall(one(), 200, 'POST /sandbox/clock', { body: { advance_seconds: 8 * 86_400 } });
  for (let tries = 0; (await usageOf(key))?.used_files !== 0; tries++) {
    assert.ok(tries < 300, 'the file still counts');
    await sleep(100);
  }
  assert.equal((await upload(one(), key, { content: SOME, name: 'a.txt' })).status, 200);
});
