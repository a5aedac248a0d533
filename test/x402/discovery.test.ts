/** How agents find payable services: the OpenAPI document and the probes of an external checker, over HTTP. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import {
  checkEndpointSchema,
  checkL2ForOpenAPI,
  checkL4ForOpenAPI,
  discoverOriginSchema,
  getL3ForOpenAPI,
  getOpenAPI,
  getWarningsForFavicon,
  getWarningsForL2,
  getWarningsForL3,
  getWarningsForL4,
  getWarningsForOpenAPI,
  isOpenApiParseFailure,
  type OpenApiSource,
  validatePaymentRequiredDetailed,
} from '@agentcash/discovery';
import { Validator } from '@seriousme/openapi-schema-validator';
import { call, type Envelope } from '../harness/http.ts';
import { openMarket, type TestMarket, withChains } from '../harness/market.ts';
import { listService, openProvider } from '../harness/orders.ts';

const questions = [
  { label: '__proto__', type: 'text', required: true },
  { label: 'Your "site"', type: 'url', required: false, placeholder: 'https://…' },
  { label: 'Style', type: 'select', required: false, options: ['plain', 'loud'] },
  { label: 'How many', type: 'number', required: false },
];

describe('discovery', () => {
  let market: TestMarket;
  let plain: string;
  let asking: string;
  before(async () => {
    market = await openMarket(withChains);
    const provider = await openProvider(market.url);
    plain = await listService(market.url, provider, { price_usd: '0.011', category: 'image_gen' });
    asking = await listService(market.url, provider, { price_usd: '5.00', requirement_fields: questions });
    const hostile = await listService(market.url, provider);
    await market.database.pool.query('update services set title = $2, description = $3 where id = $1', [
      hostile,
      '"}</script>\u0007{id}$ref💥',
      '👩‍👩‍👧\u2028'.repeat(400),
    ]);
  });
  after(async () => {
    await market.close();
  });

  const readSource = async (): Promise<OpenApiSource> => {
    const source = (await getOpenAPI(market.url))._unsafeUnwrap();
    assert.ok(source !== null && !isOpenApiParseFailure(source), JSON.stringify(source));
    return source;
  };

  test('an external checker finds no problem in the OpenAPI document', async () => {
    const source = await readSource();
    const icon = (await getWarningsForFavicon(market.url))._unsafeUnwrap();
    assert.deepEqual(
      [
        ...getWarningsForOpenAPI(source),
        ...getWarningsForL2(checkL2ForOpenAPI(source)),
        ...getWarningsForL4(checkL4ForOpenAPI(source)),
        ...icon,
      ],
      [],
    );
  });

  test('an external checker finds no problem with any payable route, in the document and on the wire', async () => {
    const { routes, ...source } = await readSource();
    assert.equal(routes.length, 3);
    for (const { path, method } of routes) {
      assert.deepEqual(getWarningsForL3(getL3ForOpenAPI({ ...source, routes }, path, method)), []);
      const checked = await checkEndpointSchema({ url: `${market.url}${path}`, probe: true });
      assert.ok(checked.found);
      const advisory = checked.advisories.find((candidate) => candidate.method === method);
      assert.ok(advisory, `${method} ${path} was not recognised`);
      assert.deepEqual([advisory.authMode, getWarningsForL3(advisory)], ['paid', []]);
      assert.deepEqual(validatePaymentRequiredDetailed(advisory.paymentRequiredBody).issues, []);
    }
  });

  test('an external checker finds no problem with the other entrances', async () => {
    for (const path of [`/api/x402/discover?service_id=${plain}`, `/api/x402/pay?service_id=${plain}`]) {
      const checked = await checkEndpointSchema({ url: `${market.url}${path}`, probe: true });
      assert.ok(checked.found, path);
      const paid = checked.advisories.filter(({ authMode }) => authMode === 'paid');
      assert.ok(paid.length > 0, path);
      for (const advisory of paid) assert.deepEqual(validatePaymentRequiredDetailed(advisory.paymentRequiredBody).issues, []);
    }
  });

  test('an agent that knows only the origin finds every service, its price and how to call it', async () => {
    const found = await discoverOriginSchema({ target: market.url });
    assert.ok(found.found);
    assert.ok(found.guidanceAvailable);
    const [route] = found.endpoints.filter(({ path, method }) => path.endsWith(plain) && method === 'GET');
    assert.deepEqual([route?.authMode, route?.price, route?.currency, route?.protocols], ['paid', '0.0121 USD', 'USD', ['x402']]);
  });

  test('X11: the OpenAPI document is valid 3.1 with any service titles', async () => {
    const { body } = await call(market.url, 'GET /openapi.json');
    const { valid, errors } = await new Validator().validate(body);
    assert.ok(valid, JSON.stringify(errors));
    const { get, ...others } = body['paths'][`/api/x402/discover/${plain}`];
    assert.deepEqual(others, {}, 'one operation per service');
    assert.deepEqual([get.operationId, get.tags, get.security], [`x402_${plain}`, ['image_gen'], []]);
    assert.deepEqual(get['x-payment-info'], {
      price: { mode: 'fixed', currency: 'USD', amount: '0.0121' },
      protocols: [{ x402: {} }],
    });
    assert.equal(get.requestBody.content['application/json'].schema.$ref, '#/components/schemas/Hire');
    const ids = Object.values<Envelope>(body['paths']).flatMap((item) => Object.values(item).map(({ operationId }) => operationId));
    assert.equal(new Set(ids).size, ids.length);
    for (const item of Object.values<Envelope>(body['paths'])) assert.ok([...item['get'].description].length <= 300);
  });

  test('the OpenAPI document of a service with requirement fields describes the answers it accepts', async () => {
    const { body } = await call(market.url, 'GET /openapi.json');
    const { get } = body['paths'][`/api/x402/discover/${asking}`];
    const { properties, required } = get.requestBody.content['application/json'].schema.properties.requirements;
    assert.deepEqual([Object.keys(properties), required], [questions.map(({ label }) => label), ['__proto__']]);
    assert.deepEqual([properties.Style.enum, properties['How many'].type], [['plain', 'loud'], 'number']);
  });
});

describe('HTTP methods of a path', () => {
  let market: TestMarket;
  before(async () => {
    market = await openMarket();
  });
  after(async () => {
    await market.close();
  });

  for (const [path, allow] of [
    ['/api/x402/discover/svc_1700000000000_m1p2z8r4c', 'GET, POST, HEAD, OPTIONS'],
    ['/api/x402/discover', 'GET, HEAD, OPTIONS'],
    ['/api/x402/pay', 'POST, GET, HEAD, OPTIONS'],
    ['/openapi.json', 'GET, HEAD, OPTIONS'],
    ['/.well-known/x402', 'GET, HEAD, OPTIONS'],
  ] as const) {
    test(`${path} answers 405 to every other method and lists its own`, async () => {
      const taken: readonly string[] = allow.split(', ');
      for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].filter((other) => !taken.includes(other))) {
        const reply = await call(market.url, `${method} ${path}`);
        assert.deepEqual([reply.status, reply.body['code'], reply.headers.get('allow')], [405, 'method_not_allowed', allow]);
      }
      const asked = await call(market.url, `OPTIONS ${path}`);
      assert.deepEqual([asked.status, asked.headers.get('allow')], [204, allow]);
    });
  }

  test('an unknown path is 404 for every method', async () => {
    for (const method of ['GET', 'POST', 'DELETE', 'OPTIONS']) {
      const reply = await call(market.url, `${method} /api/x402/nothing`);
      assert.deepEqual([reply.status, reply.body['code'], reply.headers.get('allow')], [404, 'not_found', null]);
    }
  });

  test('a page of any origin may send the payment headers and read the challenge and the receipt', async () => {
    const reply = await call(market.url, 'OPTIONS /api/x402/discover/svc_1700000000000_m1p2z8r4c', {
      headers: { origin: 'https://shop.example', 'access-control-request-method': 'GET' },
    });
    assert.equal(reply.status, 204);
    assert.equal(reply.headers.get('access-control-allow-origin'), '*');
    const listed = (name: string): string[] => (reply.headers.get(name) ?? '').toLowerCase().split(', ');
    const sent = ['payment-signature', 'x-payment', 'x-payment-network', 'x-market-brief', 'content-type'];
    const read = ['payment-required', 'payment-response', 'x-payment-response'];
    assert.deepEqual(
      sent.filter((name) => !listed('access-control-allow-headers').includes(name)),
      [],
    );
    assert.deepEqual(
      read.filter((name) => !listed('access-control-expose-headers').includes(name)),
      [],
    );
  });
});
