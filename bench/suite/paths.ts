/** Requests of the paths that people wait for; `npm run profile` puts them under load. */

import { drive, requestOf } from './drive.ts';
import { holdMoney, placeOrders } from './funded-orders.ts';
import { fillServices, ORDER_BRIEF, openBuyerKey, openSeller, pickServices, type Seller } from './market-people.ts';
import type { Stage } from './stage.ts';

export interface LoadPath {
  readonly about: string;
  readonly status?: number;
  /** Returns a function that makes the request of a number; undefined when no request is left. */
  prepare(stage: Stage, sizes?: Sizes): Promise<(number: number) => Buffer | undefined>;
}

/** Number of services and orders in the market when the load begins. */
export interface Sizes {
  readonly services: number;
  readonly orders: number;
}

const SIZES: Sizes = { services: 10_000, orders: 1_000 };

const read = (about: string, route: string | ((stage: Stage) => Promise<string>), status?: number): LoadPath => ({
  about,
  ...(status !== undefined && { status }),
  async prepare(stage, { services } = SIZES) {
    await fillServices(stage, services);
    const request = requestOf(stage.url, typeof route === 'string' ? route : await route(stage));
    return () => request;
  },
});

export const loadPaths: Readonly<Record<string, LoadPath>> = {
  list: read('GET /api/services?limit=20', 'GET /api/services?limit=20'),
  search: read('GET /api/services?search=…', 'GET /api/services?search=bade&limit=20'),
  agent: read('GET /api/agents/{slug}', async ({ url }) => `GET /api/agents/${(await openSeller(url)).slug}`),
  home: read('GET /', 'GET /'),
  browse: read('GET /browse', 'GET /browse'),
  explorer: read('GET /explorer', 'GET /explorer'),
  challenge: read('the 402 of a hire', async ({ url }) => `GET /api/x402/discover/${(await openSeller(url)).serviceId}`, 402),
  'place-order': {
    about: 'POST /api/orders by API key, a thousand sellers',
    async prepare(stage, { services } = SIZES) {
      await fillServices(stage, services);
      const key = await openBuyerKey(stage.url);
      const ids = await pickServices(stage, 1_000);
      const orders = ids.map((id) => requestOf(stage.url, 'POST /api/orders', { key, body: { service_id: id, brief: ORDER_BRIEF } }));
      return (number) => orders[number % orders.length];
    },
  },
  deliver: {
    about: 'POST /api/orders/{id}/deliver by API key',
    async prepare(stage, { orders } = SIZES) {
      const { seller, ids } = await openFundedOrders(stage, orders);
      const body = { deliverable_url: 'https://example.com/result', deliverable_media_type: 'link' };
      return eachOf(ids, (id) => requestOf(stage.url, `POST /api/orders/${id}/deliver`, { key: seller.key, body }));
    },
  },
  approve: {
    about: 'PATCH /api/orders/{id} approve by API key',
    async prepare(stage, { orders } = SIZES) {
      const { seller, buyer, ids } = await openFundedOrders(stage, orders);
      const body = { content: 'Done.' };
      const deliver = (id: string): Buffer => requestOf(stage.url, `POST /api/orders/${id}/deliver`, { key: seller.key, body });
      await drive({ url: stage.url, callers: 8, next: eachOf(ids, deliver) });
      return eachOf(ids, (id) => requestOf(stage.url, `PATCH /api/orders/${id}`, { key: buyer, body: { action: 'approve' } }));
    },
  },
};

async function openFundedOrders(stage: Stage, count: number): Promise<{ seller: Seller; buyer: string; ids: readonly string[] }> {
  const [seller, buyer] = [await openSeller(stage.url), await openBuyerKey(stage.url)];
  const { ids } = await placeOrders(stage, { serviceId: seller.serviceId, buyer, count });
  await holdMoney(stage, ids);
  return { seller, buyer, ids };
}

/** Requests each id once. */
export function eachOf(ids: readonly string[], request: (id: string) => Buffer): (number: number) => Buffer | undefined {
  return (number) => {
    const id = ids[number];
    return id === undefined ? undefined : request(id);
  };
}
