/** Samples every venue on a schedule: stores price, rate and size for charts, and detects missing units. */
import { compareUnits } from './compare-units.ts';
import type { EarnContext, VaultSetting } from './earn-context.ts';
import { findEarlierSample, saveSample } from './sample-repository.ts';
import { sharePriceOf } from './share-price.ts';
import { bookOf, findVault } from './vault-repository.ts';
import { type KeptReading, requireVenuePort } from './vaults.ts';

const RATE_DAYS = 7;
const YEAR_MS = 365 * 24 * 3_600_000;
const HOUR_MS = 3_600_000;

export async function sampleVenues(context: EarnContext): Promise<void> {
  for (const key of context.vaults.keys()) {
    try {
      await sampleVenue(context, key);
    } catch (error) {
      context.log.warn({ err: error, vault: key }, 'a venue could not be read');
    }
  }
}

async function sampleVenue(context: EarnContext, key: string): Promise<void> {
  const { db } = context.database;
  const vault = requireVenuePort(context, { key });
  const before = await findVault(db, key);
  const reading = { ...(await vault.venues.read(vault.at)), readAt: context.clock.now() };
  if (before === undefined) return;
  const { pricePerUnit, unitDecimals, totalAssets, totalUnits, freeAssets, paused } = reading;
  await saveSample(db, {
    ...{ vaultKey: key, pricePerUnit, unitDecimals, totalAssets, totalUnits, freeAssets, paused },
    sharePrice: sharePriceOf(bookOf(before), reading),
    aprPct: await readRate(context, vault, reading),
  });
  await compareUnits(context, vault);
}

/** The rate that the venue states, else computed from its price within a week. */
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
