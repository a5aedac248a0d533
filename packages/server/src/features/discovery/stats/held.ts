/** GET /api/stats/held: funds in the treasuries compared with what the marketplace owes. */
import { formatUsd, type OperationAnswer, type Operations, toWireTime } from '@market/contract';
import type { HandlersOf } from '../../../access/call.ts';
import { sumOfParts, takeApart } from './held-parts.ts';
import type { StatsContext } from './stats-context.ts';
import { listReadings, type TreasuryReading } from './treasury-repository.ts';
import { listVenueHoldings, type VenueHolding } from './venue-repository.ts';

type Held = OperationAnswer<Operations['stats']['held']>['data'];

export function readHeld({ database }: StatsContext): HandlersOf<'stats'>['held'] {
  return async () => {
    const [readings, holdings] = [await listReadings(database.db), await listVenueHoldings(database.db)];
    const sum = presentParts(sumOfParts(readings.map(takeApart)));
    return { data: { networks: readings.map(presentReading), ...sum, venues: holdings.map(presentHolding) } };
  };
}

function presentReading(reading: TreasuryReading): Held['networks'][number] {
  const parts = takeApart(reading);
  return {
    network: reading.network,
    ...presentParts(parts),
    booked_usd: formatUsd(parts.owed + parts.own + reading.inFlightMicros),
    sent_usd: formatUsd(reading.inFlightMicros - parts.onItsWay),
    owed: {
      escrow_usd: formatUsd(reading.escrowMicros),
      agents_usd: formatUsd(reading.agentsMicros),
      refunds_usd: formatUsd(reading.refundsMicros),
      surplus_usd: formatUsd(reading.surplusMicros),
      unmatched_usd: formatUsd(reading.unmatchedMicros),
      earn_usd: formatUsd(reading.earnMicros),
    },
    read_at: toWireTime(reading.readAt),
  };
}

/** Funds of Earn in a venue. The sums leave them out, because their value depends on the venue. */
function presentHolding({ key, network, owedMicros, waitingMicros, heldMicros, readAt }: VenueHolding): Held['venues'][number] {
  return {
    key,
    network,
    owed_usd: formatUsd(owedMicros),
    waiting_usd: formatUsd(waitingMicros),
    held_usd: formatUsd(heldMicros),
    covered: heldMicros >= owedMicros,
    read_at: toWireTime(readAt),
  };
}

function presentParts(parts: ReturnType<typeof takeApart>): Omit<Held, 'networks' | 'venues'> {
  return {
    held_usd: formatUsd(parts.held),
    owed_usd: formatUsd(parts.owed),
    own_usd: formatUsd(parts.own),
    on_its_way_usd: formatUsd(parts.onItsWay),
    unbooked_usd: formatUsd(parts.unbooked),
    missing_usd: formatUsd(parts.missing),
    covered: parts.covered,
  };
}
