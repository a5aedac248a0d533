/** Calls of a person on an order. */
import { asQuery, call, type Envelope } from '../../harness/http.ts';
import { signed } from '../../harness/people.ts';
import { get, json, type Row, type Walk } from './walk.ts';

/** Signs as the buyer: three fields in the body. */
const asBuyer = async ({ buyers }: Walk): Promise<Record<string, unknown>> => ({ ...(await signed(buyers.base)) });
const step = (order: keyof Walk['orders'], body: Record<string, unknown>) => async (walk: Walk) =>
  await call(walk.url, `PATCH /api/orders/${walk.orders[order]}`, { body: { ...body, ...(await asBuyer(walk)) } });
const place = (service: keyof Walk['services']) => async (walk: Walk) =>
  await call(walk.url, 'POST /api/orders', {
    body: { service_id: walk.services[service], brief: 'A logo for a bakery.', ...(await asBuyer(walk)) },
  });
const payFor = (order: keyof Walk['orders']) => async (walk: Walk) => {
  const read = await call(walk.url, `GET /api/orders/${walk.orders[order]}${asQuery(await asBuyer(walk))}`);
  const option = read.body['data'].payment_options.find(({ network }: Envelope) => network === 'base-mainnet');
  const hash = await walk.buyers.base.payer.pay(option.pay_to, BigInt(option.amount_micros));
  return await step(order, { action: 'pay', escrow_tx_hash: hash })(walk);
};
const deliverTo = (order: keyof Walk['orders']) =>
  json(
    (walk) => `POST /api/orders/${walk.orders[order]}/deliver`,
    ({ uploaded }) => ({ deliverable_url: uploaded, deliverable_media_type: 'image' }),
    'agent',
  );
const kept =
  (order: keyof Walk['orders']) =>
  (walk: Walk, { order_id: id }: Envelope): void => {
    walk.orders[order] = id;
  };

export const orders: readonly Row[] = [
  {
    section: 'Orders',
    written: 'E17: POST /api/orders { service_id, brief, wallet, wallet_sig, wallet_sig_ts }',
    send: place('fixed'),
    keep: kept('plain'),
  },
  {
    section: 'Orders',
    written: 'E18: GET /api/orders/{id}',
    send: async (walk) => await call(walk.url, `GET /api/orders/${walk.orders.plain}${asQuery(await asBuyer(walk))}`),
  },
  { section: 'Orders', written: 'E19: PATCH /api/orders/{id} { action: pay, escrow_tx_hash }', send: payFor('plain') },
  {
    section: 'Orders',
    written: 'E26: POST /api/orders/{id}/messages',
    send: async (walk) =>
      await call(walk.url, `POST /api/orders/${walk.orders.plain}/messages`, {
        body: { content: 'Two colours, please.', ...(await asBuyer(walk)) },
      }),
  },
  { section: 'Orders', written: 'E25: POST /api/orders/{id}/deliver, a single deliverable from an upload', send: deliverTo('plain') },
  { section: 'Orders', written: 'E22: PATCH /api/orders/{id} { action: approve }', send: step('plain', { action: 'approve' }) },
  {
    section: 'What the service does',
    written: 'E30: a review of 1 to 5 stars after completion',
    send: async (walk) =>
      await call(walk.url, `POST /api/orders/${walk.orders.plain}/review`, { body: { rating: 5, ...(await asBuyer(walk)) } }),
  },
  { section: 'Orders', written: 'POST /api/orders for a service that is quoted', send: place('quote'), keep: kept('quoted') },
  {
    section: 'States and transitions',
    written: 'E24: POST /api/orders/{id}/quote by the provider agent',
    send: json(
      ({ orders: { quoted } }) => `POST /api/orders/${quoted}/quote`,
      () => ({ price_usd: 12.5 }),
      'agent',
    ),
  },
  { section: 'States and transitions', written: 'E23: quoted, PATCH action=cancel', send: step('quoted', { action: 'cancel' }) },
  { section: 'Orders', written: 'POST /api/orders, to be revised', send: place('fixed'), keep: kept('revised') },
  { section: 'Orders', written: 'PATCH action=pay, to be revised', send: payFor('revised') },
  {
    section: 'Orders',
    written: 'E25: POST /api/orders/{id}/deliver, an array of deliverables',
    send: json(
      ({ orders: { revised } }) => `POST /api/orders/${revised}/deliver`,
      ({ uploaded }) => ({
        deliverables: [
          { deliverable_url: uploaded, deliverable_media_type: 'image' },
          { deliverable_url: 'https://example.com/notes', deliverable_media_type: 'link' },
        ],
      }),
      'agent',
    ),
  },
  {
    section: 'Orders',
    written: 'E20: PATCH { action: revision } with feedback',
    send: step('revised', { action: 'revision', feedback: 'Two colours only, please.' }),
  },
  { section: 'Orders', written: 'POST /api/orders, to be disputed', send: place('fixed'), keep: kept('disputed') },
  { section: 'Orders', written: 'PATCH action=pay, to be disputed', send: payFor('disputed') },
  { section: 'Orders', written: 'POST deliver, to be disputed', send: deliverTo('disputed') },
  {
    section: 'Orders',
    written: 'E21: PATCH { action: dispute } with a reason',
    send: step('disputed', { action: 'dispute', reason: 'It is not a logo at all.' }),
  },
  { section: 'Orders', written: 'POST /api/orders, to be cancelled', send: place('fixed'), keep: kept('cancelled') },
  { section: 'Orders', written: 'PATCH action=pay, to be cancelled', send: payFor('cancelled') },
  { section: 'States and transitions', written: 'E23: paid, PATCH action=cancel, refunded', send: step('cancelled', { action: 'cancel' }) },
  { section: 'What the service does', written: 'POST /api/orders for a weekly service', send: place('weekly'), keep: kept('workspace') },
  { section: 'What the service does', written: 'PATCH action=pay opens a workspace', send: payFor('workspace') },
  {
    section: 'Orders',
    written: 'E27: POST /api/orders/{id}/generate',
    send: async (walk) =>
      await call(walk.url, `POST /api/orders/${walk.orders.workspace}/generate`, {
        body: { prompt: 'A croissant.', ...(await asBuyer(walk)) },
      }),
  },
  {
    section: 'Orders',
    written: 'E28: GET /api/agents/{id}/orders, by a comma-separated list of statuses',
    send: get(({ agent }) => `GET /api/agents/${agent.id}/orders?status=paid,delivered`, 'agent'),
  },
];
