/** Every example in the document is valid input or a possible answer. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildOpenApi, type OpenApiDocument, operationList } from '@market/contract';
import { splitInput } from '../../packages/contract/src/openapi/examples.ts';
import { compileDocument, type Pointer } from './document-schemas.ts';

const document = buildOpenApi({ title: 'Market', baseUrl: 'http://127.0.0.1:4020', profile: 'sandbox' });
const schemas = compileDocument(document);

interface Shown {
  readonly schema: Pointer;
  readonly name: string;
  readonly value: unknown;
}

/** The `examples` beside a `schema`, as bodies and answers have them. */
function* shownBeside(node: unknown, pointer: Pointer): Generator<Shown> {
  if (node === null || typeof node !== 'object') return;
  const { schema, examples } = node as { schema?: unknown; examples?: Record<string, { value: unknown }> };
  if (schema !== undefined && examples !== undefined) {
    for (const [name, { value }] of Object.entries(examples)) yield { schema: [...pointer, 'schema'], name, value };
  }
  for (const [key, child] of Object.entries(node)) if (key !== 'examples') yield* shownBeside(child, [...pointer, key]);
}

/** `examples` and `default` inside a schema. */
function* shownWithin(node: unknown, pointer: Pointer): Generator<Shown> {
  if (node === null || typeof node !== 'object') return;
  const { examples, default: fallback } = node as { examples?: unknown; default?: unknown };
  if (Array.isArray(examples)) for (const value of examples) yield { schema: pointer, name: 'example', value };
  if (fallback !== undefined && pointer.at(-1) !== 'properties') yield { schema: pointer, name: 'default', value: fallback };
  for (const [key, child] of Object.entries(node)) if (key !== 'examples') yield* shownWithin(child, [...pointer, key]);
}

function misfits(shown: Iterable<Shown>, check: 'check' | 'checkClosed' = 'check'): string[] {
  return [...shown].flatMap(({ schema, name, value }) =>
    schemas[check](schema, value).map((problem) => `${schema.join(' ')}, ${name}: ${problem}`),
  );
}

function sectionsOf({ paths }: OpenApiDocument, section: 'requestBody' | 'responses'): Shown[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, operation]) => [...shownBeside(operation[section], ['paths', path, method, section])]),
  );
}

test('every example body in the OpenAPI document is valid against its schema, formats and patterns included', () => {
  const shown = sectionsOf(document, 'requestBody');
  assert.ok(shown.length > 40, `${shown.length} examples`);
  assert.deepEqual(misfits(shown, 'checkClosed'), []);
});

test('every example answer in the OpenAPI document is valid against its schema and has no unlisted field', () => {
  const shown = sectionsOf(document, 'responses');
  assert.ok(shown.length > 120, `${shown.length} examples`);
  assert.deepEqual(misfits(shown, 'checkClosed'), []);
});

test('every example and default inside a schema of the OpenAPI document is valid against that schema', () => {
  const shown = [...shownWithin(document.components.schemas, ['components', 'schemas']), ...shownWithin(document.paths, ['paths'])];
  assert.ok(shown.length > 10, `${shown.length} examples`);
  assert.deepEqual(misfits(shown), []);
});

test('every example’s path, query and headers in the OpenAPI document are valid against their parameters', () => {
  const problems = operationList.flatMap(({ name, spec }) => {
    const method = spec.rest.method.toLowerCase();
    const parameters = document.paths[spec.rest.path]?.[method]?.parameters ?? [];
    const given = spec.examples
      .map(({ input }) => splitInput(spec, input ?? {}))
      .map(({ path, query, headers }) => ({ ...path, ...query, ...headers }));
    return given.flatMap((fields) =>
      parameters.flatMap((parameter, index) => {
        if ('$ref' in parameter) return [];
        const value = fields[parameter.in === 'header' ? parameter.name.toLowerCase().replaceAll('-', '_') : parameter.name];
        if (value === undefined) return parameter.required ? [`${name}: ${parameter.name} is missing`] : [];
        const schema = ['paths', spec.rest.path, method, 'parameters', String(index), 'schema'];
        return schemas.checkText(schema, String(value)).map((problem) => `${name}, ${parameter.name}: ${problem}`);
      }),
    );
  });
  assert.deepEqual(problems, []);
});
