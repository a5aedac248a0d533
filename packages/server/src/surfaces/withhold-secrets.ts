/**
 * A repeated answer contains secrets if its Idempotency-Key cannot be guessed. Under any other key only the one strong credential that made
 * the call gets them. Many people share an address, a replaced key may have leaked, and a signature or session may be a copy.
 */
import type { StoredAnswer } from '../platform/idempotency/idempotent-answers.ts';

/** Fields of answers that let their holder act. `withhold-secrets.test.ts` compares them with the contract. */
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
  'Secrets are left out of this repeated answer: they are repeated only under a random UUID (version 4 or 7) as Idempotency-Key, or to the one API key or account that made the call.';

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
