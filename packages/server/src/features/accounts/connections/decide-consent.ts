/** Stores a person's decision in the pending consent; the authorization server continues from there. */
import type { Tx } from '../../../platform/db/database.ts';
import type { ConnectionsContext } from './connections-context.ts';
import { lockRecord, rewriteRecord } from './oauth-repository.ts';
import { lookupOf, sealedFor } from './provider-storage.ts';

export interface ConsentDecision {
  /** The decision, in the form that the library reads. */
  readonly result: Readonly<Record<string, unknown>>;
  /** The scopes that the person allowed; they replace the requested ones. */
  readonly scope?: string;
}

interface StoredConsent {
  readonly params: Readonly<Record<string, unknown>>;
  readonly result?: unknown;
}

/** False when the consent expired or was decided before. Of concurrent decisions the first counts. */
export async function decideConsent(
  tx: Tx,
  { secrets }: Pick<ConnectionsContext, 'secrets'>,
  uid: string,
  { result, scope }: ConsentDecision,
): Promise<boolean> {
  const stored = await lockRecord(tx, secrets.lookupHashes(lookupOf('Interaction', uid)));
  if (stored === undefined) return false;
  const consent = JSON.parse(secrets.open(stored.sealed, sealedFor(stored.id))) as StoredConsent;
  if (consent.result !== undefined) return false;
  const params = { ...consent.params, ...(scope !== undefined && { scope }) };
  await rewriteRecord(tx, stored.id, secrets.seal(JSON.stringify({ ...consent, params, result }), sealedFor(stored.id)));
  return true;
}
