/** Story: the terms of an order stay fixed when the service changes; a service that is not offered cannot be ordered. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { registerAgent } from '../harness/agents.ts';
import { png, readFile, upload } from '../harness/files.ts';
import { call, expectCall, type Reply } from '../harness/http.ts';
import { openMarket, type TestMarket, withChains } from '../harness/market.ts';
import {
  act,
  BRIEF,
  deliver,
  listService,
  openBuyer,
  openProvider,
  payOrder,
  placeOrder,
  readOrder,
  requireSoundBooks,
  untilTransferred,
  usdcOn,
} from '../harness/orders.ts';
import { baseWallet, signed, tokenFor } from '../harness/people.ts';

describe('the agreed terms of an order', () => {
  let market: TestMarket;
  before(async () => {
    market = await openMarket(withChains);
  });
  after(() => market.close());

  const order = async (serviceId: string, more: Record<string, unknown> = {}): Promise<Reply> =>
    await call(market.url, 'POST /api/orders', { body: { service_id: serviceId, brief: BRIEF, ...(await signed(baseWallet())), ...more } });

  test('M21: the terms of an order stay unchanged when the service is edited or withdrawn or its agent paused', async () => {
    const { url } = market;
    const [provider, buyer] = await Promise.all([openProvider(url), openBuyer(market, 'base-mainnet')]);
    const service = await listService(url, provider, { max_revisions: 1, turnaround_hours: 30 });
    const id = await placeOrder(url, service, buyer);
    const agreed = (await readOrder(url, id, buyer)).order;

    const { headers } = provider;
    const edited = {
      title: 'Something else entirely',
      price_usd: '99.00',
      price_type: 'weekly',
      quota_limit: 5,
      max_revisions: 9,
      turnaround_hours: 1,
      requirement_fields: [{ label: 'Language', type: 'text', required: true }],
    };
    await expectCall(url, 200, `PATCH /api/services/${service}`, { headers, body: edited });
    assert.deepEqual((await readOrder(url, id, buyer)).order, agreed);
    await expectCall(url, 200, `DELETE /api/services/${service}`, { headers });
    await payOrder(url, id, buyer);
    const paid = (await readOrder(url, id, buyer)).order;
    const terms = [
      'service_title',
      'price_type',
      'quoted_price_usd',
      'platform_fee_usd',
      'max_revisions',
      'turnaround_hours',
      'quota_total',
    ];
    for (const term of terms) assert.equal(paid[term], agreed[term], term);
    assert.deepEqual([paid.status, paid.turnaround_hours], ['paid', 30]);

    assert.equal((await deliver(url, id, provider)).status, 200);
    // A paused agent's key is refused, but its owner finishes the order.
    await expectCall(url, 200, `PATCH /api/agents/${provider.id}/active`, { headers, body: { active: false } });
    assert.equal((await deliver(url, id, provider)).status, 401);
    assert.equal((await act(url, id, buyer, 'revision', { feedback: 'One more page.' })).status, 200);
    const again = { content: 'With the page.', ...(await signed(provider.owner)) };
    await expectCall(url, 200, `POST /api/orders/${id}/deliver`, { body: again });
    assert.equal((await act(url, id, buyer, 'revision', { feedback: 'And another.' })).body['code'], 'revision_limit_reached');
    assert.equal((await act(url, id, buyer, 'approve')).status, 200);
    await untilTransferred(url, id, buyer, 'payout');
    assert.equal(await usdcOn(url, 'base-mainnet', provider.owner.address), '9.00');
  });

  test('an unknown or withdrawn service cannot be ordered', async () => {
    const { url } = market;
    const provider = await openProvider(url);
    const service = await listService(url, provider);
    await expectCall(url, 200, `DELETE /api/services/${service}`, { headers: provider.headers });
    for (const id of [service, 'svc_1700000000000_nobodyhas', provider.id, '%00', 'null']) {
      const reply = await order(id);
      assert.deepEqual([reply.status, reply.body['code']], [404, 'service_not_found'], id);
    }
  });

  test('an ownerless, paused or flagged agent cannot be hired until that ends', async () => {
    const { url } = market;
    const key = await tokenFor(url, { email: 'ops@example.com', admin: true });
    const unowned = await registerAgent(url);
    const orphan = await listService(url, { id: unowned.id, headers: { authorization: `Bearer ${unowned.key}` } });
    const provider = await openProvider(url);
    const { id, headers } = provider;
    const service = await listService(url, provider);
    const verdict = async (kind: string, of: string, status: string) =>
      await expectCall(url, 200, 'POST /api/admin/moderation', { key, body: { kind, id: of, status, reason: 'Asks for seed phrases.' } });
    const pause = async (active: boolean) => await expectCall(url, 200, `PATCH /api/agents/${id}/active`, { headers, body: { active } });

    const refuse = async (of: string, why: string) => {
      const reply = await order(of);
      assert.deepEqual([reply.status, reply.body['code']], [403, 'agent_not_hireable'], why);
    };
    await refuse(orphan, 'unowned');
    await pause(false);
    await refuse(service, 'paused');
    await pause(true);
    await verdict('agent', id, 'spam');
    await refuse(service, 'agent flagged');
    await verdict('agent', id, 'ok');
    await verdict('service', service, 'review');
    await refuse(service, 'service flagged');
    await verdict('service', service, 'ok');
    assert.equal((await order(service)).status, 200);
  });

  test('answers of an order must match the provider’s requirement fields', async () => {
    const { url } = market;
    const provider = await openProvider(url);
    const service = await listService(url, provider, {
      requirement_fields: [
        { label: 'Language', type: 'select', required: true, options: ['German', 'English'] },
        { label: 'Pages', type: 'number', required: true },
        { label: 'Style guide', type: 'url' },
        { label: 'Remarks', type: 'textarea' },
      ],
    });
    const good = { Language: 'German', Pages: 12 };
    const wrong: readonly (readonly [string, Record<string, unknown>])[] = [
      ['Language', { Pages: 12 }],
      ['Language', { ...good, Language: 'Klingon' }],
      ['Pages', { ...good, Pages: 'a dozen' }],
      ['Pages', { ...good, Pages: ' ' }],
      ['Style guide', { ...good, 'Style guide': 'javascript:alert(1)' }],
      ['Remarks', { ...good, Remarks: true }],
      ['Colour', { ...good, Colour: 'red' }],
    ];
    for (const [label, answers] of wrong) {
      const { status, body } = await order(service, { requirement_answers: answers });
      assert.deepEqual([status, body['code']], [400, 'invalid_requirement_answers'], label);
      assert.deepEqual(
        body['data'].problems.map((problem: { label: string }) => problem.label),
        [label],
      );
    }
    assert.equal((await order(service)).body['code'], 'invalid_requirement_answers');
    const answers = { ...good, 'Style guide': 'https://example.com/style' };
    const placed = await order(service, { requirement_answers: answers });
    assert.deepEqual([placed.status, placed.body['data'].requirement_answers], [200, answers]);
  });

  test('reference images of an order must be uploads, and open without credentials for its parties', async () => {
    const { url } = market;
    const provider = await openProvider(url);
    const service = await listService(url, provider);
    const foreign = await order(service, { reference_images: ['https://example.com/sketch.png'] });
    assert.deepEqual([foreign.status, foreign.body['code']], [400, 'foreign_reference_image'], JSON.stringify(foreign.body));
    const customer = await openProvider(url);
    const { body: uploaded } = await upload(url, customer.key, { content: png(20, 20) });
    const image: string = uploaded['data'].url;
    const body = { service_id: service, brief: BRIEF, reference_images: [image] };
    const placed = await expectCall(url, 200, 'POST /api/orders', { key: customer.key, body });
    const { rows } = await market.database.pool.query(`select data from events where type = 'order.created' and subject_id = $1`, [
      placed['id'],
    ]);
    const view = await expectCall(url, 200, `GET /api/orders/${placed['id']}`, { headers: provider.headers });
    for (const link of [rows[0].data.reference_images[0], view['order'].reference_images[0]])
      assert.equal((await readFile(link)).status, 200, link);
  });

  test('an order with a brief that is too short or too long is refused', async () => {
    const service = await listService(market.url, await openProvider(market.url));
    for (const brief of ['too short', 'x'.repeat(3001), 12, undefined]) {
      const { status, body } = await order(service, { brief });
      assert.deepEqual([status, body['code']], [400, 'invalid_input'], String(brief).slice(0, 20));
    }
    assert.equal((await order(service, { brief: 'x'.repeat(3000) })).status, 200);
  });

  test('the books are sound after orders with agreed terms', async () => {
    await requireSoundBooks(market);
  });
});
