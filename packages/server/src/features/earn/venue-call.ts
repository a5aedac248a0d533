/** A stored intent as the call that its venue gets, for this process and for a separate signer. */
import type { VenueAddress, VenueCall } from '../../platform/chains/yield-venues.ts';
import type { Db } from '../../platform/db/database.ts';
import type { StoredVenueCall } from '../../platform/signer/venue-limits.ts';
import { readOutflowClosed } from '../outflow/index.ts';
import { findIntent, type IntentRow, readReserved } from './intent-repository.ts';

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

/** What a separate signer needs of an intent, read over its own connection. */
export async function readStoredVenueCall(
  db: Db,
  id: string,
  known: readonly { readonly at: VenueAddress }[],
): Promise<StoredVenueCall | undefined> {
  const intent = await findIntent(db, id);
  if (intent === undefined) return undefined;
  const at = known.find((venue) => venue.at.venue.toLowerCase() === intent.venue.toLowerCase())?.at;
  const { state, network, venue, router } = intent;
  return {
    ...{ id, state, network },
    call: callOf(intent, at ?? { venue, router, adapter: 'erc4626' }),
    reservedMicros: intent.kind === 'deposit' ? await readReserved(db, intent) : 0n,
    closedFor: await readOutflowClosed(db),
  };
}
