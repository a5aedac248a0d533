/** Looks at every venue on a schedule: keeps price, rate and size for charts, and notices units that are missing. */
import { compareUnits } from './compare-units.ts';
import type { EarnContext, VaultSetting } from './earn-context.ts';
import type { KeptReading } from './kept-readings.ts';
import { findEarlierSample, saveSample } from './sample-repository.ts';
import { sharePriceOf } from './share-price.ts';
import { bookOf, findVault } from './vault-repository.ts';
import { requireVenuePort } from './vaults.ts';

const RATE_DAYS = 7;
const YEAR_MS = 365 * 24 * 3_600_000;
const HOUR_MS = 3_600_000;

export async function sampleVenues(context: EarnContext): Promise<void> {
  for (const vault of context.vaults) {
    try {
      await sampleVenue(context, vault);
    } catch (error) {
      context.log.warn({ err: error, vault: vault.key }, 'a venue could not be read');
    }
  }
}

async function sampleVenue(context: EarnContext, vault: VaultSetting): Promise<void> {
  const { db } = context.database;
  const { venues } = requireVenuePort(context, vault);
  const before = await findVault(db, vault.key);
  const reading = { ...(await venues.read(vault.at)), readAt: context.clock.now() };
  if (before === undefined) return;
  const { pricePerUnit, unitDecimals, totalAssets, totalUnits, freeAssets, paused } = reading;
  await saveSample(db, {
    ...{ vaultKey: vault.key, pricePerUnit, unitDecimals, totalAssets, totalUnits, freeAssets, paused },
    sharePrice: sharePriceOf(bookOf(before), reading),
    aprPct: await readRate(context, vault, reading),
  });
  await compareUnits(context, vault);
}

/** As the venue states it, else as its price has risen within a week. */
export async function readRate(
  { database }: Pick<EarnContext, 'database'>,
  vault: VaultSetting,
  reading: KeptReading,
): Promise<number | null> {
  const stated = vault.strategy === 'lending' ? reading.supplyAprPct : reading.feeAprPct;
  if (stated !== null) return stated;
  const earlier = await findEarlierSample(database.db, vault.key, RATE_DAYS);
  const elapsedMs = earlier === undefined ? 0 : reading.readAt.getTime() - earlier.at.getTime();
  if (earlier === undefined || earlier.pricePerUnit === 0n || elapsedMs < HOUR_MS) return null;
  const growth = Number(reading.pricePerUnit - earlier.pricePerUnit) / Number(earlier.pricePerUnit);
  return Math.round(((growth * YEAR_MS) / elapsedMs) * 10_000) / 100;
}
