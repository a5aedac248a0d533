/** SHA-256 of a JSON value in its canonical spelling. */
import { createHash } from 'node:crypto';
import { canonicalJson } from '@market/contract';

export function hashJson(value: unknown): Buffer {
  return createHash('sha256').update(canonicalJson(value)).digest();
}
