/** The checker of exchanges finds every way in which an answer or an accepted request can contradict the document. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildOpenApi } from '@market/contract';
import { checkExchange } from './check-exchange.ts';
import { compileDocument } from './document-schemas.ts';
import type { Exchange } from './exchange.ts';

const document = buildOpenApi({ title: 'Market', baseUrl: 'http://127.0.0.1:4020' });
const schemas = compileDocument(document);

interface Made {
  readonly route: string;
  readonly sent?: unknown;
  readonly requestHeaders?: Record<string, string>;
  readonly status?: number;
  readonly headers?: Record<string, string>;
  readonly answered: unknown;
}

async function violationsOf({ route, sent, requestHeaders = {}, status = 200, headers = {}, answered }: Made): Promise<readonly string[]> {
  const [method = '', path = ''] = route.split(' ');
  const exchange: Exchange = {
    method,
    url: new URL(path, 'http://127.0.0.1:4020'),
    requestHeaders: new Headers({ 'content-type': 'application/json', ...requestHeaders }),
    requestBody: Buffer.from(sent === undefined ? '' : JSON.stringify(sent)),
    status,
    responseHeaders: new Headers({ 'content-type': 'application/json; charset=utf-8', 'x-request-id': 'req_1', ...headers }),
    responseBody: Buffer.from(JSON.stringify(answered)),
  };
  return (await checkExchange(document, schemas, exchange)).violations;
}

const read = 'GET /api/agents/my?limit=1';
const signedIn = { authorization: 'Bearer token' };
const page = { success: true, data: [], total: 0, next_cursor: null };
const refusal = { success: false, error: 'No.', code: 'unauthenticated', request_id: 'req_1' };

test('an exchange that follows the OpenAPI document has no violation', async () => {
  assert.deepEqual(await violationsOf({ route: read, requestHeaders: signedIn, answered: page }), []);
  const headers = { 'www-authenticate': 'Bearer realm="market"' };
  assert.deepEqual(await violationsOf({ route: read, status: 401, headers, answered: refusal }), []);
});

const faults: readonly (Made & { readonly found: RegExp })[] = [
  { route: read, requestHeaders: signedIn, answered: { ...page, surprise: 1 }, found: /unevaluatedProperty":"surprise"/ },
  { route: read, requestHeaders: signedIn, answered: { ...page, total: 'many' }, found: /\/total must be integer/ },
  { route: read, requestHeaders: signedIn, answered: page, headers: { 'x-surprise': '1' }, found: /header x-surprise is not declared/ },
  {
    route: read,
    requestHeaders: signedIn,
    answered: page,
    headers: { 'content-type': 'text/html' },
    found: /content type text\/html is not declared/,
  },
  { route: read, status: 418, answered: refusal, found: /answered 418, which is not declared/ },
  { route: read, status: 401, answered: refusal, found: /header WWW-Authenticate is missing/ },
  { route: read, status: 403, answered: refusal, found: /\/code must be equal to one of the allowed values/ },
  { route: read, answered: page, found: /accepted although no alternative of its security/ },
  {
    route: 'GET /api/agents/my?limit=0',
    requestHeaders: signedIn,
    answered: page,
    found: /accepted although query limit: .* must be >= 1/,
  },
  { route: 'GET /api/agents/my?nonsense=1', requestHeaders: signedIn, answered: page, found: /accepted although query nonsense/ },
  {
    route: 'PATCH /api/notifications',
    requestHeaders: signedIn,
    sent: { ids: 'all' },
    answered: { success: true, data: {} },
    found: /accepted although body: \/ids must be array/,
  },
  { route: 'GET /api/x402/pay?service_id=x', status: 402, answered: refusal, found: /must have required property 'payTo'/ },
  { route: 'GET /api/nothing', answered: page, found: /at an address that the document does not name/ },
];

for (const { found, ...made } of faults) {
  test(`an exchange against the OpenAPI document is a violation: ${found.source}`, async () => {
    const violations = await violationsOf(made);
    assert.ok(
      violations.some((violation) => found.test(violation)),
      JSON.stringify(violations),
    );
  });
}
