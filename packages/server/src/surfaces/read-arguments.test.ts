import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { issueOf } from './read-arguments.ts';

const sentences = (schema: z.ZodType, value: unknown): string[] =>
  (schema.safeParse(value).error?.issues ?? []).map((issue) => issueOf(issue).message);

const schema = z.object({
  name: z.string().min(2).max(3),
  count: z.number().int().min(1).max(9),
  kind: z.enum(['a', 'b']),
  links: z.array(z.string()).max(1),
});

test('the refusal of a field says in plain words what the field must be', () => {
  assert.deepEqual(sentences(schema, { kind: 'c', links: 'x', count: 'many' }), [
    'name is missing.',
    'count must be a number.',
    'kind must be one of: a, b.',
    'links must be a list.',
  ]);
  assert.deepEqual(sentences(schema, { name: 'x', count: 0, kind: 'a', links: ['x', 'y'] }), [
    'name must have at least 2 characters.',
    'count must be at least 1.',
    'links must have at most 1 items.',
  ]);
  assert.deepEqual(sentences(schema, { name: 'long', count: 10, kind: 'a', links: [4] }), [
    'name must have at most 3 characters.',
    'count must be at most 9.',
    'links.0 must be a string.',
  ]);
});

test('the refusal of a field keeps a sentence that the contract wrote', () => {
  assert.deepEqual(sentences(z.object({ limit: z.number('limit must be a whole number.') }), { limit: 'x' }), [
    'limit must be a whole number.',
  ]);
});
