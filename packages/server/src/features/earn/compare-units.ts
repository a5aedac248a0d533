/**
 * Compares the units of a vault's book with the units in its venue: before each redemption, before a deposit is deployed or minted, and on a
 * schedule. Units that open calls moved are read at the same block, so both sides are equal unless units are missing or were given.
 */
import { ChainUnavailable } from '../../platform/chains/chain.ts';
import type { Tx } from '../../platform/db/database.ts';
import type { EarnContext, VenuePort } from './earn-context.ts';
import { type BookedUnits, readBookedUnits, wasSignedSince } from './held-units-repository.ts';
import { setImpaired } from './vault-repository.ts';

export interface Comparison extends BookedUnits {
  /** `unclear`: a call was signed during the comparison. */
  readonly state: 'sound' | 'missing' | 'unclear';
  /** Units on chain minus units of the book, without what found redemptions explain. */
  readonly difference: bigint;
  /** An open deposit was deployed by lost books: units beyond the book may be its own. */
  readonly isFound: boolean;
  /** Open calls that had moved no units yet. */
  readonly notMoved: ReadonlySet<string>;
}

type Context = Pick<EarnContext, 'database' | 'events' | 'log'>;

/** Marks the vault as impaired while units are missing, and clears the mark when none are. Throws `ChainUnavailable`. */
export async function compareUnits(context: Context, vault: VenuePort): Promise<Comparison> {
  const comparison = await readComparison(context, vault);
  if (comparison.state === 'unclear') return comparison;
  const missing = missingOf(comparison);
  if (missing === comparison.unitsMissing) return comparison;
  const isSet = await context.database.transaction((tx) => impair(tx, context, vault, comparison, missing));
  return isSet ? comparison : { ...comparison, state: 'unclear' };
}

const TRIES = 5;

/** Repeats an unclear comparison a few times. */
export async function compareUntilClear(context: Context, vault: VenuePort): Promise<Comparison> {
  for (let tries = 1; ; tries += 1) {
    const comparison = await compareUnits(context, vault);
    if (comparison.state !== 'unclear') return comparison;
    if (tries === TRIES) throw new ChainUnavailable(vault.network, 'the units of the vault move all the time');
  }
}

function missingOf({ difference }: Pick<Comparison, 'difference'>): bigint {
  return difference < 0n ? -difference : 0n;
}

export async function readComparison({ database: { db } }: Pick<Context, 'database'>, vault: VenuePort): Promise<Comparison> {
  // Read the book first: `wasSignedSince` finds a call that is signed after it.
  const booked = await readBookedUnits(db, vault);
  if (booked === undefined) throw new Error(`the vault ${vault.key} has no book`);
  const { open, units, foundUnits } = booked;
  const { heldUnits, moved } = await vault.venues.readHeld(
    vault.at,
    open.map(({ id: intentId, router }) => ({ intentId, router })),
  );
  let expected = units;
  let isFound = false;
  for (const { id, kind, signed } of open) {
    const { units: came = 0n } = moved.get(id) ?? {};
    // Lost books carried it out, perhaps in another vault: its units may be here, and are not missing if they are not.
    if (kind === 'deposit' && came > 0n && !signed) isFound = true;
    else expected += kind === 'deposit' ? came : -came;
  }
  const notMoved = new Set(open.flatMap(({ id }) => (moved.has(id) ? [] : [id])));
  const beyond = heldUnits - expected;
  // Units that lost books redeemed may be missing until a deposit explains them.
  const difference = beyond < 0n && beyond + foundUnits > 0n ? 0n : beyond + (beyond < 0n ? foundUnits : 0n);
  if (await wasSignedSince(db, vault, booked)) return { ...booked, difference, isFound, notMoved, state: 'unclear' };
  return { ...booked, difference, isFound, notMoved, state: difference < 0n ? 'missing' : 'sound' };
}

async function impair(tx: Tx, { events, log }: Context, { key }: VenuePort, { version }: BookedUnits, missing: bigint): Promise<boolean> {
  if (!(await setImpaired(tx, { key, version }, missing))) return false;
  if (missing === 0n) return true;
  log.error({ vault: key, missing: String(missing) }, 'a venue holds fewer units than the book of its vault');
  await events.append(tx, [{ type: 'earn.vault_impaired', subjectId: key, data: { vault_key: key, units_missing: String(missing) } }]);
  return true;
}

const KEEP_MS = 2_000;
const kept = new WeakMap<EarnContext['database'], Map<string, { readonly until: number; readonly comparison: Promise<Comparison> }>>();

/** `compareUnits`, shared for two seconds by calls that are signed at the same time. */
export function compareLately(context: Context, vault: VenuePort): Promise<Comparison> {
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
