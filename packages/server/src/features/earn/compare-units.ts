/**
 * The units of a vault's book against what its venue holds: before each redemption, before a deposit is deployed or minted, and on a schedule.
 * What calls under way have moved is read at the same block, so the two are exactly equal when nothing is missing and nothing was given.
 */
import { ChainUnavailable } from '../../platform/chains/chain.ts';
import type { Tx } from '../../platform/db/database.ts';
import type { EarnContext, VaultSetting } from './earn-context.ts';
import { type BookedUnits, readBookedUnits, wasSignedSince } from './held-units-repository.ts';
import { setImpaired } from './vault-repository.ts';
import { requireVenuePort } from './vaults.ts';

export interface Comparison extends BookedUnits {
  /** `unclear`: something moved while we looked. */
  readonly state: 'sound' | 'missing' | 'unclear';
  /** On chain beyond the book, or missing there as a negative number. */
  readonly difference: bigint;
  /** Lost books deployed a deposit that waits here: units beyond the book may be its own. */
  readonly isFound: boolean;
  /** Calls under way whose units had not moved. */
  readonly notMoved: ReadonlySet<string>;
}

type Context = Pick<EarnContext, 'database' | 'chains' | 'events' | 'log'>;

/** Throws `ChainUnavailable`. A vault that lacks units is impaired from now on, one that lacks none no more. */
export async function compareUnits(context: Context, vault: VaultSetting): Promise<Comparison> {
  const comparison = await readComparison(context, vault);
  if (comparison.state === 'unclear') return comparison;
  const missing = missingOf(comparison);
  if (missing === comparison.unitsMissing) return comparison;
  const isSet = await context.database.transaction((tx) => impair(tx, context, vault, comparison, missing));
  return isSet ? comparison : { ...comparison, state: 'unclear' };
}

const TRIES = 5;

/** While others move units, a look may be unclear several times. */
export async function compareUntilClear(context: Context, vault: VaultSetting): Promise<Comparison> {
  for (let tries = 1; ; tries += 1) {
    const comparison = await compareUnits(context, vault);
    if (comparison.state !== 'unclear') return comparison;
    if (tries === TRIES) throw new ChainUnavailable(vault.network, 'the units of the vault move all the time');
  }
}

function missingOf({ difference }: Pick<Comparison, 'difference'>): bigint {
  return difference < 0n ? -difference : 0n;
}

export async function readComparison({ database, chains }: Pick<Context, 'database' | 'chains'>, vault: VaultSetting): Promise<Comparison> {
  const { db } = database;
  const { venues } = requireVenuePort({ chains }, vault);
  // The book first: a call that is signed later is found by the last question.
  const booked = await readBookedUnits(db, vault);
  if (booked === undefined) throw new Error(`the vault ${vault.key} has no book`);
  const { open, units, foundUnits } = booked;
  const { heldUnits, moved } = await venues.readHeld(
    vault.at,
    open.map(({ id: intentId, router }) => ({ intentId, router })),
  );
  let expected = units;
  let isFound = false;
  for (const { id, kind, signed } of open) {
    const { units: came = 0n } = moved.get(id) ?? {};
    // Lost books carried it out, perhaps in another vault: it may be there, and need not be missing.
    if (kind === 'deposit' && came > 0n && !signed) isFound = true;
    else expected += kind === 'deposit' ? came : -came;
  }
  const notMoved = new Set(open.flatMap(({ id }) => (moved.has(id) ? [] : [id])));
  const beyond = heldUnits - expected;
  // What lost books redeemed may be missing until the deposit is presented that explains it.
  const difference = beyond < 0n && beyond + foundUnits > 0n ? 0n : beyond + (beyond < 0n ? foundUnits : 0n);
  if (await wasSignedSince(db, vault, booked)) return { ...booked, difference, isFound, notMoved, state: 'unclear' };
  return { ...booked, difference, isFound, notMoved, state: difference < 0n ? 'missing' : 'sound' };
}

async function impair(
  tx: Tx,
  { events, log }: Context,
  { key }: VaultSetting,
  { version }: BookedUnits,
  missing: bigint,
): Promise<boolean> {
  if (!(await setImpaired(tx, { key, version }, missing))) return false;
  if (missing === 0n) return true;
  log.error({ vault: key, missing: String(missing) }, 'a venue holds fewer units than the book of its vault');
  await events.append(tx, [{ type: 'earn.vault_impaired', subjectId: key, data: { vault_key: key, units_missing: String(missing) } }]);
  return true;
}

const KEEP_MS = 2_000;
const kept = new WeakMap<EarnContext['database'], Map<string, { readonly until: number; readonly comparison: Promise<Comparison> }>>();

/** As `compareUnits`, shared by calls that are signed at the same time. */
export function compareLately(context: Context, vault: VaultSetting): Promise<Comparison> {
  const ofMarket = kept.get(context.database) ?? new Map();
  kept.set(context.database, ofMarket);
  const known = ofMarket.get(vault.key);
  if (known !== undefined && known.until > performance.now()) return known.comparison;
  const comparison = compareUnits(context, vault);
  ofMarket.set(vault.key, { until: performance.now() + KEEP_MS, comparison });
  comparison.then(
    ({ state }) => state === 'unclear' && ofMarket.delete(vault.key),
    () => ofMarket.delete(vault.key),
  );
  return comparison;
}
