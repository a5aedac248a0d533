/** Workspaces over HTTP: requests, answers by endpoint or by delivery, and every endpoint failure. */
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { call, type Envelope, expectCall } from '../harness/http.ts';
import { openMarket, type TestMarket, withOwnChains } from '../harness/market.ts';
import {
  advanceClock,
  BRIEF,
  type Buyer,
  deliver,
  listService,
  openBuyer,
  openProvider,
  type Provider,
  placeOrder,
  readOrder,
} from '../harness/orders.ts';
import { asHeaders, baseWallet, signed } from '../harness/people.ts';
import { type Answering, openReceiver, type Receiver, withJson } from '../harness/receiver.ts';
import { generate, generated, listRequests, openWorkspace, setEndpoint, WORKSPACE_CALL } from '../harness/workspaces.ts';
import { until } from '../money/money.ts';

const NETWORK = 'base-mainnet';
const HOUR = 3600;

let market: TestMarket;
let url: string;
let buyer: Buyer;
let receiver: Receiver;
/** A provider that answers by delivering. */
let writer: Provider;
/** A provider that answers through its endpoint. */
let machine: Provider;
let secret: string;
/** One workspace order of each provider, without a quota. */
let desk: string;
let counter: string;
before(async () => {
  market = await openMarket({ ...withOwnChains, OUTBOUND_ALLOW: '127.0.0.1' });
  url = market.url;
  receiver = await openReceiver(undefined, { only: WORKSPACE_CALL });
  [buyer, writer, machine] = await Promise.all([openBuyer(market, NETWORK), openProvider(url), openProvider(url)]);
  secret = await setEndpoint(url, machine, `${receiver.url}/agent?v=1`);
  desk = await openWorkspace(url, writer, buyer);
  counter = await openWorkspace(url, machine, buyer);
});
after(async () => {
  await market.close();
  await receiver.close();
});

const used = async (order: string): Promise<number> => (await readOrder(url, order, buyer)).order.quota_used;

describe('an agent without an endpoint', () => {
  test('an agent without an endpoint finds a workspace request in its list and answers it by delivering', async () => {
    const asked = await generated(url, desk, buyer, 'A headline for Monday.');
    const { id, status, prompt, deliverable_url } = asked['deliverable'];
    assert.deepEqual(
      [status, prompt, deliverable_url, asked['quota_used'], asked['quota_total']],
      ['pending', 'A headline for Monday.', null, 1, 0],
    );

    const [open] = await listRequests(url, desk, writer.owner, '?status=pending');
    assert.deepEqual([open?.['request_id'], open?.['prompt'], open?.['deliverables']], [id, 'A headline for Monday.', []]);
    const left = Date.parse(`${open?.['answer_by']}Z`) - Date.parse(`${open?.['created_at']}Z`);
    assert.ok(Math.abs(left - 24 * HOUR * 1000) <= 1000, `${left} ms`);

    const answered = await deliver(url, desk, writer, { request_id: id, deliverable_url: 'https://example.com/monday' });
    assert.deepEqual([answered.status, answered.body['data'].status], [200, 'in_progress']);
    const [done] = await listRequests(url, desk, buyer);
    assert.deepEqual([done?.['status'], done?.['deliverables'][0].deliverable_url], ['completed', 'https://example.com/monday']);
    assert.equal(await used(desk), 1);
  });

  test('a delivery that names no request answers the oldest open one, and may hold several items', async () => {
    const first = await generated(url, desk, buyer, 'first');
    const second = await generated(url, desk, buyer, 'second');
    const items = [{ deliverable_url: 'https://example.com/1' }, { content: 'The second part.' }];
    const both = await deliver(url, desk, writer, { deliverable_url: undefined, deliverable_media_type: undefined, deliverables: items });
    assert.equal(both.status, 200, JSON.stringify(both.body));
    const requests = await listRequests(url, desk, buyer);
    const byId = (id: string): Envelope | undefined => requests.find((request) => request['request_id'] === id);
    assert.equal(byId(second['deliverable'].id)?.['status'], 'pending');
    const answered = byId(first['deliverable'].id);
    assert.deepEqual(
      answered?.['deliverables'].map((item: Envelope) => [item['deliverable_url'], item['content'], item['prompt']]),
      [
        ['https://example.com/1', null, 'first'],
        [null, 'The second part.', 'first'],
      ],
    );
    assert.equal((await deliver(url, desk, writer, { request_id: second['deliverable'].id })).status, 200);
    const again = await deliver(url, desk, writer, { request_id: second['deliverable'].id });
    assert.deepEqual([again.status, again.body['code']], [400, 'no_open_request']);
  });
});

describe('an agent with an endpoint', () => {
  test('an agent’s endpoint is called with a signed webhook request that contains the history of the workspace', async () => {
    receiver.answer(withJson(200, { content: 'Done.' }));
    await generated(url, counter, buyer, 'The first thing.');
    const asked = await generated(url, counter, buyer, 'The second thing.');
    const got = receiver.received.at(-1);
    assert.ok(got);
    const { request_id, answer_by, ...data } = got.json['data'];
    assert.deepEqual([got.method, got.path, request_id], ['POST', '/agent?v=1', asked['deliverable'].id]);
    assert.deepEqual(Object.keys(got.json), ['event', 'order_id', 'data']);
    assert.deepEqual([got.json['event'], got.json['order_id']], ['workspace.generate', counter]);
    assert.deepEqual(data, {
      prompt: 'The second thing.',
      brief: BRIEF,
      service_title: 'Careful proofreading',
      previous: [{ prompt: 'The first thing.', status: 'completed' }],
    });
    assert.match(answer_by, /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);
    assert.deepEqual(
      [got.headers['content-type'], got.headers['x-market-event'], got.headers['x-market-agent-id']],
      ['application/json', 'workspace.generate', machine.id],
    );
    assert.match(String(got.headers['x-market-delivery-id']), /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    const ids = new Set(receiver.received.map(({ headers }) => headers['x-market-delivery-id']));
    assert.equal(ids.size, receiver.received.length);

    const [time = '', signature = ''] = String(got.headers['x-market-signature']).split(',');
    const seconds = Number(time.replace('t=', ''));
    assert.ok(Math.abs(seconds - Date.now() / 1000) < 60);
    assert.equal(signature, `v1=${createHmac('sha256', secret).update(`${seconds}.${got.text}`).digest('hex')}`);
  });

  const link = { deliverable_url: 'https://example.com/a.png', deliverable_media_type: 'image' };
  const forms: readonly (readonly [title: string, answer: Envelope, shown: readonly (readonly unknown[])[]])[] = [
    ['a link', link, [['https://example.com/a.png', null, 'image']]],
    ['a text', { content: 'All done.' }, [[null, 'All done.', 'text']]],
    [
      'several items',
      { deliverables: [link, { content: 'And a note.' }] },
      [
        ['https://example.com/a.png', null, 'image'],
        [null, 'And a note.', 'text'],
      ],
    ],
    ['a text beside fields we do not know', { ok: true, content: 'All done.', request_id: 'del_1_x' }, [[null, 'All done.', 'text']]],
  ];
  for (const [title, answer, shown] of forms) {
    test(`an endpoint may answer a workspace request with ${title}`, async () => {
      receiver.answer(withJson(200, answer));
      const before = await used(counter);
      const data = await generated(url, counter, buyer);
      const { deliverable } = data;
      assert.deepEqual(
        [deliverable.status, deliverable.deliverable_url, deliverable.content, deliverable.deliverable_media_type],
        ['completed', ...(shown[0] ?? [])],
      );
      assert.equal(data['quota_used'], before + 1);
      const [request] = await listRequests(url, counter, buyer);
      assert.deepEqual(
        request?.['deliverables'].map((item: Envelope) => [item['deliverable_url'], item['content'], item['deliverable_media_type']]),
        shown,
      );
    });
  }

  test('an endpoint may accept a workspace request with 202, and the agent delivers later', async () => {
    receiver.answer((response) => void response.writeHead(202).end());
    const { deliverable } = await generated(url, counter, buyer);
    assert.equal(deliverable.status, 'pending');
    const [request] = await listRequests(url, counter, buyer);
    assert.ok(Date.parse(`${request?.['answer_by']}Z`) - Date.parse(`${request?.['created_at']}Z`) > 23 * HOUR * 1000);
    await advanceClock(url, HOUR);
    assert.equal((await deliver(url, counter, machine, { request_id: deliverable.id })).status, 200);
    const [answered] = await listRequests(url, counter, buyer);
    assert.equal(answered?.['status'], 'completed');
  });

  test('an agent may deliver while its endpoint call is still open; the endpoint’s answer is then ignored', async () => {
    for (const last of [withJson(500, {}), withJson(200, { content: 'Late.' }), withJson(202, {})]) {
      receiver.answer(async (response, received) => {
        const request_id = received.json['data'].request_id;
        assert.equal((await deliver(url, counter, machine, { request_id, deliverable_url: 'https://example.com/self' })).status, 200);
        await last(response, received);
      });
      const before = await used(counter);
      const { deliverable, quota_used } = await generated(url, counter, buyer);
      assert.deepEqual(
        [deliverable.status, deliverable.deliverable_url, quota_used],
        ['completed', 'https://example.com/self', before + 1],
      );
    }
  });

  test('the endpoint of an inactive agent is not called: its owner answers by delivering', async () => {
    const retired = await openProvider(url);
    await setEndpoint(url, retired, receiver.url);
    const order = await openWorkspace(url, retired, buyer);
    const body = { active: false };
    assert.equal((await call(url, `PATCH /api/agents/${retired.id}/active`, { body, headers: retired.headers })).status, 200);
    const calls = receiver.received.length;
    assert.equal((await generated(url, order, buyer))['deliverable'].status, 'pending');
    assert.equal(receiver.received.length, calls);
  });
});

describe('a failing endpoint', () => {
  const broken: readonly (readonly [title: string, answering: Answering, error: RegExp])[] = [
    ['an error', withJson(500, { content: 'no' }), /status 500/],
    ['another 2xx', withJson(201, { content: 'made' }), /status 201/],
    ['a redirect', (response) => void response.writeHead(307, { location: `${receiver.url}/moved` }).end(), /status 307/],
    ['nothing', (response) => void response.writeHead(200).end(), /no deliverable/],
    ['garbage', (response) => void response.writeHead(200).end('<html>'), /no deliverable/],
    ['bytes that are not text', (response) => void response.writeHead(200).end(Buffer.from([0x7b, 0xff, 0xfe])), /no deliverable/],
    ['an array', withJson(200, [{ content: 'x' }]), /no deliverable/],
    ['null', withJson(200, null), /no deliverable/],
    ['no items', withJson(200, { deliverables: [] }), /no deliverable/],
    ['both a link and a text', withJson(200, { deliverable_url: 'https://example.com/', content: 'x' }), /no deliverable/],
    ['an unknown type', withJson(200, { content: 'x', deliverable_media_type: 'hologram' }), /no deliverable/],
    ['a script address', withJson(200, { deliverable_url: 'javascript:alert(1)' }), /no deliverable/],
    ['a private address', withJson(200, { deliverable_url: 'https://169.254.169.254/latest' }), /no deliverable/],
    ['an address with NUL', withJson(200, { deliverable_url: 'https://example.com/\u0000' }), /no deliverable/],
    ['half a character', withJson(200, { content: 'half \ud800' }), /no deliverable/],
    ['21 items', withJson(200, { deliverables: Array.from({ length: 21 }, () => ({ content: 'x' })) }), /no deliverable/],
    ['more than 1 MB', withJson(200, { content: 'x'.repeat(1_000_001) }), /more than 1 MB/],
    ['an endless answer', (response) => void endless(response), /more than 1 MB/],
    ['a broken connection', (response) => void response.destroy(), /could not be reached/],
  ];
  for (const [title, answering, error] of broken) {
    test(`a workspace request is 503 and the quota unchanged when the endpoint answers with ${title}`, async () => {
      receiver.answer(answering);
      const [before, calls] = [await used(counter), receiver.received.length];
      const { status, body } = await generate(url, counter, buyer);
      assert.deepEqual([status, body['code']], [503, 'generation_failed'], JSON.stringify(body));
      assert.deepEqual([body['data'].deliverable.status, body['data'].quota_used, body['data'].quota_total], ['failed', before, 0]);
      assert.match(body['data'].deliverable.error, error);
      assert.equal(receiver.received.length, calls + 1);
      assert.equal(await used(counter), before);
      const [request] = await listRequests(url, counter, buyer);
      assert.deepEqual([request?.['status'], request?.['deliverables']], ['failed', []]);
    });
  }

  function endless(response: Parameters<Answering>[0]): void {
    const more = (): void => void (!response.destroyed && response.write(Buffer.alloc(65_536), () => setImmediate(more)));
    more();
  }

  test('an endpoint’s answer with another agent’s upload is 503; with its own upload the request is completed', async () => {
    const upload = async (provider: Provider): Promise<string> => {
      const form = new FormData();
      form.set('file', new Blob(['a plain text'], { type: 'text/plain' }), 'notes.txt');
      const reply = await fetch(`${url}/api/upload`, { method: 'POST', body: form, headers: provider.headers });
      const body = (await reply.json()) as Envelope;
      assert.ok(reply.ok, JSON.stringify(body));
      return body['data'].url;
    };
    receiver.answer(withJson(200, { deliverable_url: await upload(writer) }));
    const foreign = await generate(url, counter, buyer);
    assert.deepEqual([foreign.status, foreign.body['data']?.deliverable.status], [503, 'failed'], JSON.stringify(foreign.body));
    receiver.answer(withJson(200, { deliverable_url: await upload(machine), deliverable_media_type: 'document' }));
    assert.equal((await generated(url, counter, buyer))['deliverable'].status, 'completed');
  });

  test('a workspace request fails at the timeout, and the endpoint’s late answer changes nothing', async () => {
    const before = await used(counter);
    const { promise: talked, resolve: talk } = Promise.withResolvers<void>();
    receiver.answer(async (response, received) => {
      await talked;
      await withJson(200, { content: 'Too late.' })(response, received);
    });
    const reply = generate(url, counter, buyer);
    await until('the call', async () => ((await listRequests(url, counter, buyer))[0]?.['status'] === 'generating' ? true : undefined));
    assert.equal(await used(counter), before + 1);
    await advanceClock(url, 121);
    await until('the timeout', async () => ((await listRequests(url, counter, buyer))[0]?.['status'] === 'failed' ? true : undefined), 20);
    assert.equal(await used(counter), before);
    talk();
    const { status, body } = await reply;
    assert.deepEqual([status, body['code'], body['data'].quota_used], [503, 'generation_failed', before]);
  });
});

describe('an Idempotency-Key', () => {
  test('an Idempotency-Key of a workspace request returns the stored answer without calling the agent again', async () => {
    receiver.answer(withJson(200, { content: 'Once.' }));
    const [before, calls] = [await used(counter), receiver.received.length];
    const key = { 'idempotency-key': 'once-and-only' };
    const first = await generate(url, counter, buyer, 'Same question.', key);
    const second = await generate(url, counter, buyer, 'Same question.', key);
    assert.deepEqual([first.status, second.status, second.body['data']], [200, 200, first.body['data']]);
    assert.equal(first.body['data'].deliverable.status, 'completed');
    assert.deepEqual([receiver.received.length, await used(counter)], [calls + 1, before + 1]);
  });

  test('an Idempotency-Key of a failed workspace request may be used to retry', async () => {
    const key = { 'idempotency-key': 'second-chance' };
    receiver.answer(withJson(500, {}));
    assert.equal((await generate(url, counter, buyer, 'Try.', key)).status, 503);
    receiver.answer(withJson(200, { content: 'There.' }));
    assert.equal((await generate(url, counter, buyer, 'Try.', key)).status, 200);
  });

  test('an Idempotency-Key of a workspace request that waits for the agent opens one request', async () => {
    const before = await used(desk);
    const key = { 'idempotency-key': 'opened-once' };
    const [first, second] = [await generate(url, desk, buyer, 'Once.', key), await generate(url, desk, buyer, 'Once.', key)];
    assert.deepEqual(second.body, first.body);
    assert.equal(await used(desk), before + 1);
  });
});

describe('permissions and limits of requests', () => {
  test('only the buyer creates workspace requests; only buyer and provider read them', async () => {
    const stranger = baseWallet();
    const nobody = await call(url, `POST /api/orders/${desk}/generate`, { body: { prompt: 'x' } });
    assert.deepEqual([nobody.status, nobody.body['code']], [401, 'unauthenticated']);
    assert.equal((await generate(url, 'ord_1700000000000_k3v9x1q7a', buyer)).body['code'], 'order_not_found');
    assert.deepEqual(
      [(await generate(url, desk, stranger)).status, (await generate(url, desk, stranger)).body['code']],
      [403, 'not_your_order'],
    );
    assert.equal((await generate(url, desk, writer.owner)).body['code'], 'wrong_side');
    const peek = await call(url, `GET /api/orders/${desk}/requests`, { headers: asHeaders(await signed(stranger)) });
    assert.deepEqual([peek.status, peek.body['code']], [403, 'not_your_order']);
    assert.ok((await listRequests(url, desk, writer.owner)).length > 0);
  });

  test('the prompt of a workspace request has 1 to 4000 characters', async () => {
    for (const prompt of ['', '   ', 'x'.repeat(4001)]) {
      const { status, body } = await generate(url, desk, buyer, prompt);
      assert.deepEqual([status, body['code']], [400, 'invalid_input']);
    }
    assert.equal((await generate(url, desk, buyer, 'x'.repeat(4000))).status, 200);
  });

  test('an unpaid order, or one without a workspace, accepts no requests', async () => {
    const unpaid = await placeOrder(url, await listService(url, writer, { price_type: 'weekly' }), buyer);
    assert.equal((await generate(url, unpaid, buyer)).body['code'], 'illegal_transition');
    const plain = await openWorkspace(url, writer, buyer, { price_type: 'fixed' });
    await expectCall(url, 200, `POST /api/orders/${plain}/start`, { headers: writer.headers });
    const { status, body } = await generate(url, plain, buyer);
    assert.deepEqual([status, body['code']], [400, 'not_a_workspace']);
  });

  test('the quota of a workspace is enforced, and the last answer ends it', async () => {
    const order = await openWorkspace(url, writer, buyer, { quota_limit: 1 });
    const { deliverable } = await generated(url, order, buyer);
    const more = await generate(url, order, buyer);
    assert.deepEqual([more.status, more.body['code']], [400, 'quota_exhausted']);
    const answered = await deliver(url, order, writer, { request_id: deliverable.id });
    assert.deepEqual([answered.body['data'].status, answered.body['data'].quota_used], ['delivered', 1]);
    assert.equal((await generate(url, order, buyer)).body['code'], 'illegal_transition');
  });
});

test('workspace requests are listed newest first, in pages, and by status', async () => {
  const order = await openWorkspace(url, writer, buyer);
  for (const prompt of ['a', 'b', 'c', 'd', 'e']) await generated(url, order, buyer, prompt);
  await deliver(url, order, writer);
  const headers = asHeaders(await signed(buyer));
  const page = async (query: string): Promise<Envelope> =>
    (await call(url, `GET /api/orders/${order}/requests?limit=2${query}`, { headers })).body;
  const first = await page('');
  const second = await page(`&cursor=${first['next_cursor']}`);
  const third = await page(`&cursor=${second['next_cursor']}`);
  const prompts = [first, second, third].flatMap((shown) => shown['data'].map((request: Envelope) => request['prompt']));
  assert.deepEqual([prompts, first['total'], third['next_cursor']], [['e', 'd', 'c', 'b', 'a'], 5, null]);
  assert.deepEqual(
    (await page('&offset=4'))['data'].map((request: Envelope) => request['prompt']),
    ['a'],
  );
  assert.deepEqual(
    (await listRequests(url, order, buyer, '?status=completed')).map((request) => request['prompt']),
    ['a'],
  );
  assert.equal((await page('&status=lost'))['code'], 'invalid_input');
  assert.equal((await page('&cursor=nonsense'))['code'], 'invalid_cursor');
});

test('a workspace request unanswered for a day fails and does not count', async () => {
  const order = await openWorkspace(url, writer, buyer, { quota_limit: 1 });
  await generated(url, order, buyer);
  await advanceClock(url, 24 * HOUR);
  await until('the timeout', async () => ((await used(order)) === 0 ? true : undefined));
  const [request] = await listRequests(url, order, buyer);
  assert.deepEqual([request?.['status'], request?.['error']], ['failed', 'The agent did not answer in time.']);
  assert.equal((await generated(url, order, buyer))['deliverable'].status, 'pending');
});
