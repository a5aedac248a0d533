import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Validator } from '@seriousme/openapi-schema-validator';
import { z } from 'zod';
import { defineOperation, type OperationSpec } from '../define-operation.ts';
import { type NamedOperation, type OperationName, operationList } from '../operations.ts';
import { buildDocument, buildOpenApi } from './build-openapi.ts';
import type { OpenApiDocument, OpenApiOperation } from './document.ts';
import type { JsonSchema } from './json-schema.ts';

const options = { title: 'Market', baseUrl: 'http://127.0.0.1:4020' };

function operationOf(document: OpenApiDocument, method: string, path: string): OpenApiOperation {
  const operation = document.paths[path]?.[method];
  assert.ok(operation, `${method} ${path} is in the document`);
  return operation;
}

async function assertValid(document: OpenApiDocument): Promise<void> {
  const result = await new Validator().validate(structuredClone(document) as object as Record<string, unknown>);
  assert.deepEqual(result, { valid: true });
}

function invented(method: string, spec: OperationSpec): NamedOperation {
  return { name: `agents.${method}` as OperationName, group: 'agents', method, spec };
}

function transition(value: string, body?: z.ZodObject): NamedOperation {
  return invented(
    value,
    defineOperation({
      summary: `${value} an order`,
      input: { path: z.object({ id: z.string() }), ...(body === undefined ? {} : { body }) },
      output: { data: z.object({ status: z.string() }) },
      power: 'buy',
      access: { accepts: ['idp'] },
      effects: { kind: 'write' },
      rest: { method: 'PATCH', path: '/api/orders/{id}', selector: { field: 'action', value } },
      examples: [
        { title: `To ${value}`, input: { id: 'ord_1', ...(body === undefined ? {} : { reason: 'Late' }) }, data: { status: 'done' } },
      ],
    }),
  );
}

test('the OpenAPI document is valid OpenAPI 3.1', async () => {
  await assertValid(buildOpenApi(options));
  await assertValid(buildOpenApi({ ...options, profile: 'sandbox' }));
});

test('every operation is in the OpenAPI document under its name, method and path', () => {
  const document = buildOpenApi({ ...options, profile: 'sandbox' });
  for (const { name, group, spec } of operationList) {
    const operation = operationOf(document, spec.rest.method.toLowerCase(), spec.rest.path);
    if (spec.rest.selector === undefined) assert.equal(operation.operationId, name);
    assert.deepEqual(operation.tags, [group]);
  }
});

test('the OpenAPI document of production omits sandbox-only operations', () => {
  const isSandbox = (path: string) => path.startsWith('/sandbox/');
  assert.ok(!Object.keys(buildOpenApi(options).paths).some(isSandbox));
  assert.ok(Object.keys(buildOpenApi({ ...options, profile: 'sandbox' }).paths).some(isSandbox));
});

test('the OpenAPI document is the same each time, and survives JSON serialisation', () => {
  const text = JSON.stringify(buildOpenApi(options));
  assert.equal(JSON.stringify(buildOpenApi(options)), text);
  assert.deepEqual(JSON.parse(text), buildOpenApi(options));
});

test('every reference in the OpenAPI document resolves', () => {
  const document = buildOpenApi(options);
  const references = JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g);
  for (const [, pointer] of references) {
    const target = pointer?.split('/').reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], document);
    assert.ok(target, `${pointer} exists`);
  }
});

test('a limited operation documents its limit, its headers and its 429', () => {
  const operation = operationOf(buildOpenApi(options), 'post', '/api/agents/register');
  assert.deepEqual(operation['x-rate-limit'], { requests: 5, window_seconds: 3600, per: 'client address' });
  for (const status of ['201', '429']) assert.ok(operation.responses[status]?.headers['X-RateLimit-Remaining'], `${status} has the header`);
  assert.ok(operation.responses['429']?.headers['Retry-After']);
});

test('writes accept an Idempotency-Key and reads do not', () => {
  const document = buildOpenApi(options);
  const key = { $ref: '#/components/parameters/IdempotencyKey' };
  const parametersOf = (method: string, path: string) => JSON.stringify(operationOf(document, method, path).parameters ?? []);
  assert.ok(parametersOf('post', '/api/agents/register').includes(JSON.stringify(key)));
  assert.ok(!parametersOf('get', '/api/agents').includes('IdempotencyKey'));
});

test('OpenAPI security follows access: optional, one of several, or a token and a signed message together', () => {
  const document = buildOpenApi(options);
  assert.deepEqual(operationOf(document, 'get', '/api/agents').security[0], {});
  assert.deepEqual(operationOf(document, 'get', '/api/agents/me').security, [{ apiKey: [] }]);
  const linking = operationOf(document, 'post', '/api/auth/wallets').security;
  assert.deepEqual(linking, [
    { idpToken: [], signInWithX: [] },
    { idpToken: [], credentialFields: [] },
    { idpToken: [] },
    { idpCookie: [], signInWithX: [] },
    { idpCookie: [], credentialFields: [] },
    { idpCookie: [] },
    { credentialFields: [] },
    {},
  ]);
  assert.deepEqual(operationOf(document, 'post', '/api/auth/session').security, [{ signInWithX: [] }, { credentialFields: [] }, {}]);
  const reading = operationOf(document, 'get', '/api/orders/{id}').security;
  for (const scheme of ['readTokenInQuery', 'walletSignatureInQuery'])
    assert.ok(
      reading.some((one) => Object.hasOwn(one, scheme)),
      scheme,
    );
  assert.ok(!reading.some((one) => Object.hasOwn(one, 'credentialFields')));
  assert.ok(!JSON.stringify(operationOf(document, 'post', '/api/agents/recover').security).includes('walletSession'));
});

test('each error status in the OpenAPI document lists its codes with their messages', () => {
  const response = operationOf(buildOpenApi(options), 'get', '/api/agents/{id}').responses['404'];
  assert.equal(response?.description, '`agent_not_found`: This agent does not exist.');
  assert.match(JSON.stringify(response.content), /"enum":\["agent_not_found"\]/);
});

test('operations that share method and path become one whose body is chosen by the selector', async () => {
  const document = buildDocument(options, [transition('approve'), transition('dispute', z.object({ reason: z.string().min(1) }))]);
  await assertValid(document);
  const operation = operationOf(document, 'patch', '/api/orders/{id}');
  assert.equal(operation.operationId, 'agents.byAction');
  assert.deepEqual(operation['x-operations'], { approve: 'agents.approve', dispute: 'agents.dispute' });
  const [choice] = operation.requestBody?.content['application/json']?.schema.allOf ?? [];
  assert.deepEqual(choice?.discriminator, { propertyName: 'action' });
  assert.deepEqual(
    choice.oneOf?.map((body) => [body.properties?.['action']?.const, body.required]),
    [
      ['approve', ['action']],
      ['dispute', ['action', 'reason']],
    ],
  );
  assert.deepEqual(operation.requestBody?.content['application/json']?.examples?.['to-dispute']?.value, {
    action: 'dispute',
    reason: 'Late',
  });
});

test('an operation with a file requires a multipart form with that file, and no JSON', async () => {
  const document = buildOpenApi(options);
  await assertValid(document);
  const { content, required } = operationOf(document, 'post', '/api/upload').requestBody ?? { content: {} };
  assert.equal(required, true);
  assert.deepEqual(Object.keys(content), ['multipart/form-data']);
  const [form] = content['multipart/form-data']?.schema.allOf ?? [];
  assert.deepEqual(form?.required, ['file']);
  assert.deepEqual(form.properties?.['file'], { type: 'string', format: 'binary', description: 'At most 50 MiB.' });
});

test('a named schema that differs between input and output gets two names', async () => {
  const inner = z.object({ size: z.int().default(1) }).meta({ id: 'TestInner' });
  const outer = z.object({ inner }).meta({ id: 'TestOuter' });
  const same = z.string().meta({ id: 'TestSame' });
  const operation = invented(
    'store',
    defineOperation({
      summary: 'Store it',
      input: { body: z.object({ outer, same }) },
      output: { data: z.object({ outer, same }) },
      power: 'public',
      access: { accepts: ['anonymous'] },
      effects: { kind: 'write' },
      rest: { method: 'PUT', path: '/api/store' },
      examples: [],
    }),
  );
  const document = buildDocument(options, [operation]);
  await assertValid(document);
  const { schemas } = document.components;
  assert.deepEqual(schemas['TestInner']?.required, ['size']);
  assert.equal(schemas['TestInnerInput']?.required, undefined);
  assert.equal(schemas['TestOuterInput']?.properties?.['inner']?.$ref, '#/components/schemas/TestInnerInput');
  assert.equal(schemas['TestOuter']?.properties?.['inner']?.$ref, '#/components/schemas/TestInner');
  assert.ok(schemas['TestSame'] && !schemas['TestSameInput']);
});

/** Unnamed object schemas by content, except envelopes and request bodies, which belong to one operation. */
function* unnamedObjects(node: unknown, path: string): Generator<[content: string, path: string]> {
  if (node === null || typeof node !== 'object' || path.endsWith('/requestBody')) return;
  const { type, properties, required } = node as JsonSchema;
  const isRecord = type === 'object' && properties !== undefined;
  if (isRecord && !('success' in properties) && !path.includes('/allOf/')) yield [JSON.stringify([properties, required]), path];
  for (const [key, child] of Object.entries(node)) if (!/^examples?$/.test(key)) yield* unnamedObjects(child, `${path}/${key}`);
}

test('a record used several times in the OpenAPI document has a name, so that generators make one type', () => {
  const { paths, components } = buildOpenApi({ ...options, profile: 'sandbox' });
  const byContent = Map.groupBy([...unnamedObjects(paths, 'paths'), ...unnamedObjects(components, 'components')], ([content]) => content);
  const repeated = [...byContent.values()].filter((found) => found.length > 1).map((found) => found.map(([, path]) => path));
  assert.deepEqual(repeated, []);
  assert.ok(components.schemas['ModerationVerdict']);
});

/** Unions of several named enums, null aside. */
function* unionsOfLists(node: unknown, lists: ReadonlySet<string>, path: string): Generator<string> {
  if (node === null || typeof node !== 'object') return;
  const { anyOf = [], oneOf = [] } = node as JsonSchema;
  if ([...anyOf, ...oneOf].filter(({ $ref }) => $ref !== undefined && lists.has($ref)).length > 1) yield path;
  for (const [key, child] of Object.entries(node)) yield* unionsOfLists(child, lists, `${path}/${key}`);
}

test('no OpenAPI schema is a union of named enums, which generators declare in the wrong order', () => {
  const { paths, components } = buildOpenApi({ ...options, profile: 'sandbox' });
  const named = Object.entries(components.schemas).filter(([, schema]) => schema.enum !== undefined);
  const lists = new Set(named.map(([name]) => `#/components/schemas/${name}`));
  assert.ok(lists.has('#/components/schemas/OrderStatus'));
  assert.deepEqual([...unionsOfLists({ paths, components }, lists, '')], []);
});

test('every 402 of a payable route is the challenge with its headers; others have the error envelope', () => {
  const document = buildOpenApi(options);
  const forms = { accepts: 'ListChallenge', flat: 'FlatChallenge' } as const;
  const reference = (name: string) => ({ $ref: `#/components/schemas/${name}` });
  for (const { name, spec } of operationList) {
    if (spec.sandboxOnly === true) continue;
    const response = operationOf(document, spec.rest.method.toLowerCase(), spec.rest.path).responses['402'];
    if (response === undefined) continue;
    assert.ok('application/json' in response.content && response.headers['PAYMENT-REQUIRED'], name);
    const { schema } = response.content['application/json'];
    if (spec.challenge === undefined) assert.deepEqual(schema.allOf?.[0], reference('ErrorEnvelope'), name);
    else assert.deepEqual(schema.anyOf, [reference(forms[spec.challenge]), reference('FirstVersionChallenge')], name);
    if (spec.challenge === 'flat') assert.ok(response.headers['X-Payment-Network'], name);
  }
  const { FlatChallenge: flat, ListChallenge: list } = document.components.schemas;
  for (const challenge of [flat, list]) {
    assert.equal(challenge?.properties?.['code']?.const, 'payment_rejected');
    assert.ok(challenge.properties['error'] && challenge.properties['reason']);
    assert.ok(!challenge.required?.includes('code'));
  }
});
