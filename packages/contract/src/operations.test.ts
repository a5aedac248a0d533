/** Rules that hold for every operation. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { z } from 'zod';
import { signatureFields } from './accounts/identity/signed-text.ts';
import { commonErrors, isPaidCall, type OperationSpec } from './define-operation.ts';
import { errorCatalogue } from './errors.ts';
import { rateLimitTable } from './kernel/rate-limits.ts';
import { exampleAnswer, splitInput } from './openapi/examples.ts';
import { type NamedOperation, operationList, operations } from './operations.ts';

const parts = ['path', 'query', 'body', 'headers'] as const;

function fieldsOf(spec: OperationSpec, part: (typeof parts)[number]): string[] {
  return Object.keys(spec.input?.[part]?.shape ?? {});
}

function bindingOf({ spec }: NamedOperation): string {
  return `${spec.rest.method} ${spec.rest.path}`;
}

function parse(schema: z.ZodType, value: unknown, what: string): void {
  const result = schema.safeParse(value);
  assert.ok(result.success, `${what}: ${result.error?.message}`);
}

test('path parameters of an operation are exactly those in its path template', () => {
  for (const { name, spec } of operationList) {
    const inTemplate = [...spec.rest.path.matchAll(/\{(\w+)\}/g)].map(([, parameter]) => parameter);
    assert.deepEqual(fieldsOf(spec, 'path'), inTemplate, name);
  }
});

test('the arguments of a call fit into one flat object without name collisions', () => {
  for (const { name, spec } of operationList) {
    const { selector, multipart } = spec.rest;
    const all = [
      ...parts.flatMap((part) => fieldsOf(spec, part)),
      ...(selector ? [selector.field] : []),
      ...(multipart ? [multipart.field] : []),
    ];
    assert.deepEqual(all, [...new Set(all)], name);
  }
});

test('an operation also payable by x402 accepts a payment, has a challenge, and knows its price arguments', () => {
  const alsoPaid = operationList.filter(({ spec }) => spec.alsoPaid !== undefined);
  assert.deepEqual(
    alsoPaid.map(({ name }) => name),
    ['agents.register', 'orders.place'],
  );
  for (const { name, spec } of alsoPaid) {
    assert.ok(spec.challenge, name);
    for (const field of ['x_payment', 'payment_signature']) assert.ok(fieldsOf(spec, 'headers').includes(field), `${name} ${field}`);
    const known = parts.flatMap((part) => fieldsOf(spec, part));
    for (const field of Object.keys(spec.alsoPaid?.onRequest ?? {})) assert.ok(known.includes(field), `${name} ${field}`);
    // Without a rule, only calls with a payment would reach the handler for payments, so no caller could ask for the price.
    assert.ok(spec.alsoPaid?.withoutCredentials === true || spec.alsoPaid?.onRequest !== undefined, name);
  }
});

test('a call is a paid call when it has a payment, asks for the price, or lacks credentials a payment replaces', () => {
  const { place } = operations.orders;
  const { register } = operations.agents;
  assert.deepEqual([isPaidCall(place, {}, false), isPaidCall(place, {}, true)], [true, false]);
  assert.deepEqual([isPaidCall(register, {}, false), isPaidCall(register, {}, true)], [false, false]);
  for (const spec of [place, register]) {
    for (const field of ['x_payment', 'payment_signature']) {
      assert.equal(isPaidCall(spec, { [field]: '0xabc' }, true), true);
      assert.equal(isPaidCall(spec, { [field]: ' ' }, true), false, 'blank');
    }
  }
  assert.deepEqual([isPaidCall(register, { pay: 'x402' }, true), isPaidCall(register, { pay_to_register: true }, true)], [true, true]);
  assert.equal(isPaidCall(register, { pay_to_register: false }, true), false);
  assert.equal(isPaidCall(operations.orders.list, { x_payment: '0xabc' }, true), false);
});

test('operations with GET or DELETE declare no body', () => {
  for (const { name, spec } of operationList) {
    if (spec.rest.method !== 'GET' && spec.rest.method !== 'DELETE') continue;
    assert.equal(spec.input?.body, undefined, name);
    assert.equal(spec.rest.multipart, undefined, name);
  }
});

test('no field has the name of a credential field', () => {
  /** Fields that name a wallet without its signature. */
  const intended = ['auth.challenge wallet', 'profiles.get wallet', 'fees.payouts wallet'];
  const carriers = [...signatureFields, 'idp_access_token'];
  const collisions = operationList.flatMap(({ name, spec }) =>
    parts.flatMap((part) =>
      fieldsOf(spec, part)
        .filter((field) => carriers.includes(field))
        .map((field) => `${name} ${field}`),
    ),
  );
  assert.deepEqual(collisions, intended);
});

test('operations share method and path only with different selector values', () => {
  for (const [binding, sharers] of Map.groupBy(operationList, bindingOf)) {
    if (sharers.length === 1) continue;
    const selectors = sharers.map(({ spec }) => spec.rest.selector);
    assert.ok(!selectors.includes(undefined), `${binding}: every sharer has a selector`);
    assert.equal(new Set(selectors.map((selector) => selector?.field)).size, 1, `${binding}: one selector field`);
    assert.equal(new Set(selectors.map((selector) => selector?.value)).size, sharers.length, `${binding}: values differ`);
  }
});

test('every operation has an example whose input and answer match the schemas', () => {
  for (const { name, spec } of operationList) {
    assert.ok(spec.examples.length > 0, `${name} has an example`);
    for (const example of spec.examples) {
      const what = `${name}, ${example.title}`;
      const known = [...parts.flatMap((part) => fieldsOf(spec, part)), spec.rest.multipart?.field];
      assert.deepEqual(
        Object.keys(example.input ?? {}).filter((field) => !known.includes(field)),
        [],
        `${what}: known fields`,
      );
      const split = splitInput(spec, example.input ?? {});
      for (const part of parts) if (spec.input?.[part] !== undefined) parse(spec.input[part], split[part], `${what}: ${part}`);
      parse(spec.output.data, example.data, `${what}: data`);
      if (spec.output.extras !== undefined) parse(spec.output.extras, exampleAnswer(spec, example), `${what}: extras`);
    }
  }
});

test('the error codes of an operation exist, stand there once, and are not those of every operation', () => {
  for (const { name, spec } of operationList) {
    const codes = spec.errors ?? [];
    for (const code of codes) assert.ok(Object.hasOwn(errorCatalogue, code), `${name}: ${code}`);
    assert.equal(new Set(codes).size, codes.length, `${name}: named once`);
    const common: readonly string[] = commonErrors;
    assert.deepEqual(
      codes.filter((code) => common.includes(code)),
      [],
      `${name}: not common`,
    );
  }
});

test('an operation that may require a payment declares its challenge form', () => {
  for (const { name, spec } of operationList) {
    assert.equal(spec.challenge !== undefined, spec.errors?.includes('payment_required') ?? false, name);
  }
});

test('an error code is snake_case and its message a sentence, unless the specification fixes the text', () => {
  for (const [code, { message }] of Object.entries(errorCatalogue)) {
    assert.match(code, /^[a-z0-9]+(_[a-z0-9]+)*$/);
    if (message !== code) assert.match(message, /^[A-Za-z`].*\.$/, code);
    assert.doesNotMatch(message, /!|please/i, code);
  }
});

test('the summary of an operation is one imperative line without a full stop', () => {
  for (const { name, spec } of operationList) {
    assert.match(spec.summary, /^[A-Z][^\n]*[^.!?\s]$/, name);
    assert.ok(spec.summary.length <= 72, `${name}: at most 72 characters`);
    if (spec.description !== undefined) assert.match(spec.description, /\.$/, `${name}: a description is sentences`);
  }
});

test('no two operations are the same MCP tool', () => {
  const tools = operationList.flatMap(({ spec }) => spec.mcp?.tool ?? []);
  assert.equal(new Set(tools).size, tools.length);
});

/** The specification's table, copied independently of the code: endpoints, limit, window. */
const specifiedLimits: readonly (readonly [endpoints: readonly string[], requests: number, window: string])[] = [
  [['POST /api/agents/register'], 5, '1 hour'],
  [['POST /api/agents/{id}/services'], 20, '1 hour'],
  [['GET /api/agents/{id}/orders'], 30, '1 hour'],
  [['POST /api/orders/{id}/deliver'], 30, '1 hour'],
  [['POST /api/upload'], 30, '1 hour'],
  [['POST /api/agents/{id}/token', 'POST /api/agents/{id}/token/launch'], 10, '1 hour'],
  [['POST /api/agents/{id}/said'], 10, '1 hour'],
  [['POST /api/orders'], 30, '1 hour'],
  [['POST /api/orders/{id}/messages'], 60, '1 hour'],
  [['POST /api/bounties', 'POST /api/bounties/{id}/claim', 'POST /api/bounties/{id}/accept'], 30, '1 hour'],
  [['GET /api/x402/discover', 'GET /api/x402/discover/{service_id}'], 600, '1 hour'],
  [['POST /api/x402/pay'], 30, '1 hour'],
  [['POST /api/market'], 30, '1 minute'],
  [['PUT /api/profile'], 60, '10 minutes'],
  [['GET /api/earn/pool/markets'], 120, '1 minute'],
  [['GET /api/earn/pool/pools'], 60, '1 minute'],
];

const secondsOf: Record<string, number> = { '1 minute': 60, '10 minutes': 600, '1 hour': 3600 };

test('the rate limit table has all 16 rows of the specification', () => {
  assert.equal(specifiedLimits.length, 16);
  assert.deepEqual(
    Object.values(rateLimitTable).map(({ endpoints, requests, windowSeconds }) => ({ endpoints, requests, windowSeconds })),
    specifiedLimits.map(([endpoints, requests, window]) => ({ endpoints, requests, windowSeconds: secondsOf[window] })),
  );
});

test("an operation at an endpoint of the table has that row's limit", () => {
  for (const row of Object.values(rateLimitTable)) {
    const endpoints: readonly string[] = row.endpoints;
    for (const operation of operationList.filter((candidate) => endpoints.includes(bindingOf(candidate)))) {
      assert.equal(operation.spec.limit?.requests, row.requests, operation.name);
      assert.equal(operation.spec.limit?.windowSeconds, row.windowSeconds, operation.name);
    }
  }
});
