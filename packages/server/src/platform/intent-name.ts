/**
 * Names an outgoing intent after its subject. Books restored from an old backup give the same work the same name. So a repeat finds on
 * chain what the lost books had sent: USDC refuses a used authorisation, and a memo is found.
 */
import { createHash } from 'node:crypto';

export function nameIntent<P extends string>(prefix: P, subject: string): `${P}_${string}` {
  return `${prefix}_${createHash('sha256').update(subject, 'utf8').digest('hex').slice(0, 40)}`;
}
