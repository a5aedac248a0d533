/** Looks at every venue on a schedule: keeps price, rate and size for charts, and notices units that are missing. */
import type { Tx } from '../../platform/db/database.ts';
import type { EarnContext, VaultSetting } from './earn-context.ts';
import { hasOpenIntents, sumRedeeming } from './intent-repository.ts';
import type { KeptReading } from './kept-readings.ts';
import { findEarlierSample, saveSample } from './sample-repository.ts';
import { findVault, setImpaired, type VaultRow } from './vault-repository.ts';
import { bookOf, requireVenuePort, sharePriceOf } from './vaults.ts';

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
  const isStill = !(await hasOpenIntents(db, vault.key));
  const redeeming = await sumRedeeming(db, vault.key);
  const reading = { ...(await venues.read(vault.at)), readAt: context.clock.now() };
  if (before === undefined) return;
  const { pricePerUnit, unitDecimals, totalAssets, totalUnits, freeAssets, paused } = reading;
  await saveSample(db, {
    ...{ vaultKey: vault.key, pricePerUnit, unitDecimals, totalAssets, totalUnits, freeAssets, paused },
    sharePrice: sharePriceOf(bookOf(before), reading),
    aprPct: await readRate(context, vault, reading),
  });
  await (isStill ? compareUnits(context, before, reading.heldUnits) : findMissing(context, before, reading.heldUnits, redeeming));
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

/** Nothing was under way and the book stood still: fewer units on chain than in the book are a loss. Operators decide; deposits stop. */
async function compareUnits(context: EarnContext, vault: VaultRow, heldUnits: bigint): Promise<void> {
  const booked = vault.totalUnits + vault.queuedUnits;
  const missing = heldUnits < booked ? booked - heldUnits : 0n;
  if (missing === vault.unitsMissing) return;
  await context.database.transaction(async (tx) => {
    if (await hasOpenIntents(tx, vault.key)) return;
    await impair(tx, context, vault, missing);
  });
}

/** While something is under way a part of the difference may be on its way out. Only what is missing beyond that is certain. */
async function findMissing(context: EarnContext, vault: VaultRow, heldUnits: bigint, redeeming: bigint): Promise<void> {
  const missingBeside = (units: bigint) => vault.totalUnits + vault.queuedUnits - units - heldUnits;
  if (missingBeside(redeeming) <= vault.unitsMissing) return;
  await context.database.transaction(async (tx) => {
    // One that was ordered after the first look may have left before the chain was read.
    const now = await sumRedeeming(tx, vault.key);
    const missing = missingBeside(now > redeeming ? now : redeeming);
    if (missing > vault.unitsMissing) await impair(tx, context, vault, missing);
  });
}

async function impair(tx: Tx, context: EarnContext, vault: VaultRow, missing: bigint): Promise<void> {
  if (!(await setImpaired(tx, vault, missing)) || missing === 0n) return;
  context.log.error({ vault: vault.key, missing: String(missing) }, 'a venue holds fewer units than the book of its vault');
  await announceImpaired(tx, context, vault, missing);
}

async function announceImpaired(tx: Tx, { events }: EarnContext, { key }: VaultRow, missing: bigint): Promise<void> {
  await events.append(tx, [{ type: 'earn.vault_impaired', subjectId: key, data: { vault_key: key, units_missing: String(missing) } }]);
}
