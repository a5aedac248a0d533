/** R08: the workspace quota under parallel requests on two servers, with one killed between reservation and answer. */
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { pointsToDieAt } from '../faults/crash-points.ts';
import type { ServerProcess } from '../harness/market.ts';
import { advanceClock, type Buyer, openBuyer, openProvider, type Provider, readOrder } from '../harness/orders.ts';
import { openReceiver, type Receiver, withJson } from '../harness/receiver.ts';
import { isThorough, THOROUGH_ONLY } from '../harness/thoroughness.ts';
import { generate, generated, listRequests, openWorkspace, setEndpoint, WORKSPACE_CALL } from '../harness/workspaces.ts';
import { until } from '../money/money.ts';
import { openSharedMoney, type SharedMoney } from '../money/shared-money.ts';

const OUTBOUND = { OUTBOUND_ALLOW: '127.0.0.1' };

suite('the quota of a workspace', () => {
  let shared: SharedMoney;
  let servers: ServerProcess[];
  let urls: string[];
  let receiver: Receiver;
  let buyer: Buyer;
  let provider: Provider;
  before(async () => {
    shared = await openSharedMoney({ ownChains: true });
    servers = [await shared.startServer(OUTBOUND), await shared.startServer(OUTBOUND)];
    urls = servers.map(({ url }) => url);
    receiver = await openReceiver(withJson(200, { content: 'Done.' }), { only: WORKSPACE_CALL });
    buyer = await openBuyer(shared, 'base-mainnet');
    provider = await openProvider(first());
    await setEndpoint(first(), provider, receiver.url);
  });
  after(async () => {
    await shared.close();
    await receiver.close();
  });

  const first = (): string => urls[0] ?? '';

  test('R08: a workspace quota of five allows five answers and agent calls for sixty parallel requests on two servers', async () => {
    const order = await openWorkspace(first(), provider, buyer, { quota_limit: 5 });
    receiver.answer((response, received) => void setTimeout(() => withJson(200, { content: 'Done.' })(response, received), 50));
    const calls = receiver.received.length;
    const replies = await Promise.all(Array.from({ length: 60 }, (_, i) => generate(urls[i % 2] ?? '', order, buyer, `Number ${i}.`)));
    const codes = replies.map(({ status, body }) => (status === 200 ? body['data'].deliverable.status : `${status} ${body['code']}`));
    const count = (pattern: RegExp): number => codes.filter((code) => pattern.test(code)).length;
    assert.deepEqual([count(/^completed$/), count(/^400 (quota_exhausted|illegal_transition)$/)], [5, 55], JSON.stringify(codes));
    assert.equal(receiver.received.length, calls + 5);
    const { order: ended } = await readOrder(first(), order, buyer);
    assert.deepEqual([ended.status, ended.quota_used], ['delivered', 5]);
  });

  test('workspace quota is returned after every failed request, also in parallel', async () => {
    const order = await openWorkspace(first(), provider, buyer, { quota_limit: 5 });
    receiver.answer(withJson(500, {}));
    const replies = await Promise.all(Array.from({ length: 30 }, (_, i) => generate(urls[i % 2] ?? '', order, buyer)));
    for (const { status, body } of replies) assert.match(`${status} ${body['code']}`, /^(503 generation_failed|400 quota_exhausted)$/);
    assert.equal((await readOrder(first(), order, buyer)).order.quota_used, 0);
    receiver.answer(withJson(200, { content: 'Done.' }));
    for (let asked = 1; asked <= 5; asked++) assert.equal((await generated(first(), order, buyer))['quota_used'], asked);
  });

  for (const point of pointsToDieAt(['generate.after_reserve', 'generate.after_answer'], ['generate.after_answer'])) {
    test(`workspace quota is returned within two minutes when the process crashes at ${point}`, async () => {
      const order = await openWorkspace(first(), provider, buyer, { quota_limit: 1 });
      const doomed = await shared.startServer({ ...OUTBOUND, CRASH_AT: point });
      await assert.rejects(generate(doomed.url, order, buyer));
      await until('its death', async () => doomed.child.signalCode ?? undefined);
      assert.equal((await readOrder(first(), order, buyer)).order.quota_used, 1);
      assert.equal((await generate(first(), order, buyer)).body['code'], 'quota_exhausted');

      await advanceClock(first(), 120);
      await until('the timeout', async () => ((await readOrder(first(), order, buyer)).order.quota_used === 0 ? true : undefined));
      const [request] = await listRequests(first(), order, buyer);
      assert.deepEqual([request?.['status'], request?.['error']], ['failed', 'The agent did not answer in time.']);
      assert.equal((await generated(first(), order, buyer))['deliverable'].status, 'completed');
    });
  }

  test('workspace quota is returned with a 503 when a server stops in an agent call', { skip: !isThorough && THOROUGH_ONLY }, async () => {
    const order = await openWorkspace(first(), provider, buyer, { quota_limit: 1 });
    const leaving = await shared.startServer(OUTBOUND);
    receiver.answer(() => undefined);
    const reply = generate(leaving.url, order, buyer);
    await until('the call', async () => ((await listRequests(first(), order, buyer))[0]?.['status'] === 'generating' ? true : undefined));
    assert.equal(await leaving.kill('SIGTERM'), 0);
    const { status, body } = await reply;
    assert.deepEqual([status, body['code'], body['data'].quota_used], [503, 'generation_failed', 0]);
  });
});
