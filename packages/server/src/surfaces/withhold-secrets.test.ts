import assert from 'node:assert/strict';
import { test } from 'node:test';
import { operationList } from '@market/contract';
import { z } from 'zod';
import { isSecretField, withholdSecrets } from './withhold-secrets.ts';

const TOKEN_FIELDS = [
  'named_by',
  'mode',
  'creator_wallet',
  'tx_hash',
  'created_at',
  'launch_attempted',
  'decimals',
  'supply',
  'expires_at',
].map((name) => `token_${name}`);

/** Fields that sound like a secret but are public. */
const PUBLIC_FIELDS = new Set([
  'token',
  'token_mint',
  'token_symbol',
  'token_name',
  'token_image_url',
  'token_type',
  'nonce',
  'per_token_fees',
  // The key of a vault of Earn.
  'key',
  ...TOKEN_FIELDS,
]);

test('every answer field with a secret-like name is withheld or listed as public', () => {
  const unknown = operationList
    .flatMap(({ spec }) => [...fieldsOf(spec.output.data), ...fieldsOf(spec.output.extras)])
    .filter((name) => /(^|_)(secret|key|token|password|private|nonce|grant)s?(_|$)/.test(name))
    .filter((name) => !isSecretField(name) && !PUBLIC_FIELDS.has(name) && !/^has_|_until$/.test(name));
  assert.deepEqual([...new Set(unknown)], []);
});

test('secrets are omitted at every depth of an answer, and all other fields stay', () => {
  const answer = { data: { id: 'a', api_key: 'k', agent: { webhook_secret: 's', n: 1 } }, x402: null };
  const { notice, ...kept } = withholdSecrets(answer);
  assert.deepEqual(kept, { data: { id: 'a', agent: { n: 1 } }, x402: null });
  assert.match(String(notice), /Idempotency-Key/);
  const harmless = { data: { webhook_secret: null } };
  assert.equal(withholdSecrets(harmless), harmless);
});

function fieldsOf(schema: z.core.$ZodType | undefined, seen = new Set<unknown>()): string[] {
  if (schema === undefined || seen.has(schema)) return [];
  seen.add(schema);
  const shape: Record<string, z.core.$ZodType> = schema instanceof z.ZodObject ? schema.shape : {};
  const {
    innerType,
    element,
    valueType,
    options = [],
  } = schema._zod.def as {
    innerType?: z.core.$ZodType;
    element?: z.core.$ZodType;
    valueType?: z.core.$ZodType;
    options?: z.core.$ZodType[];
  };
  const parts = [...Object.values(shape), innerType, element, valueType, ...options];
  return [...Object.keys(shape), ...parts.flatMap((part) => fieldsOf(part, seen))];
}
