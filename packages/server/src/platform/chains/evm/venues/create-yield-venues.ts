/** The port of vaults on EVM networks: reads by multicall, money through the Earn router. */
import type { YieldVenues } from '../../yield-venues.ts';
import type { EvmContext } from '../evm-context.ts';
import { checkVenue } from './check-venue.ts';
import { listRedeemed } from './list-redeemed.ts';
import { readHeld } from './read-held.ts';
import { previewDeposit, previewRedeem, readAllowance, readValue, readVenue } from './read-venue.ts';
import { replaceVenueCall, signVenueCall } from './sign-venue-call.ts';
import { readVenueOutcome } from './venue-outcome.ts';
import { readResult } from './venue-results.ts';

export function createYieldVenues(context: EvmContext): YieldVenues {
  return {
    check: (at) => checkVenue(context, at),
    read: (at) => readVenue(context, at),
    readHeld: (at, calls) => readHeld(context, at, calls),
    previewDeposit: (at, assets) => previewDeposit(context, at, assets),
    previewRedeem: (at, units) => previewRedeem(context, at, units),
    valueOf: (at, units) => readValue(context, at, units),
    readAllowance: (at) => readAllowance(context, at),
    sign: (call) => signVenueCall(context, call),
    replace: (call, stuck) => replaceVenueCall(context, call, stuck),
    readOutcome: (call, signed) => readVenueOutcome(context, call, signed),
    readResult: (call, reference) => readResult(context, call, reference),
    listRedeemed: (at, cursor, findKnown) => listRedeemed(context, at, cursor, findKnown),
  };
}
