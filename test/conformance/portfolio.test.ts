/** The portfolio of an agent: completed work with the buyer's consent, without hidden entries. */
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { png, upload } from '../harness/files.ts';
import { asQuery, type CallOptions, call, type Envelope, expectCall, type Reply } from '../harness/http.ts';
import { openMarket, type TestMarket } from '../harness/market.ts';
import { setOrderStatus } from '../harness/order-states.ts';
import { BRIEF, deliver, listService, openProvider, type Provider, placeOrder } from '../harness/orders.ts';
import { asHeaders, baseWallet, signed, type TestWallet } from '../harness/people.ts';

suite('the portfolio', () => {
  let market: TestMarket;
  before(async () => {
    market = await openMarket();
  });
  after(() => market.close());

  const by = async (wallet: TestWallet): Promise<CallOptions> => ({ headers: asHeaders(await signed(wallet)) });
  const list = (agent: string, query: object = {}, who: CallOptions = {}): Promise<Reply> =>
    call(market.url, `GET /api/agents/${agent}/portfolio${asQuery(query)}`, who);
  const sources = (reply: Reply): string[] => reply.body['data'].map((entry: Envelope) => entry['source_id']);
  const change = (agent: string, body: object, who: CallOptions): Promise<Reply> =>
    call(market.url, `PATCH /api/agents/${agent}/portfolio`, { ...who, body });
  const codeOf = ({ status, body }: Reply): [number, string] => [status, body['code']];

  /** An order delivered once and completed; with the buyer's consent by default. */
  async function finishedOrder(
    provider: Provider,
    service: string,
    { buyer = baseWallet(), consent = true, content = '', result = {} } = {},
  ): Promise<string> {
    const id = await placeOrder(market.url, service, buyer, { allow_portfolio: consent });
    await setOrderStatus(market, [id], 'in_progress');
    const delivered = await deliver(
      market.url,
      id,
      provider,
      content === '' ? result : { deliverable_url: undefined, deliverable_media_type: 'text', content },
    );
    assert.equal(delivered.status, 200, JSON.stringify(delivered.body));
    await setOrderStatus(market, [id], 'completed');
    return id;
  }

  test('the portfolio shows the result of a completed order with the buyer’s consent, with exactly these fields', async () => {
    const provider = await openProvider(market.url);
    const service = await listService(market.url, provider);
    const order = await finishedOrder(provider, service);
    const { data, total } = (await list(provider.slug)).body;
    const [{ created_at, ...entry }] = data;
    assert.match(created_at, /^\d{4}-/);
    assert.deepEqual(entry, {
      source_type: 'order',
      source_id: order,
      service_title: 'Careful proofreading',
      deliverable_url: 'https://example.com/result',
      deliverable_media_type: 'link',
      content: null,
      prompt: BRIEF,
      hidden: false,
    });
    assert.equal(total, 1);
    assert.deepEqual((await expectCall(market.url, 200, `GET /api/agents/${provider.id}`))['portfolio'], data);
  });

  test('the portfolio shows the first 2000 characters of a text result', async () => {
    const provider = await openProvider(market.url);
    await finishedOrder(provider, await listService(market.url, provider), { content: 'word '.repeat(1000) });
    const [entry] = (await list(provider.id)).body['data'];
    assert.deepEqual([entry.deliverable_url, entry.deliverable_media_type, entry.content.length], [null, 'text', 2000]);
  });

  test('a search hit shows a picture from the portfolio, and no other file', async () => {
    const provider = await openProvider(market.url);
    const title = `Etchings ${provider.slug.replaceAll(/[^a-z]/g, '')}`;
    const service = await listService(market.url, provider, { title });
    const buyer = baseWallet();
    let limit = 0;
    // A new limit each time, since an answer is cached for a second.
    const sample = async (): Promise<string | null> => {
      limit += 1;
      const { body } = await call(market.url, `GET /api/search/services${asQuery({ q: title, limit })}`);
      assert.equal(body['data'].hits[0].service.id, service);
      return body['data'].hits[0].sample_url;
    };
    const foreign = { deliverable_url: 'https://example.com/etching.png', deliverable_media_type: 'image' };
    await finishedOrder(provider, service, { result: foreign });
    assert.equal(await sample(), null);

    const file = await upload(market.url, provider.key, { content: png(64, 48), name: 'etching.png', type: 'image/png' });
    const own = { deliverable_url: file.body['data'].url, deliverable_media_type: 'image' };
    const order = await finishedOrder(provider, service, { buyer, consent: false, result: own });
    assert.equal(await sample(), null);
    await expectCall(market.url, 200, `PUT /api/orders/${order}/portfolio`, { ...(await by(buyer)), body: { allow: true } });
    const url = (await sample()) ?? '';
    assert.ok(url.startsWith(`${market.url}/files/`), url);
    assert.equal((await fetch(url)).headers.get('content-type'), 'image/png');
    const hide = { source_type: 'order', source_id: order };
    assert.equal((await change(provider.id, { action: 'hide', ...hide }, provider)).status, 200);
    assert.equal(await sample(), null);
  });

  test('the portfolio shows nothing without consent, before completion, after a cancellation, or for a related buyer', async () => {
    const provider = await openProvider(market.url);
    const service = await listService(market.url, provider);
    const buyer = baseWallet();
    const order = await finishedOrder(provider, service, { buyer, consent: false });
    await finishedOrder(provider, service, { buyer: provider.owner });
    assert.deepEqual(sources(await list(provider.id)), []);
    assert.deepEqual(sources(await list(provider.id, {}, provider)), [], 'not even to its owner');

    const consent = async (allow: boolean) =>
      await expectCall(market.url, 200, `PUT /api/orders/${order}/portfolio`, { ...(await by(buyer)), body: { allow } });
    await consent(true);
    assert.deepEqual(sources(await list(provider.id)), [order]);
    for (const status of ['paid', 'in_progress', 'cancelled'] as const) {
      await setOrderStatus(market, [order], status);
      assert.deepEqual(sources(await list(provider.id)), [], status);
    }
    await setOrderStatus(market, [order], 'completed');
    await consent(false);
    assert.deepEqual(sources(await list(provider.id)), []);
  });

  test('the portfolio shows each answer of a workspace under its own request, once the order is completed', async () => {
    const provider = await openProvider(market.url);
    const service = await listService(market.url, provider, { quota_limit: 5 });
    const order = await placeOrder(market.url, service, baseWallet(), { allow_portfolio: true });
    await setOrderStatus(market, [order], 'in_progress');
    await market.database.pool.query(
      `insert into deliverables (id, order_id, round, prompt, url, media_type, status, is_request, answered_at) values
         ('del_1700000000000_aaaaaaaaa', $1, 1, 'A red door', 'https://example.com/1', 'image', 'completed', true, market_now()),
         ('del_1700000000000_bbbbbbbbb', $1, 2, 'A blue door', 'https://example.com/2', 'image', 'completed', true, market_now()),
         ('del_1700000000000_ccccccccc', $1, 3, 'A lost door', null, null, 'failed', true, market_now())`,
      [order],
    );
    assert.deepEqual(sources(await list(provider.id)), []);
    await setOrderStatus(market, [order], 'completed');
    const { data } = (await list(provider.id)).body;
    assert.deepEqual(
      data.map((entry: Envelope) => [entry['source_type'], entry['source_id'], entry['prompt']]),
      [
        ['deliverable', 'del_1700000000000_bbbbbbbbb', 'A blue door'],
        ['deliverable', 'del_1700000000000_aaaaaaaaa', 'A red door'],
      ],
    );
    const hide = { action: 'hide', source_type: 'deliverable', source_id: 'del_1700000000000_bbbbbbbbb' };
    assert.equal((await change(provider.id, hide, provider)).status, 200);
    assert.deepEqual(sources(await list(provider.id)), ['del_1700000000000_aaaaaaaaa']);
    assert.equal((await change(provider.id, { ...hide, source_type: 'order', source_id: order }, provider)).status, 404);
  });

  test('E31: the portfolio shows hidden entries to the owner alone, and hiding twice has no further effect', async () => {
    const provider = await openProvider(market.url);
    const service = await listService(market.url, provider);
    const [kept, hidden] = [await finishedOrder(provider, service), await finishedOrder(provider, service)];
    const entry = { source_type: 'order', source_id: hidden };
    for (const who of [provider, await by(provider.owner)]) {
      const reply = await change(provider.id, { action: 'hide', ...entry }, who);
      assert.deepEqual([reply.status, reply.body['data']], [200, { ...entry, hidden: true }]);
    }
    assert.deepEqual(sources(await list(provider.id)), [kept]);
    assert.deepEqual(sources(await list(provider.id, {}, await by(baseWallet()))), [kept]);
    const profile = await expectCall(market.url, 200, `GET /api/agents/${provider.id}`, provider);
    assert.deepEqual(
      profile['portfolio'].map((shown: Envelope) => shown['source_id']),
      [kept],
    );
    const own = (await list(provider.id, {}, await by(provider.owner))).body['data'];
    assert.deepEqual(
      own.map((shown: Envelope) => [shown['source_id'], shown['hidden']]),
      [
        [hidden, true],
        [kept, false],
      ],
    );
    for (let again = 0; again < 2; again++) {
      const reply = await change(provider.id, { action: 'unhide', ...entry }, provider);
      assert.deepEqual([reply.status, reply.body['data'].hidden], [200, false]);
    }
    assert.deepEqual(sources(await list(provider.id)), [hidden, kept]);
  });

  test('only the agent and its owner change its portfolio, and only entries of that agent', async () => {
    const [provider, other] = [await openProvider(market.url), await openProvider(market.url)];
    const order = await finishedOrder(provider, await listService(market.url, provider));
    const foreign = await finishedOrder(other, await listService(market.url, other));
    const hide = { action: 'hide', source_type: 'order', source_id: order };
    assert.equal((await change(provider.id, hide, {})).status, 401);
    assert.deepEqual(codeOf(await change(provider.id, hide, other)), [403, 'forbidden']);
    assert.deepEqual(codeOf(await change(provider.id, hide, await by(baseWallet()))), [403, 'forbidden']);
    assert.deepEqual(codeOf(await change('nobody-here', hide, provider)), [404, 'agent_not_found']);
    for (const source_id of [foreign, 'ord_1700000000000_nosuchone', 'nonsense']) {
      assert.deepEqual(codeOf(await change(provider.id, { ...hide, source_id }, provider)), [404, 'portfolio_entry_not_found']);
    }
    for (const wrong of [{ action: 'remove' }, { source_type: 'post' }, { source_id: '' }, { source_id: 'x'.repeat(81) }]) {
      assert.equal((await change(provider.id, { ...hide, ...wrong }, provider)).status, 400, JSON.stringify(wrong));
    }
    assert.deepEqual(sources(await list(provider.id)), [order]);
  });

  test('pages of a portfolio return every entry once, newest first', async () => {
    const provider = await openProvider(market.url);
    const service = await listService(market.url, provider);
    const orders: string[] = [];
    for (let n = 0; n < 22; n++) orders.unshift(await finishedOrder(provider, service));
    const seen: string[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page: Reply = await list(provider.id, { limit: 5, ...(cursor !== '' && { cursor }) });
      seen.push(...sources(page));
      cursor = page.body['next_cursor'];
    }
    assert.deepEqual(seen, orders);
    assert.deepEqual(sources(await list(provider.id)), orders.slice(0, 20));
    assert.deepEqual(sources(await list(provider.id, { limit: 2, offset: 3 })), orders.slice(3, 5));
    const profile = await expectCall(market.url, 200, `GET /api/agents/${provider.id}`);
    assert.equal(profile['portfolio'].length, 20);
    assert.deepEqual(codeOf(await list(provider.id, { cursor: 'bm9uc2Vuc2U' })), [400, 'invalid_cursor']);
    assert.deepEqual(codeOf(await list('nobody-here')), [404, 'agent_not_found']);
  });
});
