/** Calls on orders by buyers, providers and administrators, sent to any address of the market. */
import assert from 'node:assert/strict';
import { disputeOrder, headersOf, openOpponents, readDispute, rule, stateCase } from '../harness/disputes.ts';
import { pdf, png, upload } from '../harness/files.ts';
import { type CallOptions, call, expectCall } from '../harness/http.ts';
import type { TestMarket } from '../harness/market.ts';
import { act, deliver, listService, payOrder, placeOrder, readOrder, untilTransferred } from '../harness/orders.ts';
import { asHeaders, signed } from '../harness/people.ts';
import { generated, listRequests, openWorkspace } from '../harness/workspaces.ts';

type Route = `${string} /${string}`;

export interface OrderCast {
  readonly orderId: string;
  readonly serviceId: string;
  readonly agentId: string;
  readonly key: string;
  readonly admin: string;
}

export async function callOrders(market: TestMarket, url: string): Promise<OrderCast> {
  const opponents = await openOpponents({ ...market, url });
  const { buyer, provider, admin, service } = opponents;
  const buyerHeaders = await headersOf(buyer);
  const ask = (route: Route, options: CallOptions = {}) => expectCall(url, 200, route, { headers: buyerHeaders, ...options });
  const answer = (route: Route, options: CallOptions = {}) => expectCall(url, 200, route, { key: provider.key, ...options });
  const moved = async (reply: ReturnType<typeof act>) => assert.equal((await reply).status, 200, JSON.stringify((await reply).body));

  // An order at a fixed price, from the brief with a picture to the review.
  const image = await upload(
    url,
    undefined,
    { content: png(2, 2), type: 'image/png', name: 'a.png' },
    { path: '/api/orders/brief-images', headers: buyerHeaders },
  );
  assert.equal(image.status, 200, JSON.stringify(image.body));
  const order = await placeOrder(url, service, buyer, {
    reference_images: [image.body['data'].url],
    reference_urls: ['https://example.com/a'],
  });
  await ask(`GET /api/orders?role=client&limit=5`);
  await payOrder(url, order, buyer);
  await answer(`POST /api/orders/${order}/start`);
  await answer(`POST /api/orders/${order}/messages`, { body: { content: 'Which dialect?' } });
  await ask(`POST /api/orders/${order}/messages`, { body: { content: 'British, please.' } });
  await ask(`GET /api/orders/${order}/messages?limit=1`);
  await ask(`POST /api/orders/${order}/messages/read`);
  const file = await upload(url, provider.key, { content: pdf, type: 'application/pdf', name: 'page.pdf' });
  assert.equal(file.status, 200, JSON.stringify(file.body));
  assert.equal(
    (await deliver(url, order, provider, { deliverable_url: file.body['data'].url, deliverable_media_type: 'document' })).status,
    200,
  );
  await moved(act(url, order, buyer, 'revision', { feedback: 'One page is missing.' }));
  assert.equal((await deliver(url, order, provider)).status, 200);
  await moved(act(url, order, buyer, 'approve'));
  await ask(`POST /api/orders/${order}/review`, { body: { rating: 5, comment: 'Careful work.' } });
  await ask(`PUT /api/orders/${order}/portfolio`, { body: { allow: true } });
  await untilTransferred(url, order, buyer, 'payout');
  for (const accept of ['application/json', 'text/csv']) {
    await call(url, `GET /api/orders/${order}/statement`, { headers: { ...buyerHeaders, accept } });
    await call(url, `GET /api/agents/${provider.id}/statement`, { headers: { ...provider.headers, accept } });
    await call(url, 'GET /api/admin/statement', { key: admin, headers: { accept } });
  }

  // A quoted order that is accepted, one that is declined, and one that its buyer cancels.
  const byQuote = await listService(url, provider, { price_type: 'quote', price_usd: '0', title: 'Careful editing' });
  const quoted = await placeOrder(url, byQuote, buyer);
  await answer(`POST /api/orders/${quoted}/quote`, { body: { price_usd: '12.50', note: 'Two days of work.' } });
  await moved(act(url, quoted, buyer, 'accept'));
  await payOrder(url, quoted, buyer, 'confirmed');
  await answer(`PATCH /api/orders/${quoted}`, { body: { action: 'refund', reason: 'I fell ill.' } });
  const declined = await placeOrder(url, byQuote, buyer);
  await answer(`PATCH /api/orders/${declined}`, { body: { action: 'decline', reason: 'Not my field.' } });
  await moved(act(url, await placeOrder(url, service, buyer), buyer, 'cancel'));

  // A dispute with statements of both sides, split by a ruling.
  const disputed = await disputeOrder(url, opponents);
  assert.equal((await stateCase(url, disputed, provider.headers)).status, 200);
  assert.equal((await stateCase(url, disputed, buyerHeaders)).status, 200);
  await readDispute(url, disputed, buyerHeaders);
  await expectCall(url, 200, 'GET /api/admin/disputes', { key: admin });
  const ruled = await rule(url, disputed, admin, { ruling: 'split', refund_usd: '4.00' });
  assert.equal(ruled.status, 200, JSON.stringify(ruled.body));
  await readDispute(url, disputed, buyerHeaders);

  // A workspace.
  const workspace = await openWorkspace(url, provider, buyer, { quota_limit: 3 });
  const { deliverable } = await generated(url, workspace, buyer);
  assert.equal((await deliver(url, workspace, provider, { request_id: deliverable.id })).status, 200);
  await listRequests(url, workspace, buyer, '?limit=1');
  await readOrder(url, workspace, buyer);

  await callAroundOrders(url, provider.id, service, provider.key, buyerHeaders);
  await call(url, `GET /api/orders/${order}`, { headers: asHeaders(await signed(provider.owner)) });
  return { orderId: order, serviceId: service, agentId: provider.id, key: provider.key, admin };
}

/** Reads by both sides. */
async function callAroundOrders(url: string, agent: string, service: string, key: string, buyer: Record<string, string>): Promise<void> {
  const routes = [
    `GET /api/agents/${agent}/orders?limit=2`,
    `GET /api/agents/${agent}/earnings`,
    `GET /api/agents/${agent}/payouts`,
    `GET /api/agents/${agent}/portfolio`,
    `GET /api/agents/${agent}/reviews`,
    `GET /api/agents/${agent}/services`,
    `GET /api/agents/${agent}/webhooks`,
    `GET /api/agents/${agent}/webhooks/deliveries`,
    `GET /api/agents/${agent}`,
    'GET /api/agents/me',
    'GET /api/agents?search=agent&limit=3',
    `GET /api/services/${service}`,
    `GET /api/services/${service}/reviews`,
    'GET /api/services?sortBy=cheapest&limit=3',
    'GET /api/events?limit=20',
    'GET /api/notifications',
    'GET /api/upload',
    'GET /api/platform-stats',
    'GET /api/metrics',
    'GET /api/metrics/activity',
    'GET /api/stats/board',
    'GET /api/stats/daily',
    'GET /api/stats/held',
    'GET /api/explorer/payments',
    'GET /api/explorer/hires',
    'GET /api/explorer/payouts',
  ] as const;
  for (const route of routes) await expectCall(url, 200, route, { key });
  for (const route of ['GET /api/events', 'GET /api/notifications', 'GET /api/orders', 'GET /api/auth/whoami'] as const) {
    await expectCall(url, 200, route, { headers: buyer });
  }
  await expectCall(url, 200, 'PATCH /api/notifications', { headers: buyer, body: {} });
}
