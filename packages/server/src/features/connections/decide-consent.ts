/** Writes a person's decision into the consent under way, from which the authorization server goes on. */
import type { Tx } from '../../platform/db/database.ts';
import type { ConnectionsContext } from './connections-context.ts';
import { lockRecord, rewriteRecord } from './oauth-repository.ts';
import { lookupOf, sealedFor } from './provider-storage.ts';

export interface ConsentDecision {
  /** As the library reads it. */
  readonly result: Readonly<Record<string, unknown>>;
  /** What the person allowed, instead of what was asked. */
  readonly scope?: string;
}

interface StoredConsent {
  readonly params: Readonly<Record<string, unknown>>;
  readonly result?: unknown;
}

/** False when it is over or was decided before: of several decisions at once the first counts. */
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
