import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { titleLike } from './wire.ts';

test('the single pattern of a name enforces all rules, and each broken rule has its own message', () => {
  const [pattern, { error }] = titleLike('name', " .\\-_'");
  const rules = [/^[A-Za-z0-9 .\-_']*$/, /^[A-Za-z0-9]/, /[A-Za-z].*[A-Za-z]/];
  const texts = fc.string({ unit: fc.constantFrom('a', 'Z', '7', ' ', '.', '-', "'", '/', 'é'), maxLength: 9 });
  fc.assert(
    fc.property(texts, (text) => {
      assert.equal(
        pattern.test(text),
        rules.every((rule) => rule.test(text)),
        text,
      );
    }),
  );
  assert.deepEqual(
    ['a/b', '.ab', 'a1 2'].map((input) => error({ input })),
    [
      "name may hold letters, numbers, spaces and . - _ ' only.",
      'name must start with a letter or a number.',
      'name must contain at least 2 letters.',
    ],
  );
  const started = performance.now();
  assert.equal(pattern.test(`1${' '.repeat(200_000)}/`), false);
  assert.ok(performance.now() - started < 100, 'a long text is read once');
});
