/**
 * Pays the queue of one vault, first come, first served. Redeems as many withdrawals side by side as the venue can pay, each by a call of its
 * own. Before that, it compares the units of the book with the units in the venue.
 */
import { earnLimits, planRound, type Redemption, type Waiting } from '@market/contract';
import { ChainUnavailable } from '../../platform/chains/chain.ts';
import type { VenueReading } from '../../platform/chains/yield-venues.ts';
import { reachCrashPoint } from '../../platform/crash-points.ts';
import type { Tx } from '../../platform/db/database.ts';
import { enqueueJobs } from '../../platform/jobs/job-repository.ts';
import { again, DONE, type NextStep, POLL_SECONDS, stepJob } from '../outgoing/index.ts';
import { intentIdOf } from '../payments/index.ts';
import { bookFoundParts } from './book-lost-redeem.ts';
import { type Comparison, compareUnits } from './compare-units.ts';
import { dropWorthless } from './drop-worthless.ts';
import type { EarnContext, VaultSetting, VenuePort } from './earn-context.ts';
import { advancingIntent } from './earn-job-names.ts';
import {
  countIntentsOf,
  countIntentsOfEach,
  findOpenIntent,
  type IntentRow,
  insertIntent,
  insertIntents,
  listRedeeming,
} from './intent-repository.ts';
import { valueOfUnits } from './share-price.ts';
import { vaultHolder } from './vault-holder.ts';
import { lockVault } from './vault-repository.ts';
import { findVenuePort } from './vaults.ts';
import { listQueue, lockQueue, startRedeeming, type WithdrawalRow } from './withdrawal-repository.ts';

const LOOK_AGAIN_SECONDS = 30;
const REFUSED_SECONDS = 50;
/** A part costs two network fees, so smaller ones wait for more liquidity. */
const LEAST_PART_MICROS = 1_000_000n;
/** Tiny withdrawals let the others of their round go first: the treasury signs one call after the other. */
const DUST_WAITS_MS = 5_000;
/** Includes the withdrawals that are under way. */
const SEEN_AT_ONCE = 2 * earnLimits.redemptionsAtOnce;

const settling = new WeakMap<EarnContext['database'], Map<string, Promise<NextStep>>>();

/** Callers of one vault share one run. */
export function settleQueue(context: EarnContext, vaultKey: string): Promise<NextStep> {
  const ofMarket = settling.get(context.database) ?? new Map<string, Promise<NextStep>>();
  settling.set(context.database, ofMarket);
  const known = ofMarket.get(vaultKey);
  if (known !== undefined) return known.then((next) => (next.kind === 'done' ? again(0) : next));
  const step = settle(context, vaultKey).finally(() => ofMarket.delete(vaultKey));
  ofMarket.set(vaultKey, step);
  return step;
}

async function settle(context: EarnContext, vaultKey: string): Promise<NextStep> {
  const { db } = context.database;
  const queue = await listQueue(db, vaultKey, SEEN_AT_ONCE);
  if (queue.length === 0) return DONE;
  const vault = findVenuePort(context, vaultKey);
  if (vault === undefined) return again(LOOK_AGAIN_SECONDS);
  if ((await findOpenIntent(db, { vaultKey, kind: 'allow' })) !== undefined) return again(POLL_SECONDS);
  // Each redemption under way has a job of its own.
  if (queue.every(({ status }) => status === 'redeeming')) return again(POLL_SECONDS);
  try {
    // Restored books may miss redemptions: comparing units would show a loss that is none.
    if ((await context.gate.findClosed(vaultHolder(context, vault))) !== undefined) return again(LOOK_AGAIN_SECONDS);
    const comparison = await compareUnits(context, vault);
    if (comparison.state === 'unclear') return again(POLL_SECONDS);
    // Missing units are a loss of all holders: nobody is paid before an operator spreads it.
    if (comparison.state === 'missing') return again(LOOK_AGAIN_SECONDS);
    if (comparison.foundUnits > 0n && (await bookFoundParts(context, vault, queue))) return again(0);
    return await requestNext(context, vault, queue, comparison);
  } catch (error) {
    if (error instanceof ChainUnavailable) return again(LOOK_AGAIN_SECONDS);
    throw error;
  }
}

async function requestNext(
  context: EarnContext,
  vault: VenuePort,
  queue: readonly WithdrawalRow[],
  comparison: Comparison,
): Promise<NextStep> {
  // Read after the comparison: units that moved in between are subtracted twice, never counted twice.
  const reading = await vault.venues.read(vault.at);
  if (await dropWorthless(context, vault, queue, reading)) return again(0);
  const wanted = queue.reduce((sum, { unitsLeft }) => sum + unitsLeft, 0n);
  if ((await vault.venues.readAllowance(vault.at)) < wanted) return await requestAllowance(context, vault);
  const requested = await context.database.transaction((tx) => requestRound(tx, context, vault, reading, comparison));
  return again(requested === 0 && queue.every(({ status }) => status === 'queued') ? LOOK_AGAIN_SECONDS : POLL_SECONDS);
}

/** Locks the book and the queue. Returns the number of redemptions requested. */
async function requestRound(
  tx: Tx,
  context: EarnContext,
  vault: VaultSetting,
  reading: VenueReading,
  { notMoved, open }: Comparison,
): Promise<number> {
  const { impairedAt } = await lockVault(tx, vault.key);
  if (impairedAt !== null) return 0;
  const queue = await lockQueue(tx, vault.key, SEEN_AT_ONCE);
  const known = new Set(open.map(({ id }) => id));
  // Calls that may still take units: those that had not moved any at the comparison, and later ones.
  const mayMove = (await listRedeeming(tx, vault.key)).filter(({ id }) => notMoved.has(id) || !known.has(id));
  const round = planRound(
    queue.map((row) => asWaiting(context, row)),
    {
      room: reading.redeemableUnits - mayMove.reduce((sum, { units }) => sum + units, 0n),
      underWay: mayMove.length,
      isWorthACall: (units) => valueOfUnits(units, reading) >= LEAST_PART_MICROS,
    },
  );
  const isDust = (units: bigint) => valueOfUnits(units, reading) < LEAST_PART_MICROS;
  if (round.length > 0) await requestRedeems(tx, context, vault, queue, round, isDust);
  return round.length;
}

function asWaiting({ clock }: EarnContext, { id, unitsLeft, status, reason, refusals, updatedAt }: WithdrawalRow): Waiting {
  const wasJustRefused = reason !== null && refusals > 0 && clock.now().getTime() - updatedAt.getTime() < REFUSED_SECONDS * 1000;
  const state = status === 'redeeming' ? 'under_way' : wasJustRefused ? 'refused' : 'waiting';
  return { id, unitsLeft, state, refusals };
}

async function requestRedeems(
  tx: Tx,
  { clock }: EarnContext,
  vault: VaultSetting,
  queue: readonly WithdrawalRow[],
  round: readonly Redemption[],
  isDust: (units: bigint) => boolean,
): Promise<void> {
  const ids = round.map(({ id }) => id);
  const earlier = await countIntentsOfEach(tx, ids);
  const queueNumbers = new Map(queue.map(({ id, queueNumber }) => [id, queueNumber]));
  const intents = round.map(({ id: subjectId, units }) => {
    const id = intentIdOf('redeem', subjectId, earlier.get(subjectId) ?? 0);
    return { ...ofVault(vault), id, kind: 'redeem' as const, subjectId, units, queueNumber: queueNumbers.get(subjectId) ?? 0n };
  });
  await startRedeeming(tx, ids);
  if ((await insertIntents(tx, intents)) !== intents.length) throw new Error(`redemptions of ${vault.key} exist already`);
  // The whole round can be paid, so nobody is overtaken. A waiting request advances its own call at once.
  const now = clock.now().getTime();
  const jobs = intents.map(({ id, units }, index) =>
    stepJob(advancingIntent, id, new Date(now + index + (isDust(units) ? DUST_WAITS_MS : 0))),
  );
  await enqueueJobs(tx, jobs);
  reachCrashPoint('earn.before_redeem_commit');
}

/** Once per venue: lets the router redeem the treasury's units, for the treasury only. */
async function requestAllowance(context: EarnContext, vault: VaultSetting): Promise<NextStep> {
  const { database } = context;
  const id = intentIdOf('allow', vault.key, await countIntentsOf(database.db, vault.key));
  await database.transaction(async (tx) => {
    if (await insertIntent(tx, { ...ofVault(vault), id, kind: 'allow', subjectId: vault.key }))
      await enqueueJobs(tx, [stepJob(advancingIntent, id)]);
    reachCrashPoint('earn.before_allow_commit');
  });
  return again(POLL_SECONDS);
}

function ofVault({ key, network, at }: VaultSetting): Pick<IntentRow, 'vaultKey' | 'network' | 'router' | 'venue'> {
  return { vaultKey: key, network, router: at.router, venue: at.venue };
}
