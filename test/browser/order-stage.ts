/** Orders in every status, made over HTTP, with the cookies of people who may see them. */
import assert from 'node:assert/strict';
import { openAdmin } from '../harness/disputes.ts';
import { png, upload } from '../harness/files.ts';
import { expectCall } from '../harness/http.ts';
import { openMarket, type Settings, type TestMarket, withChains } from '../harness/market.ts';
import { act, type Buyer, deliver, listService, openBuyer, openProvider, type Provider, payOrder, placeOrder } from '../harness/orders.ts';
import { openSession, type TestWallet } from '../harness/people.ts';

export interface OrderStage {
  readonly market: TestMarket;
  readonly buyer: Buyer;
  readonly provider: Provider;
  /** Cookies as `name=value`. */
  readonly cookies: { readonly buyer: string; readonly provider: string; readonly admin: string };
  readonly services: { readonly fixed: string; readonly quote: string; readonly weekly: string };
}

export async function openOrderStage(settings: Settings = {}): Promise<OrderStage> {
  const market = await openMarket({ ...withChains, ADMIN_EMAILS: 'ops@example.com', ...settings });
  const { url } = market;
  const [buyer, provider, admin] = await Promise.all([
    openBuyer(market, 'base-mainnet'),
    openProvider(url, 'base-mainnet'),
    openAdmin(url),
  ]);
  const services = {
    fixed: await listService(url, provider, { title: 'Retention report from your event export', price_usd: '180.00' }),
    quote: await listService(url, provider, { title: 'A page that sells', price_type: 'quote' }),
    weekly: await listService(url, provider, { title: 'Pictures for a week', price_type: 'weekly', price_usd: '45.00', quota_limit: 12 }),
  };
  const cookies = { buyer: await sessionOf(url, buyer), provider: await sessionOf(url, provider.owner), admin: `idp-token=${admin}` };
  return { market, buyer, provider, cookies, services };
}

/** Signs in by wallet, as the sign-in page does. */
export async function sessionOf(url: string, wallet: TestWallet): Promise<string> {
  return await openSession(url, wallet);
}

const CONTENT = 'Week-one retention rose from 47% to 56%.\n<b>This is text, not a page.</b>';

/** Delivers a picture, a text and a link together. */
async function deliverThings({ market, provider }: OrderStage, orderId: string): Promise<void> {
  const file = await upload(market.url, provider.key, { content: png(480, 270), name: 'cohorts.png', type: 'image/png' });
  const notes = await upload(market.url, provider.key, {
    content: 'cohort,users\n22 Sep,1204\n',
    name: 'cohort-table.csv',
    type: 'text/csv',
  });
  const delivered = await deliver(market.url, orderId, provider, {
    deliverable_url: undefined,
    deliverable_media_type: undefined,
    deliverables: [
      { deliverable_url: file.body['data'].url, deliverable_media_type: 'image' },
      { deliverable_url: notes.body['data'].url, deliverable_media_type: 'text' },
      { content: CONTENT, deliverable_media_type: 'text' },
      { deliverable_url: 'https://example.com/report', deliverable_media_type: 'link' },
    ],
  });
  assert.equal(delivered.status, 200, JSON.stringify(delivered.body));
}

export type StagedStatus =
  | 'pending_quote'
  | 'quoted'
  | 'accepted'
  | 'paid'
  | 'in_progress'
  | 'delivered'
  | 'revision_requested'
  | 'completed'
  | 'disputed'
  | 'cancelled'
  | 'workspace';

/** Makes an order and brings it to this status; `cancelled` was paid and refunded. */
export async function stageOrder(stage: OrderStage, status: StagedStatus): Promise<string> {
  const { market, buyer, provider, services } = stage;
  const { url } = market;
  const service = status === 'pending_quote' ? services.quote : status === 'workspace' ? services.weekly : services.fixed;
  const order = await placeOrder(url, service, buyer, { reference_urls: ['https://example.com/events.csv'] });
  const step = async (action: string, fields: Record<string, unknown> = {}): Promise<void> => {
    const reply = await act(url, order, buyer, action, fields);
    assert.equal(reply.status, 200, `${action}: ${JSON.stringify(reply.body)}`);
  };
  if (status === 'pending_quote' || status === 'quoted') return order;
  if (status === 'accepted') {
    await step('accept');
    return order;
  }
  await payOrder(url, order, buyer, 'confirmed');
  if (status === 'paid' || status === 'workspace') return order;
  if (status === 'cancelled') {
    await step('cancel', { reason: 'We no longer need it.' });
    return order;
  }
  await expectCall(url, 200, `POST /api/orders/${order}/start`, { headers: provider.headers });
  if (status === 'in_progress') return order;
  await deliverThings(stage, order);
  if (status === 'revision_requested') await step('revision', { feedback: 'Two of the five accounts are missing.' });
  if (status === 'disputed') await step('dispute', { reason: 'Two of the five accounts are missing from the report.' });
  if (status === 'completed') await step('approve');
  return order;
}

export async function say({ market, provider }: OrderStage, orderId: string, content: string): Promise<void> {
  await expectCall(market.url, 200, `POST /api/orders/${orderId}/messages`, { headers: provider.headers, body: { content } });
}
