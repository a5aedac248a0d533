/** A newcomer hires each sample agent and gets real work within moments. */
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { sampleOffers } from '../../packages/sandbox/src/demo/content/sample-offers.ts';
import { call, type Envelope } from '../harness/http.ts';
import type { ServerProcess } from '../harness/market.ts';
import { act, type Buyer, openBuyer, payOrder, placeOrder, readOrder, untilStatus, untilTransferred } from '../harness/orders.ts';
import { asHeaders, signed } from '../harness/people.ts';
import { isThorough, THOROUGH_ONLY } from '../harness/thoroughness.ts';
import { until } from '../money/money.ts';
import { type DemoStage, openDemoStage } from './demo-stage.ts';

const DELIVERY_LOOKS = 400;

const HIRED = {
  text: 'Outline and checklist from your brief',
  image: 'A geometric poster from your words',
  set: 'A set of posters, priced by the set',
  questions: 'The questions your brief leaves open',
} as const;

test('the sample agents offer the services that these tests hire', () => {
  const offered = sampleOffers.flatMap(({ services }) => services.map(({ title }) => title));
  for (const title of Object.values(HIRED)) assert.ok(offered.includes(title), title);
});

// test/browser/newcomer.test.ts hires one of them in an everyday run, too.
suite('the sample agents', { skip: !isThorough && THOROUGH_ONLY }, () => {
  let stage: DemoStage;
  let server: ServerProcess;
  let newcomer: Buyer;

  before(async () => {
    stage = await openDemoStage();
    [server, newcomer] = await Promise.all([stage.startWithDemo(), openBuyer(stage, 'base-mainnet')]);
  });
  after(() => stage.close());

  const approve = async (order: string): Promise<void> => {
    const reply = await act(server.url, order, newcomer, 'approve');
    assert.equal(reply.status, 200, JSON.stringify(reply.body));
    await untilTransferred(server.url, order, newcomer, 'payout');
  };

  /** Waits for the service, which is listed a moment after the start. */
  async function serviceOf(title: string): Promise<string> {
    return await until(`${title} being offered`, async () => {
      const services: Envelope[] = (await call(server.url, `GET /api/services?search=${encodeURIComponent(title)}`)).body['data'];
      return services.find((service) => service['title'] === title)?.['id'];
    });
  }

  async function download(order: string): Promise<readonly { readonly type: string | null; readonly bytes: Buffer }[]> {
    const { deliverables } = await readOrder(server.url, order, newcomer);
    const current = deliverables.filter((item: Envelope) => item['status'] === 'completed');
    return await Promise.all(
      current.map(async (item: Envelope) => {
        const reply = await fetch(item['deliverable_url'], { headers: asHeaders(await signed(newcomer)) });
        assert.equal(reply.status, 200);
        return { type: reply.headers.get('content-type'), bytes: Buffer.from(await reply.arrayBuffer()) };
      }),
    );
  }

  test('the sample text worker delivers a document made from the brief, answers messages, and applies feedback', async () => {
    const brief = 'Plan a reading evening for forty people in our library. We need chairs, soup and somebody who reads.';
    const order = await placeOrder(server.url, await serviceOf(HIRED.text), newcomer, { brief });
    await payOrder(server.url, order, newcomer);
    const paidAt = performance.now();
    const said = await call(server.url, `POST /api/orders/${order}/messages`, {
      body: { content: 'Soup for vegetarians, please.', ...(await signed(newcomer)) },
    });
    assert.equal(said.status, 200, JSON.stringify(said.body));
    await untilStatus(server.url, order, newcomer, 'delivered', DELIVERY_LOOKS);
    assert.ok(performance.now() - paidAt < 60_000, 'delivered while the buyer watches');
    const [first] = await download(order);
    assert.match(first?.type ?? '', /^text\/(markdown|plain)/);
    assert.match(first?.bytes.toString() ?? '', /^# Plan a reading evening for forty people in our library\n/);

    const messages = await until('the answer', async () => {
      const reply = await call(server.url, `GET /api/orders/${order}/messages`, { headers: asHeaders(await signed(newcomer)) });
      return reply.body['data'].length >= 2 ? (reply.body['data'] as Envelope[]) : undefined;
    });
    assert.deepEqual(
      messages.map((message) => message['sender_type']),
      ['client', 'agent'],
    );

    assert.equal((await act(server.url, order, newcomer, 'revision', { feedback: 'Name the room as well.' })).status, 200);
    await untilStatus(server.url, order, newcomer, 'delivered', DELIVERY_LOOKS);
    const [second] = await download(order);
    assert.match(second?.bytes.toString() ?? '', /- Name the room as well\./);
    await approve(order);
  });

  test('the sample image worker delivers a picture', async () => {
    const brief = 'A lighthouse in red and white, very calm, for a small room.';
    const order = await placeOrder(server.url, await serviceOf(HIRED.image), newcomer, { brief });
    await payOrder(server.url, order, newcomer);
    await untilStatus(server.url, order, newcomer, 'delivered', DELIVERY_LOOKS);
    // The approval opens the original.
    await approve(order);
    const [poster] = await download(order);
    assert.equal(poster?.type, 'image/png');
    assert.equal(poster?.bytes.subarray(1, 4).toString(), 'PNG');
  });

  test('a sample agent quotes a set within seconds and delivers it once it is paid', async () => {
    const brief = 'Two posters for a hallway, green and brown, like moss on bark.';
    const order = await placeOrder(server.url, await serviceOf(HIRED.set), newcomer, { brief });
    await untilStatus(server.url, order, newcomer, 'quoted', DELIVERY_LOOKS);
    assert.equal((await readOrder(server.url, order, newcomer)).order.quoted_price_usd, '4.00');
    await payOrder(server.url, order, newcomer);
    await untilStatus(server.url, order, newcomer, 'delivered', DELIVERY_LOOKS);
    await approve(order);
    assert.equal((await download(order)).length, 2);
  });

  test('an order placed while the sample agents were down is processed after they restart', async () => {
    const order = await placeOrder(server.url, await serviceOf(HIRED.questions), newcomer, {
      brief: 'Build a shelf for records.',
    });
    assert.equal(await server.kill('SIGKILL'), null);
    server = await stage.startWithDemo();
    await payOrder(server.url, order, newcomer);
    await untilStatus(server.url, order, newcomer, 'delivered', DELIVERY_LOOKS);
    await approve(order);
  });
});
