/** A 402 fits the limits on its way: facilitators accept 3 KB in the header, a proxy with default settings 4 KB in total. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { decodePaymentRequiredHeader } from '@x402/core/http';
import { versionOne, versionTwo } from '../harness/machine-buyers.ts';
import { openMarket, type TestMarket, withChains } from '../harness/market.ts';
import { listService, openProvider } from '../harness/orders.ts';
import { agentBody } from '../harness/people.ts';
import { exchangeBytes, parseReply, toBytes } from '../harness/raw-http.ts';

const HEADER_BYTES = 3 * 1024;
const HEAD_BYTES = 4 * 1024;
/** A long but ordinary host name of a deployment. */
const BASE_URL = 'https://agents.eu-central-1.staging.marketplace.example.com';

/** The longest titles that providers may type, and longer ones that a database may hold. */
const titles = {
  plain: 'A title as long as can be. '.repeat(3).slice(0, 80).trim(),
  cyrillic: 'Щ'.repeat(80),
  emoji: '👩‍👩‍👧'.repeat(40),
  escapes: '\u0007"\\'.repeat(40),
  endless: 'x'.repeat(10_000),
};

interface Asking {
  readonly method: 'GET' | 'POST';
  readonly path: (service: string) => string;
  readonly body?: (service: string) => unknown;
}

const name = "An agent's name of forty characters long";
const entrances: Record<string, Asking> = {
  'GET discover, by path': { method: 'GET', path: (id) => `/api/x402/discover/${id}` },
  'GET discover, by query': { method: 'GET', path: (id) => `/api/x402/discover?service_id=${id}` },
  'POST discover': { method: 'POST', path: (id) => `/api/x402/discover/${id}`, body: () => ({ brief: 'A logo.' }) },
  'GET pay': { method: 'GET', path: (id) => `/api/x402/pay?service_id=${id}` },
  'POST pay': { method: 'POST', path: (id) => `/api/x402/pay?service_id=${id}`, body: () => ({ brief: 'A logo.' }) },
  'POST orders': { method: 'POST', path: () => '/api/orders', body: (id) => ({ service_id: id, brief: 'A logo for a bakery.' }) },
  registration: { method: 'POST', path: () => '/api/agents/register', body: () => agentBody({ name, pay_to_register: true }) },
};

/** Additions of a client that make the answer longer: a page's origin, a request id, an unknown parameter. */
const verbose: [string, string][] = [
  ['Origin', 'https://a-shop-with-a-long-name.example.org'],
  ['X-Request-Id', 'r'.repeat(64)],
];

describe('the headers of a 402', () => {
  let market: TestMarket;
  const services: Record<string, string> = {};
  before(async () => {
    market = await openMarket({ ...withChains, BASE_URL, PAYMENT_WAIT_SECONDS: '0', SERVICE_NAME: 'The Open Marketplace of Agents' });
    const provider = await openProvider(market.url);
    for (const [kind, title] of Object.entries(titles)) {
      const id = await listService(market.url, provider, { price_usd: '900000.00' });
      await market.database.pool.query('update services set title = $2, description = $2 where id = $1', [id, title]);
      services[kind] = id;
    }
  });
  after(async () => {
    await market.close();
  });

  const ask = async ({ method, path, body }: Asking, service: string, headers: Record<string, string> = {}) => {
    const content = body === undefined ? {} : { body: JSON.stringify(body(service)) };
    const type: [string, string][] = body === undefined ? [] : [['Content-Type', 'application/json']];
    const sent = { method, path: path(service), headers: [...verbose, ...type, ...Object.entries(headers)], ...content };
    const bytes = await exchangeBytes(market.url, toBytes(market.url, sent));
    const reply = parseReply(bytes);
    return { ...reply, headBytes: bytes.indexOf('\r\n\r\n') + 4, header: reply.headers.get('payment-required') ?? '' };
  };

  const requireSmall = async (asking: Asking, service: string, headers: Record<string, string> = {}) => {
    const reply = await ask(asking, service, headers);
    assert.equal(reply.status, 402, reply.text);
    assert.ok(reply.header.length > 0 && reply.header.length < HEADER_BYTES, `the header has ${reply.header.length} bytes`);
    assert.ok(reply.headBytes < HEAD_BYTES, `the head has ${reply.headBytes} bytes`);
    return reply;
  };

  for (const [entrance, asking] of Object.entries(entrances)) {
    test(`${entrance}: the headers of a 402 are short with any service title and contain all that a payment needs`, async () => {
      for (const service of Object.values(services)) {
        const { header, body } = await requireSmall(asking, service);
        const { accepts, resource, extensions } = decodePaymentRequiredHeader(header);
        assert.equal(accepts.length, 3);
        assert.ok(resource?.url.startsWith(BASE_URL) && resource.description?.isWellFormed());
        assert.deepEqual(Object.keys(extensions ?? {}), ['bazaar', 'payment-identifier', 'offer-receipt']);
        const [first] = body['accepts'] ?? [body];
        if (entrance !== 'registration' && service === services['cyrillic']) assert.ok(first.description.includes(titles.cyrillic));
      }
    });

    test(`${entrance}: the headers of a 402 stay short when a payment is refused`, async () => {
      const service = services['cyrillic'] ?? '';
      const [offer] = decodePaymentRequiredHeader((await ask(asking, service)).header).accepts;
      const empty = { signature: `0x${'1'.repeat(130)}`, authorization: emptyAuthorization };
      const payments = [versionTwo(offer as never, empty), versionOne('base-mainnet', empty), { 'x-payment': `0x${'ab'.repeat(32)}` }];
      if (entrance === 'GET pay') return;
      for (const headers of payments) {
        const paid = asking.method === 'GET' ? { ...asking, path: (id: string) => withBrief(asking.path(id)) } : asking;
        const { body } = await requireSmall(paid, service, headers as Record<string, string>);
        assert.equal(body['code'], 'payment_rejected');
      }
    });
  }

  test('402s to requests in one packet come in their order, each with its own id and body', async () => {
    const path = `/api/x402/discover/${services['plain']}`;
    const ids = Array.from({ length: 40 }, (_, number) => `request-${number}`);
    // The first request makes the answer; later ones get it from the cache, some after being counted in the database.
    for (let round = 0; round < 3; round++) {
      const asked = ids.map(
        (id) => `GET ${path} HTTP/1.1\r\nHost: a\r\nX-Request-Id: ${id}\r\n${id === ids.at(-1) ? 'Connection: close\r\n' : ''}\r\n`,
      );
      const text = (await exchangeBytes(market.url, Buffer.from(asked.join('')))).toString('latin1');
      const answers = text.split('HTTP/1.1 402 Payment Required\r\n').slice(1);
      assert.deepEqual(
        answers.map((answer) => /^X-Request-Id: (\S+)/im.exec(answer)?.[1]),
        ids,
      );
      assert.equal(new Set(answers.map((answer) => answer.split('\r\n\r\n')[1])).size, 1);
    }
  });

  test('the headers of a 402 that only asks for a signature are short', async () => {
    const asking: Asking = { method: 'GET', path: () => '/api/orders?auth=siwx' };
    await requireSmall(asking, '');
    const refused = await ask({ method: 'GET', path: () => `/api/orders/ord_1700000000000_${'k'.repeat(9)}` }, '');
    assert.ok(refused.status === 401 && refused.headBytes < HEAD_BYTES, `${refused.status}: ${refused.headBytes} bytes`);
  });
});

const emptyAuthorization = {
  from: `0x${'12'.repeat(20)}`,
  to: `0x${'34'.repeat(20)}`,
  value: '1',
  validAfter: '0',
  validBefore: '99999999999',
  nonce: `0x${'56'.repeat(32)}`,
};

function withBrief(path: string): string {
  return `${path}${path.includes('?') ? '&' : '?'}brief=A%20logo.`;
}
