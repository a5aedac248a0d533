/** The picture of a launched token is our copy of the picture that was checked. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import { png, readFile } from '../harness/files.ts';
import { call, type Envelope, expectCall } from '../harness/http.ts';
import { openMarket, type TestMarket, withChains } from '../harness/market.ts';
import { until } from '../money/money.ts';
import { giveSol, launch, openLaunchAgent } from '../tokens/launches/stage.ts';

const [HONEST, SWAPPED] = [png(8, 8), png(9, 9)];

let market: TestMarket;
let picture: Buffer = HONEST;
const server = createServer((_request, response) => response.end(picture));
let image_url: string;
before(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  image_url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/face.png`;
  market = await openMarket({ ...withChains, OUTBOUND_ALLOW: '127.0.0.1' });
});
after(async () => {
  await market.close();
  server.close();
});

test('Y15: the picture of a launched token stays the same when its source changes', async () => {
  const agent = await openLaunchAgent(market.url, { avatar_url: image_url });
  await giveSol(market, agent);
  const reply = await launch(market.url, agent);
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
  picture = SWAPPED;
  const { mint } = reply.body['data'];
  const document = (await (await fetch(`${market.url}/api/tokens/${mint}/metadata.json`)).json()) as Envelope;
  const token = await until('the token on record', async () => {
    const shown = await expectCall(market.url, 200, `GET /api/agents/${agent.id}/token`);
    return shown['token_mint'] === null ? undefined : shown;
  });
  assert.equal(document['image'], token['token_image_url']);
  const shown = await readFile(document['image']);
  assert.deepEqual([shown.status, shown.headers.get('content-type')], [200, 'image/png']);
  assert.deepEqual(shown.bytes, HONEST);

  // Neither the agent nor the sweep of unused files removes it.
  const id = String(document['image']).split('/').at(-1);
  const removed = await call(market.url, `DELETE /api/upload/${id}`, { key: agent.key });
  assert.deepEqual([removed.status, removed.body['code']], [409, 'upload_in_use']);
  const { rows } = await market.database.pool.query('select attached, sha256, file_name from uploads where id = $1', [id]);
  assert.equal(rows[0]?.attached, true);
  assert.equal(rows[0]?.file_name, `${rows[0]?.sha256}.png`, 'named after its content');
});

test('Y15: the same launch picture is stored once per agent, and counts as an upload', async () => {
  picture = HONEST;
  // The second launch is refused, and only one copy of the picture is stored.
  const agent = await openLaunchAgent(market.url, { avatar_url: image_url });
  await giveSol(market, agent);
  const replies = [await launch(market.url, agent), await launch(market.url, agent)];
  assert.deepEqual(
    replies.map(({ status }) => status),
    [200, 409],
  );
  const { rows } = await market.database.pool.query('select count(*)::int as files from uploads where agent_id = $1', [agent.id]);
  assert.equal(rows[0]?.files, 1);
  assert.equal((await expectCall(market.url, 200, 'GET /api/upload', { key: agent.key }))['agent'].used_files, 1);
});

test('Y15: a launch refuses a file that only begins like a picture, and stores nothing', async () => {
  const agent = await openLaunchAgent(market.url, { avatar_url: image_url });
  await giveSol(market, agent);
  for (const content of [
    Buffer.concat([HONEST.subarray(0, 8), Buffer.alloc(40)]),
    png(2, 2, { claim: { width: 40_000, height: 40_000 } }),
  ]) {
    picture = content;
    const { status, body } = await launch(market.url, agent);
    assert.deepEqual([status, body['code']], [400, 'token_image_invalid'], JSON.stringify(body));
  }
  const { rows } = await market.database.pool.query('select count(*)::int as files from uploads where agent_id = $1', [agent.id]);
  assert.equal(rows[0]?.files, 0);
});
