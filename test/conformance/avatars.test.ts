/** Uploaded avatars: public while a profile shows them, never swept while shown, and set only by those who may use the file. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { registerAgent, registerOwnedAgent, type TestAgent } from '../harness/agents.ts';
import { png, readFile, upload } from '../harness/files.ts';
import { call, expectCall, type Reply } from '../harness/http.ts';
import { openMarket, type TestMarket } from '../harness/market.ts';
import { asHeaders, signed, solanaWallet, type TestWallet, tokenFor } from '../harness/people.ts';

let market: TestMarket;
before(async () => {
  market = await openMarket();
});
after(() => market.close());

const PICTURE = { content: png(8, 8), name: 'face.png' };

/** Uploads a picture and returns its address. */
async function uploaded(
  who: { readonly key?: string; readonly wallet?: TestWallet },
  file = PICTURE as typeof PICTURE | { content: string },
) {
  const headers = who.wallet === undefined ? {} : asHeaders(await signed(who.wallet));
  const reply = await upload(market.url, who.key, file, { headers });
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
  return String(reply.body['data'].url);
}

const setAvatar = (agent: Pick<TestAgent, 'key'>, avatar_url: string | null): Promise<Reply> =>
  call(market.url, 'PATCH /api/agents/me', { key: agent.key, body: { avatar_url } });

async function requirePublic(url: string): Promise<void> {
  const { status, headers, bytes } = await readFile(url);
  assert.deepEqual([status, bytes.equals(PICTURE.content)], [200, true]);
  assert.match(headers.get('cache-control') ?? '', /^public/);
  assert.equal(headers.get('cross-origin-resource-policy'), 'cross-origin');
}

const requirePrivate = async (url: string) => assert.equal((await readFile(url)).status, 401);

test('an uploaded picture is public from the moment an agent shows it, until another replaces it', async () => {
  const agent = await registerAgent(market.url);
  const [first, second] = [await uploaded(agent), await uploaded(agent)];
  await requirePrivate(first);
  const reply = await setAvatar(agent, `${first}?grant=full.1.x`);
  assert.deepEqual([reply.status, reply.body['data'].avatar_url], [200, first], 'the address is kept without a grant');
  await requirePublic(first);
  assert.equal((await setAvatar(agent, second)).status, 200);
  await requirePublic(second);
  await requirePrivate(first);
  assert.equal((await setAvatar(agent, null)).status, 200);
  await requirePrivate(second);
});

test('a picture named at registration is public at once; when operators hide the agent, the picture is hidden', async () => {
  const token = await tokenFor(market.url, { email: 'faces@example.com' });
  const url = await uploaded({ key: token });
  const agent = await registerAgent(market.url, { avatar_url: url }, { key: token });
  await requirePublic(url);
  await market.database.pool.query(`update agents set moderation_status = 'spam' where id = $1`, [agent.id]);
  await requirePrivate(url);
});

test('an uploaded picture on the profile of an account or wallet is public', async () => {
  const token = await tokenFor(market.url, { email: 'profile-face@example.com' });
  await expectCall(market.url, 200, 'POST /api/auth/user', { key: token });
  await expectCall(market.url, 200, 'PUT /api/profile', { key: token, body: { bio: 'Shows a face.' } });
  const wallet = solanaWallet();
  const ways: [string, () => Promise<Reply>][] = [];
  const [byUser, byProfile, byWallet] = [await uploaded({ key: token }), await uploaded({ key: token }), await uploaded({ wallet })];
  ways.push([byUser, () => call(market.url, 'PATCH /api/auth/user', { key: token, body: { avatar_url: byUser } })]);
  ways.push([byProfile, () => call(market.url, 'PUT /api/profile', { key: token, body: { avatar_url: byProfile } })]);
  ways.push([byWallet, async () => call(market.url, 'PUT /api/profile', { body: { avatar_url: byWallet, ...(await signed(wallet)) } })]);
  for (const [url, show] of ways) {
    await requirePrivate(url);
    const reply = await show();
    assert.equal(reply.status, 200, JSON.stringify(reply.body));
    await requirePublic(url);
    assert.equal((await show()).status, 200, 'the same again');
  }
});

test('an agent shows pictures of its owner by its own key, but none attached to an order and none of another agent', async () => {
  const owner = solanaWallet();
  const agent = await registerOwnedAgent(market.url, owner);
  const url = await uploaded({ wallet: owner });
  assert.equal((await setAvatar(agent, url)).status, 200);
  await requirePublic(url);
  const sibling = await registerOwnedAgent(market.url, owner);
  assert.equal((await setAvatar(sibling, url)).status, 200, 'another agent of the owner shows the same picture');

  const inOrder = await uploaded({ wallet: owner });
  const id = inOrder.split('/').at(-1);
  await market.database.pool.query('update uploads set attached = true where id = $1', [id]);
  await market.database.pool.query(`insert into upload_attachments (upload_id, subject_id) values ($1, 'ord_1')`, [id]);
  const ofSibling = await uploaded(sibling);
  for (const foreign of [inOrder, ofSibling]) {
    const reply = await setAvatar(agent, foreign);
    assert.deepEqual([reply.status, reply.body['code']], [400, 'foreign_upload'], JSON.stringify(reply.body));
    await requirePrivate(foreign);
  }
});

test('V01: nobody makes the file of somebody else public, nor one that does not exist', async () => {
  const victim = await registerAgent(market.url);
  const secret = await uploaded(victim);
  const mallory = await registerAgent(market.url);
  const wallet = solanaWallet();
  const token = await tokenFor(market.url, { email: 'mallory-face@example.com' });
  await expectCall(market.url, 200, 'POST /api/auth/user', { key: token });
  const missing = secret.replace(/_\w{9}$/, '_000000000');
  for (const avatar_url of [secret, missing]) {
    const replies = [
      await setAvatar(mallory, avatar_url),
      await call(market.url, 'POST /api/agents/register', {
        body: { name: 'Borrowed Face', description: 'Shows a picture that is not its own.', avatar_url },
      }),
      await call(market.url, 'PATCH /api/auth/user', { key: token, body: { avatar_url } }),
      await call(market.url, 'PUT /api/profile', { body: { avatar_url, ...(await signed(wallet)) } }),
    ];
    for (const { status, body } of replies) assert.deepEqual([status, body['code']], [400, 'foreign_upload'], JSON.stringify(body));
  }
  await requirePrivate(secret);
});

test('an upload that is not a picture cannot be an avatar', async () => {
  const agent = await registerAgent(market.url);
  const text = await uploaded(agent, { content: 'just text' });
  const reply = await setAvatar(agent, text);
  assert.deepEqual([reply.status, reply.body['code']], [400, 'invalid_input'], JSON.stringify(reply.body));
  await requirePrivate(text);
});

test('a shown picture outlives the sweep of unused uploads, and cannot be deleted', async () => {
  const agent = await registerAgent(market.url);
  const [shown, loose] = [await uploaded(agent), await uploaded(agent)];
  assert.equal((await setAvatar(agent, shown)).status, 200);
  await market.database.pool.query(`update uploads set created_at = created_at - interval '30 days' where agent_id = $1`, [agent.id]);
  await expectCall(market.url, 200, 'POST /sandbox/clock', { body: { advance_seconds: 3600 } });
  for (let look = 0; look < 300 && (await readFile(loose, agent.key)).status !== 404; look++) await sleep(50);
  assert.equal((await readFile(loose, agent.key)).status, 404, 'the sweep ran');
  await requirePublic(shown);
  const id = shown.split('/').at(-1) ?? '';
  const removed = await call(market.url, `DELETE /api/upload/${id}`, { key: agent.key });
  assert.deepEqual([removed.status, removed.body['code']], [409, 'upload_in_use']);
});
