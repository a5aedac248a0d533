/** What an intent asks of its venue, as the chain's adapter and the signer take it. */
import type { VenueAddress, VenueCall } from '../../platform/chains/yield-venues.ts';
import type { Db } from '../../platform/db/database.ts';
import type { KnownVenue, StoredVenueCall } from '../../platform/signer/venue-limits.ts';
import { findIntent, type IntentRow, readReservation } from './intent-repository.ts';

export function callOf(
  intent: Pick<IntentRow, 'id' | 'kind' | 'assets' | 'units' | 'minOut' | 'router' | 'venue'>,
  from: VenueAddress,
): VenueCall {
  const { id: intentId, kind } = intent;
  const minOut = intent.minOut ?? 0n;
  // The intent names its contracts for ever, also when the settings change.
  const at = { ...from, router: intent.router, venue: intent.venue };
  if (kind === 'deposit') return { kind, intentId, at, assets: intent.assets ?? 0n, minUnits: minOut };
  if (kind === 'redeem') return { kind, intentId, at, units: intent.units ?? 0n, minAssets: minOut };
  return { kind, intentId, at };
}

/** For a signer in a process of its own: the call as the database has it. */
export async function readStoredVenueCall(
  db: Db,
  venues: readonly (KnownVenue & { readonly key: string })[],
  id: string,
): Promise<StoredVenueCall | undefined> {
  const intent = await findIntent(db, id);
  const at = venues.find(({ key }) => key === intent?.vaultKey)?.at;
  if (intent === undefined || at === undefined) return undefined;
  return { id, state: intent.state, network: intent.network, call: callOf(intent, at), ...(await readReservation(db, intent)) };
}
