/** GET /api/stats/held: what the treasuries hold against what is owed. */
import { formatUsd, type OperationAnswer, type Operations, toWireTime } from '@market/contract';
import type { HandlersOf } from '../../access/call.ts';
import type { CachedStats } from './stats-context.ts';
import { listReadings, type TreasuryReading } from './treasury-repository.ts';

type Held = OperationAnswer<Operations['stats']['held']>['data']['networks'][number];

const FRESH_SECONDS = 5;

export function readHeld({ cache, database }: CachedStats): HandlersOf<'stats'>['held'] {
  return async () => {
    const readings = await cache.keep('held', FRESH_SECONDS, () => listReadings(database.db));
    const sum = (of: (reading: TreasuryReading) => bigint): string =>
      formatUsd(readings.reduce((total, reading) => total + of(reading), 0n));
    return {
      data: {
        networks: readings.map(presentReading),
        held_usd: sum(({ heldMicros }) => heldMicros),
        owed_usd: sum(owedMicros),
        own_usd: sum(({ ownMicros }) => ownMicros),
        covered: readings.every(isCovered),
      },
    };
  };
}

function presentReading(reading: TreasuryReading): Held {
  const owed = owedMicros(reading);
  return {
    network: reading.network,
    held_usd: formatUsd(reading.heldMicros),
    booked_usd: formatUsd(owed + reading.ownMicros),
    owed_usd: formatUsd(owed),
    owed: {
      escrow_usd: formatUsd(reading.escrowMicros),
      agents_usd: formatUsd(reading.agentsMicros),
      refunds_usd: formatUsd(reading.refundsMicros),
      surplus_usd: formatUsd(reading.surplusMicros),
      unmatched_usd: formatUsd(reading.unmatchedMicros),
      in_flight_usd: formatUsd(reading.inFlightMicros),
    },
    own_usd: formatUsd(reading.ownMicros),
    covered: isCovered(reading),
    read_at: toWireTime(reading.readAt),
  };
}

function owedMicros(reading: TreasuryReading): bigint {
  const { escrowMicros, agentsMicros, refundsMicros, surplusMicros, unmatchedMicros, inFlightMicros } = reading;
  return escrowMicros + agentsMicros + refundsMicros + surplusMicros + unmatchedMicros + inFlightMicros;
}

/** What is on its way out may have left the treasury already. */
function isCovered(reading: TreasuryReading): boolean {
  return reading.heldMicros >= owedMicros(reading) - reading.inFlightMicros;
}
