/** Regular expressions run on untrusted text, so each must take linear time. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { operationList } from '@market/contract';
import { z } from 'zod';
import { listPatterns } from '../../scripts/check-directions-source.ts';
import { findSteepGrowth } from './measure-growth.ts';

const ROOT = path.join(import.meta.dirname, '..', '..');

interface Found {
  readonly where: string;
  readonly pattern: RegExp;
}

/** Patterns that are not linear, and why no stranger can exploit that. */
const BOUNDED: Readonly<Record<string, string>> = {
  '/0+$/': 'runs on at most 18 digits that we made ourselves',
  '/\\.?0+$/': 'runs on an amount in USD as our API writes it',
  '/\\/+$/': 'runs on a setting of the operator',
  '/^\\n+|\\s+$/g': 'runs on our own guides',
  '/\\n\\s+(\\d+\\.|[-*])\\s/': 'runs on our own guides',
};

/** The syntax highlighting of our pages, which runs on our own examples only. */
const CODE_COLOURS = 'packages/web/src/ui/code/code.tsx';

test('I05: the measurement distinguishes linear from quadratic and exponential patterns', () => {
  for (const linear of [/^\d+$/, /^[^\s@]+@[^\s@]+$/, /\s+/g, /^(?:[a-z0-9]+-)*[a-z0-9]+$/])
    assert.equal(findSteepGrowth(linear), undefined, String(linear));
  for (const steep of [/(a+)+$/, /\s+$/, /([^&;=]+)=/g, /^(\w+\s?)*$/]) assert.ok(findSteepGrowth(steep), String(steep));
});

test('I05: every pattern in the input of an operation takes linear time', () => {
  const found = operationList.flatMap(({ name, spec: { input } }) =>
    [input?.path, input?.query, input?.body, input?.headers].flatMap((part) => patternsIn(part, name)),
  );
  assert.ok(found.length > 30, `only ${found.length} patterns found`);
  refuseSteep(found);
});

test('I05: every pattern in the sources of the contract, the server, the SDK and the site takes linear time', () => {
  const files = globSync('packages/{contract,server,sdk,web}/src/**/*.{ts,tsx}', { cwd: ROOT }).filter(
    (file) => !/test|build\//.test(file) && file !== CODE_COLOURS,
  );
  const found = files.flatMap((file) =>
    listPatterns(readFileSync(path.join(ROOT, file), 'utf8')).flatMap(({ literal, line }) => read(literal, `${file}:${line}`)),
  );
  assert.ok(found.length > 200, `only ${found.length} patterns found`);
  refuseSteep(found);
});

function refuseSteep(found: readonly Found[]): void {
  const once = new Map(found.map((one) => [String(one.pattern), one]));
  const steep = [...once.values()]
    .filter(({ pattern }) => BOUNDED[String(pattern)] === undefined)
    .flatMap(({ where, pattern }) => {
      const growth = findSteepGrowth(pattern);
      return growth === undefined
        ? []
        : [`${where} ${pattern} on ${JSON.stringify(growth.pump)}: ${growth.shortMs.toFixed(2)} → ${growth.longMs.toFixed(2)} ms`];
    });
  assert.deepEqual(steep, []);
}

/** JSX can look like a pattern; text that does not compile is none. */
function read(literal: string, where: string): Found[] {
  const end = literal.lastIndexOf('/');
  try {
    return [{ where, pattern: new RegExp(literal.slice(1, end), literal.slice(end + 1).replace('y', '')) }];
  } catch {
    return [];
  }
}

function patternsIn(schema: z.core.$ZodType | undefined, where: string): Found[] {
  if (schema === undefined) return [];
  const {
    innerType,
    element,
    valueType,
    keyType,
    options = [],
    checks = [],
    pattern,
    in: input,
  } = schema._zod.def as {
    innerType?: z.core.$ZodType;
    element?: z.core.$ZodType;
    valueType?: z.core.$ZodType;
    keyType?: z.core.$ZodType;
    in?: z.core.$ZodType;
    options?: z.core.$ZodType[];
    checks?: { _zod: { def: { pattern?: RegExp } } }[];
    pattern?: RegExp;
  };
  const own = [pattern, ...checks.map((check) => check._zod.def.pattern)].filter((one) => one !== undefined);
  const shape: Record<string, z.core.$ZodType> = schema instanceof z.ZodObject ? schema.shape : {};
  return [
    ...own.map((one) => ({ where, pattern: one })),
    ...Object.entries(shape).flatMap(([field, part]) => patternsIn(part, `${where} ${field}`)),
    ...[innerType, element, valueType, keyType, input, ...options].flatMap((part) => patternsIn(part, where)),
  ];
}
