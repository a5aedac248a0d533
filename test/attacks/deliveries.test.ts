/** Deliveries with script URLs, and access to originals before acceptance. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { png, readFile, type ServedFile, upload } from '../harness/files.ts';
import { call, expectCall } from '../harness/http.ts';
import { openMarket, type TestMarket, withChains } from '../harness/market.ts';
import {
  act,
  type Buyer,
  deliver,
  listService,
  openBuyer,
  openProvider,
  type Provider,
  payOrder,
  placeOrder,
  readOrder,
} from '../harness/orders.ts';
import { asHeaders, signed } from '../harness/people.ts';

let market: TestMarket;
let provider: Provider;
let buyer: Buyer;
let service: string;
before(async () => {
  market = await openMarket(withChains);
  [provider, buyer] = await Promise.all([openProvider(market.url), openBuyer(market, 'base-mainnet')]);
  service = await listService(market.url, provider);
});
after(() => market?.close());

async function paidOrder(): Promise<string> {
  const order = await placeOrder(market.url, service, buyer);
  await payOrder(market.url, order, buyer);
  return order;
}

const RUNNING_ADDRESSES = [
  'javascript:alert(1)',
  'JaVaScRiPt:alert(1)',
  ' javascript:alert(1)',
  'java\nscript:alert(1)',
  'javascript://example.com/%0Aalert(1)',
  'data:text/html,<script>alert(1)</script>',
  'data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==',
  'vbscript:msgbox(1)',
  'blob:https://example.com/1',
  'file:///etc/passwd',
];

test('U09: a delivery with a script URL, alone or in a list, is refused and delivers nothing', async () => {
  const order = await paidOrder();
  for (const deliverable_url of RUNNING_ADDRESSES) {
    const honest = { deliverable_url: 'https://example.com/result' };
    for (const body of [{ deliverable_url }, { deliverables: [{ deliverable_url }] }, { deliverables: [honest, { deliverable_url }] }]) {
      const reply = await call(market.url, `POST /api/orders/${order}/deliver`, { headers: provider.headers, body });
      assert.deepEqual([reply.status, reply.body['code']], [400, 'invalid_input'], JSON.stringify(body));
    }
  }
  const record = await readOrder(market.url, order, buyer);
  assert.deepEqual([record.order.status, record.deliverables], ['paid', []]);
});

test('U09: an order with script URLs in reference_urls is refused', async () => {
  for (const address of RUNNING_ADDRESSES) {
    for (const reference_urls of [[address], ['https://example.com/style', address]]) {
      const body = { service_id: service, brief: 'Look at the reference, please.', reference_urls, ...(await signed(buyer)) };
      const reply = await call(market.url, 'POST /api/orders', { body });
      assert.deepEqual([reply.status, reply.body['code']], [400, 'invalid_input'], address);
    }
  }
});

for (const [title, claim] of [
  ['without a media type', {}],
  ['as a link', { deliverable_media_type: 'link' }],
  ['as a document', { deliverable_media_type: 'document' }],
  ['as an image', { deliverable_media_type: 'image' }],
] as const) {
  test(`U10: an image delivered ${title} is shown to the buyer only as a preview until acceptance`, async () => {
    const { url } = market;
    const picture = png(900, 600);
    const sent = await upload(url, provider.key, { content: picture, type: 'image/png', name: 'result.png' });
    assert.equal(sent.status, 200, JSON.stringify(sent.body));
    const order = await paidOrder();
    const delivered = await deliver(url, order, provider, {
      deliverable_url: sent.body['data'].url,
      deliverable_media_type: undefined,
      ...claim,
    });
    assert.equal(delivered.status, 200, JSON.stringify(delivered.body));

    const seen = await untilPreviewed(order);
    assert.equal(seen.is_preview, true);
    assert.equal(seen.deliverable_media_type, 'image');
    for (const file of await everyWayOf(order, sent.body['data'].url)) {
      assert.equal(file.status, 200);
      assert.notEqual(Buffer.compare(file.bytes, picture), 0, 'the original came before acceptance');
      assert.equal(file.headers.get('content-type'), 'image/webp');
    }

    const accepted = await act(url, order, buyer, 'approve');
    assert.equal(accepted.status, 200, JSON.stringify(accepted.body));
    assert.equal((await readOrder(url, order, buyer)).deliverables[0].is_preview, false);
    const files = await everyWayOf(order, sent.body['data'].url);
    for (const file of files) assert.equal(Buffer.compare(file.bytes, picture), 0);
  });
}

/** Loads each address shown to the buyer, and the file's own address, with the buyer's credentials. */
async function everyWayOf(order: string, uploadUrl: string): Promise<ServedFile[]> {
  const record = await readOrder(market.url, order, buyer);
  const listed = await expectCall(market.url, 200, 'GET /api/orders', { headers: asHeaders(await signed(buyer)) });
  const inList = (listed as unknown as { id: string; deliverable_url: string | null }[]).find(({ id }) => id === order);
  const addresses = [record.deliverables[0].deliverable_url, record.order.deliverable_url, inList?.deliverable_url, uploadUrl].filter(
    (address): address is string => typeof address === 'string',
  );
  assert.ok(addresses.length >= 2, JSON.stringify(addresses));
  return await Promise.all(addresses.map(async (address) => await readFile(address, undefined, asHeaders(await signed(buyer)))));
}

// biome-ignore lint/suspicious/noExplicitAny: what came over the wire, picked apart by the tests.
async function untilPreviewed(order: string): Promise<any> {
  for (let look = 0; look < 400; look++) {
    const [shown] = (await readOrder(market.url, order, buyer)).deliverables;
    if (shown.preview_url !== null) return shown;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return assert.fail('no preview was made');
}
