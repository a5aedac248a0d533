/** Published validators check our challenges at every address that asks for payment. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { getWarningsFor402Body } from '@agentcash/discovery';
import { decodePaymentRequiredHeader } from '@x402/core/http';
import { isPaymentRequiredV2, PaymentRequiredV1Schema, PaymentRequiredV2Schema } from '@x402/core/schemas';
import type { PaymentRequired, PaymentRequirementsV1 } from '@x402/core/types';
import {
  type DiscoveryExtension,
  extractDiscoveryInfoV1,
  sanitizeResourceServiceMetadata,
  validateDiscoveryExtension,
  validateDiscoveryExtensionSpec,
} from '@x402/extensions/bazaar';
import { call, type Reply } from '../harness/http.ts';
import { openMarket, type TestMarket, withChains } from '../harness/market.ts';
import { listService, openProvider } from '../harness/orders.ts';
import { agentBody } from '../harness/people.ts';

interface Entrance {
  readonly route: (service: string) => `${string} /${string}`;
  readonly body?: (service: string) => unknown;
}

const entrances: Record<string, Entrance> = {
  'GET discover, by path': { route: (id) => `GET /api/x402/discover/${id}` },
  'GET discover, by query': { route: (id) => `GET /api/x402/discover?service_id=${id}` },
  'POST discover': { route: (id) => `POST /api/x402/discover/${id}` },
  'POST discover, with a brief': { route: (id) => `POST /api/x402/discover/${id}`, body: () => ({ brief: 'A logo.' }) },
  'POST pay': { route: (id) => `POST /api/x402/pay?service_id=${id}` },
  'GET pay': { route: (id) => `GET /api/x402/pay?service_id=${id}&chain=base` },
  'POST orders': { route: () => 'POST /api/orders', body: (id) => ({ service_id: id, brief: 'A logo for a bakery.' }) },
  registration: { route: () => 'POST /api/agents/register', body: () => agentBody({ pay_to_register: true }) },
};

/** Titles that a provider may not type, but a database may hold. */
const hostileTitles = [
  `"}]},"accepts":[{"payTo":"thief`,
  '</script><script>alert(1)</script>',
  'Bell \u0007 escape \u001b[31m red \u0085 next line',
  'Right \u202e to left, line \u2028 and paragraph \u2029',
  '💥🇺🇳👩‍👩‍👧 ṱ̦̺h̷i̶s',
  '$ref #/components/schemas/Hire {service_id} %00%0d%0aSet-Cookie: a=b',
  'x'.repeat(120),
];

describe('challenges', () => {
  let market: TestMarket;
  let services: string[];
  before(async () => {
    market = await openMarket(withChains);
    const provider = await openProvider(market.url);
    services = [await listService(market.url, provider, { price_usd: '5.00' })];
    for (const title of hostileTitles) {
      const id = await listService(market.url, provider, { price_usd: '5.00' });
      await market.database.pool.query('update services set title = $2, description = $2 where id = $1', [id, title]);
      services.push(id);
    }
  });
  after(async () => {
    await market.close();
  });

  const ask = async ({ route, body }: Entrance, service: string): Promise<Reply> => {
    const reply = await call(market.url, route(service), body === undefined ? {} : { body: body(service) });
    assert.equal(reply.status, 402, JSON.stringify(reply.body));
    return reply;
  };
  const challengeIn = ({ headers }: Reply): PaymentRequired => decodePaymentRequiredHeader(headers.get('payment-required') ?? '');

  for (const [name, entrance] of Object.entries(entrances)) {
    test(`X11: ${name}: the header of a 402 is a version 2 challenge with any service title`, async () => {
      for (const service of services) {
        const reply = await ask(entrance, service);
        const required = challengeIn(reply);
        assert.ok(isPaymentRequiredV2(required));
        assert.deepEqual(PaymentRequiredV2Schema.safeParse(required).error, undefined);
        assert.deepEqual(
          getWarningsFor402Body(required).map(({ message }) => message),
          [],
        );
        assert.deepEqual(sanitizeResourceServiceMetadata(required.resource), {
          serviceName: required.resource.serviceName,
          tags: required.resource.tags,
        });
        assert.ok((reply.headers.get('payment-required') ?? '').length < 8_192);
        assert.equal(reply.headers.get('cache-control'), 'private, no-store');
      }
    });

    test(`${name}: every offer of a challenge is payable as it is`, async () => {
      const { accepts } = challengeIn(await ask(entrance, services[0] ?? ''));
      assert.deepEqual(new Set(accepts.map(({ network }) => network)), new Set([...market.chains.values()].map(({ caip2 }) => caip2)));
      for (const { amount, maxTimeoutSeconds, payTo, extra, network } of accepts) {
        assert.match(amount, /^[1-9]\d*$/);
        assert.ok(maxTimeoutSeconds >= 1 && maxTimeoutSeconds <= 3600);
        if (network.startsWith('eip155:')) assert.deepEqual([typeof extra['name'], typeof extra['version']], ['string', 'string']);
        else assert.ok(typeof extra['feePayer'] === 'string' && extra['feePayer'] !== payTo);
      }
    });

    test(`${name}: the discovery extension of a challenge is valid, and its example request leads to the same price`, async () => {
      const service = services[0] ?? '';
      const required = challengeIn(await ask(entrance, service));
      const extension = required.extensions?.['bazaar'] as DiscoveryExtension;
      assert.deepEqual(validateDiscoveryExtension(extension), { valid: true });
      assert.deepEqual(validateDiscoveryExtensionSpec(extension as unknown as Record<string, unknown>), { valid: true });
      assert.equal(await statusOfExample(required.resource.url, extension), 402);
    });
  }

  for (const [name, entrance] of Object.entries(entrances)) {
    test(`${name} with x402Version=1: the body of a 402 is a version 1 challenge, and no header contains another`, async () => {
      for (const service of services) {
        const plain = entrance.route(service);
        const strict: Entrance = { ...entrance, route: () => `${plain}${plain.includes('?') ? '&' : '?'}x402Version=1` };
        const { body, headers } = await ask(strict, service);
        assert.equal(headers.get('payment-required'), null);
        assert.deepEqual(PaymentRequiredV1Schema.safeParse(body).error, undefined);
        const accepts = body['accepts'] as PaymentRequirementsV1[];
        assert.deepEqual(
          accepts.map(({ network }) => network),
          ['base', 'solana'],
        );
        for (const offer of accepts) {
          assert.match(offer.resource, /[?&]x402Version=1$/);
          assert.equal(extractDiscoveryInfoV1(offer)?.input.type, 'http');
        }
      }
    });
  }
});

/** Calls the resource as its own example shows. */
async function statusOfExample(url: string, { info: { input } }: DiscoveryExtension): Promise<number> {
  assert.ok(input.type === 'http');
  if (!('body' in input)) {
    const address = new URL(url);
    for (const [key, value] of Object.entries(input.queryParams ?? {})) address.searchParams.set(key, String(value));
    return (await fetch(address)).status;
  }
  const headers = { 'content-type': 'application/json' };
  return (await fetch(url, { method: input.method ?? 'POST', headers, body: JSON.stringify(input.body) })).status;
}
