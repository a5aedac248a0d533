import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MarketError } from '@market/contract';
import fc from 'fast-check';
import { parseJsonBody } from './json-body.ts';

function codeOf(source: string | Buffer): string {
  try {
    parseJsonBody(Buffer.from(source as string));
    return 'accepted';
  } catch (error) {
    assert.ok(error instanceof MarketError, String(error));
    return error.code;
  }
}

function nested(levels: number): string {
  return `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
}

test('every JSON value of ordinary depth is parsed unchanged', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
      const source = JSON.stringify(value);
      // Keys named __proto__ and NUL are refused on purpose; all other values must survive.
      fc.pre(!source.includes('__proto__') && !source.includes('\\u0000'));
      assert.deepEqual(parseJsonBody(Buffer.from(source)), JSON.parse(source));
    }),
  );
});

test('hostile bodies are refused with their own codes', () => {
  assert.equal(codeOf('['.repeat(10_000) + ']'.repeat(10_000)), 'json_too_deep');
  assert.equal(codeOf(nested(33)), 'json_too_deep');
  assert.equal(codeOf(nested(32)), 'accepted');
  assert.equal(codeOf(`{"a":"${'['.repeat(1000)}"}`), 'accepted');
  assert.equal(codeOf(Buffer.from([0x22, 0xff, 0x22])), 'invalid_encoding');
  assert.equal(codeOf('{"a":"\\u0000"}'), 'invalid_encoding');
  assert.equal(codeOf('{"a":"\\ud800"}'), 'invalid_encoding');
  assert.equal(codeOf('{"__proto__":{"admin":true}}'), 'invalid_input');
  assert.equal(codeOf('{"a":1,}'), 'invalid_json');
  assert.equal(codeOf('{"a":1,"a":2}'), 'invalid_json');
  assert.equal(codeOf('{"a":1,"\\u0061":2}'), 'invalid_json');
  assert.equal(codeOf('[{"a":1},{"a":2}]'), 'accepted');
  assert.equal(codeOf('{"a":"a","b":{"a":"b"}}'), 'accepted');
  assert.equal(codeOf(''), 'accepted');
});

test('an object has at most 200 fields and a body at most 2,000', () => {
  const fields = (count: number) => `{${Array.from({ length: count }, (_, index) => `"f${index}":1`).join(',')}}`;
  const objects = (count: number) => `[${Array.from({ length: count }, () => fields(100)).join(',')}]`;
  assert.equal(codeOf(fields(200)), 'accepted');
  assert.equal(codeOf(fields(201)), 'invalid_input');
  assert.equal(codeOf(objects(20)), 'accepted');
  assert.equal(codeOf(objects(21)), 'invalid_input');
});

test('I01: a body has at most 5,000 values, in whatever lists and objects they stand', () => {
  const list = (item: string, count: number) => `[${Array.from({ length: count }, () => item).join(',')}]`;
  assert.equal(codeOf(list('0', 5_000)), 'accepted');
  assert.equal(codeOf(list('0', 5_001)), 'invalid_input');
  assert.equal(codeOf(list('{}', 2_500)), 'accepted');
  assert.equal(codeOf(list('{}', 2_501)), 'invalid_input');
  assert.equal(codeOf(list(`${'['.repeat(31)}${']'.repeat(31)}`, 1_000)), 'invalid_input');
});

test('24,000 unknown fields cost about as much time as 300', () => {
  const body = (count: number) => Buffer.from(`{${Array.from({ length: count }, (_, index) => `"f${index}":1`).join(',')}}`);
  // The fastest of many runs, because other load only makes a run slower.
  const fastest = (bytes: Buffer) =>
    Math.min(
      ...Array.from({ length: 60 }, () => {
        const started = performance.now();
        codeOf(bytes);
        return performance.now() - started;
      }),
    );
  const few = fastest(body(300));
  const many = fastest(body(24_000));
  assert.ok(many < few * 10, `300 fields cost ${few.toFixed(3)} ms, 24,000 cost ${many.toFixed(3)} ms`);
});
