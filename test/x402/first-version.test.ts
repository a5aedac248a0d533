/** Clients of x402 version 1 are strict: one wrong field makes them refuse the whole list of offers. */
import assert from 'node:assert/strict';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { installClient } from '../clients/install-client.ts';
import { call, type Envelope } from '../harness/http.ts';
import { openMarket, type TestMarket, withChains } from '../harness/market.ts';
import { listService, openProvider } from '../harness/orders.ts';
import { agentBody } from '../harness/people.ts';

interface Schema {
  safeParse(value: unknown): { readonly success: boolean; readonly error?: unknown };
}

interface FirstVersionTypes {
  readonly x402ResponseSchema: Schema;
  readonly PaymentRequirementsSchema: Schema;
  readonly ListDiscoveryResourcesResponseSchema: Schema;
}

describe('strict x402 version 1', () => {
  let market: TestMarket;
  let types: FirstVersionTypes;
  let service: string;
  before(async () => {
    const [opened, folder] = await Promise.all([openMarket(withChains), installClient('legacy')]);
    market = opened;
    const entry = path.join(folder, 'node_modules', 'x402', 'dist', 'esm', 'types', 'index.mjs');
    types = (await import(pathToFileURL(entry).href)) as FirstVersionTypes;
    const provider = await openProvider(market.url);
    service = await listService(market.url, provider, { price_usd: '5.00' });
    const hostile = await listService(market.url, provider);
    await market.database.pool.query('update services set title = $2, description = $2 where id = $1', [
      hostile,
      '"}]}</script>\u0007\u2028\u202e💥',
    ]);
  });
  after(async () => {
    await market.close();
  });

  const accept = (schema: Schema, value: unknown): void => {
    const { success, error } = schema.safeParse(value);
    assert.ok(success, JSON.stringify(error));
  };

  test('the version 1 validator is strict: it refuses our own form of an offer', async () => {
    const { body } = await call(market.url, `GET /api/x402/discover/${service}`);
    for (const offer of body['accepts']) assert.ok(!types.PaymentRequirementsSchema.safeParse(offer).success);
  });

  for (const route of [
    'GET /api/x402/discover/{id}?x402Version=1',
    'GET /api/x402/discover?service_id={id}&x402Version=1',
    'GET /api/x402/pay?service_id={id}&x402Version=1',
    'POST /api/x402/pay?service_id={id}&x402Version=1',
  ] as const) {
    test(`${route} passes the version 1 validator, offer by offer`, async () => {
      const { status, body } = await call(market.url, route.replace('{id}', service) as typeof route);
      assert.equal(status, 402);
      accept(types.x402ResponseSchema, body);
      assert.equal(body['accepts'].length, 2);
      for (const offer of body['accepts']) accept(types.PaymentRequirementsSchema, offer);
    });
  }

  test('POST with a body passes the version 1 validator for a hire, an order and a registration', async () => {
    const asked = [
      await call(market.url, `POST /api/x402/discover/${service}?x402Version=1`, { body: { brief: 'A logo.' } }),
      await call(market.url, 'POST /api/orders?x402Version=1', { body: { service_id: service, brief: 'A logo for a bakery.' } }),
      await call(market.url, 'POST /api/agents/register?pay=x402&x402Version=1', { body: agentBody() }),
    ];
    for (const { status, body } of asked) {
      assert.equal(status, 402);
      accept(types.x402ResponseSchema, body);
      assert.equal(body['accepts'].length, 2);
      for (const offer of body['accepts']) accept(types.PaymentRequirementsSchema, offer);
    }
  });

  test('X11: the version 1 directory is a list of resources with any service titles', async () => {
    const { body } = await call(market.url, 'GET /api/x402/directory');
    // The validator expects the values of its own server, before they are written as JSON.
    const items = body['items'].map((item: Envelope) => ({ ...item, lastUpdated: new Date(item['lastUpdated']) }));
    accept(types.ListDiscoveryResourcesResponseSchema, { ...body, items });
    assert.equal(body['items'].length, 2);
    for (const { accepts } of body['items']) for (const offer of accepts) accept(types.PaymentRequirementsSchema, offer);
  });
});
