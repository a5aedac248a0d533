/** Checks that a signer makes before it signs a call to a vault. Vaults and router come from its own settings, prices from its own node. */
import type { NetworkName } from '@market/contract';
import type { VenueAddress, VenueCall, YieldVenues } from '../chains/yield-venues.ts';
import { OutflowHeld } from './outflow-limits.ts';

/** A call to a vault as the database has it. */
export interface StoredVenueCall {
  readonly id: string;
  readonly state: string;
  readonly network: NetworkName;
  readonly call: VenueCall;
  /** USDC that the books reserve for a deposit. */
  readonly reservedMicros: bigint;
  readonly closedFor: string | null;
}

export interface KnownVenue {
  readonly network: NetworkName;
  readonly at: VenueAddress;
}

/** Allows twice the largest slippage that anyone may request, because prices move. */
const LEAST_PER_CENT = 80n;

/** Throws `OutflowHeld` unless the call may be signed. `earlier` is the call that was signed last. */
export async function requireSignable(
  venues: YieldVenues,
  known: readonly KnownVenue[],
  { call, closedFor, network, reservedMicros, state }: StoredVenueCall,
  earlier: { readonly call?: VenueCall | undefined; readonly outcome: unknown } | undefined,
): Promise<void> {
  if (closedFor !== null) throw new OutflowHeld(closedFor);
  if (!['queued', 'signed', 'sent', 'unknown'].includes(state)) throw new OutflowHeld(`The call is ${state}; nothing is signed for it.`);
  if (!known.some((venue) => venue.network === network && isSameVenue(venue.at, call.at)))
    throw new OutflowHeld('The vault or the router is not in the settings of the signer (EARN_VENUES, EARN_ROUTER_EVM_ADDRESS).');
  if (call.kind === 'deposit' && reservedMicros !== call.assets) throw new OutflowHeld('The books do not hold the amount of this deposit.');
  if (earlier !== undefined && earlier.outcome === undefined && !(earlier.call && isSameCall(earlier.call, call)))
    throw new OutflowHeld('The call was signed with another amount or vault, and that may still land.');
  await requireFairBound(venues, call);
}

/** `least` is the minimum that the call accepts, `expected` the result by the venue's price. */
export function isFairBound(least: bigint, expected: bigint): boolean {
  return least * 100n >= expected * LEAST_PER_CENT;
}

/** Without a minimum result, an attacker could move the price of a vault briefly and take the difference. */
async function requireFairBound(venues: YieldVenues, call: VenueCall): Promise<void> {
  if (call.kind === 'allow') return;
  const [least, expected] =
    call.kind === 'deposit'
      ? [call.minUnits, await venues.previewDeposit(call.at, call.assets)]
      : [call.minAssets, await venues.valueOf(call.at, call.units)];
  if (!isFairBound(least, expected))
    throw new OutflowHeld(`The call accepts ${least}, the vault gives ${expected}: the signer asks for ${LEAST_PER_CENT}% of it.`);
}

function isSameVenue(a: VenueAddress, b: VenueAddress): boolean {
  const same = (x: string, y: string) => x.toLowerCase() === y.toLowerCase();
  return same(a.venue, b.venue) && same(a.router, b.router);
}

/** Ignores the minimum result, because each signature has its own. */
export function isSameCall(a: VenueCall, b: VenueCall): boolean {
  if (!isSameVenue(a.at, b.at)) return false;
  if (a.kind === 'deposit') return b.kind === 'deposit' && a.assets === b.assets;
  if (a.kind === 'redeem') return b.kind === 'redeem' && a.units === b.units;
  return b.kind === 'allow';
}
