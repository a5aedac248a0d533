/**
 * Anonymous callers are known by address only, and many people share one; a replaced key may have leaked. So a replay gives them secrets only
 * under an Idempotency-Key that cannot be guessed. Under any other key it leaves the secrets out.
 */
import type { StoredAnswer } from '../platform/idempotency/idempotent-answers.ts';

/** The fields of answers that let their holder act. `withhold-secrets.test.ts` compares them with the contract. */
const SECRET_FIELDS: ReadonlySet<string> = new Set([
  'api_key',
  'webhook_secret',
  'read_token',
  'buyer_token',
  'access_token',
  'secret_key',
  'private_key',
]);

const NOTICE =
  'Secrets are left out of this repeated answer: without credentials, or with a replaced key, they are repeated only under a random UUID (version 4 or 7) as Idempotency-Key.';

const RANDOM_UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[47][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i;
const RANDOM_HEX = /^[0-9a-f]{32,255}$/i;
/** Random digits are rarely so few different ones; zeros and counters are. */
const LEAST_DIFFERENT_DIGITS = 8;

export function isUnguessable(idempotencyKey: string): boolean {
  const digits = new Set(idempotencyKey.toLowerCase().replaceAll('-', ''));
  return (RANDOM_UUID.test(idempotencyKey) || RANDOM_HEX.test(idempotencyKey)) && digits.size >= LEAST_DIFFERENT_DIGITS;
}

export function isSecretField(name: string): boolean {
  return SECRET_FIELDS.has(name);
}

export function withholdSecrets(answer: StoredAnswer): StoredAnswer {
  let found = false;
  const kept = JSON.parse(JSON.stringify(answer), (name, value: unknown) => {
    if (!isSecretField(name) || value === null) return value;
    found = true;
    return undefined;
  }) as StoredAnswer;
  return found ? { ...kept, notice: NOTICE } : answer;
}
