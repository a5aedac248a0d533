/** Pays the queue of one vault, first come first served: the head gets what the venue can pay now, the next one only when the head has all. */
import { decideWithdrawal, partOf } from '@market/contract';
import { ChainUnavailable } from '../../platform/chains/chain.ts';
import { reachCrashPoint } from '../../platform/crash-points.ts';
import { enqueueJobs } from '../../platform/jobs/job-repository.ts';
import { again, DONE, type NextStep, POLL_SECONDS } from '../payouts/index.ts';
import { dropHead, isWorthless } from './drop-head.ts';
import type { EarnContext, VaultSetting } from './earn-context.ts';
import { advanceIntentJob } from './earn-job-names.ts';
import { intentIdOf } from './intent-id.ts';
import { countIntentsOf, findOpenIntent, type IntentRow, insertIntent } from './intent-repository.ts';
import { findVault, lockVault } from './vault-repository.ts';
import { findVaultSetting, findVenuePort, type VenuePort, valueOfUnits } from './vaults.ts';
import { findHead, moveWithdrawal, type WithdrawalRow } from './withdrawal-repository.ts';

const LOOK_AGAIN_SECONDS = 30;
const REFUSED_SECONDS = 50;
/** Smaller parts wait for more liquidity: each costs two network fees. */
const LEAST_PART_MICROS = 1_000_000n;

export async function settleQueue(context: EarnContext, vaultKey: string): Promise<NextStep> {
  const { db } = context.database;
  const head = await findHead(db, vaultKey);
  if (head === undefined) return DONE;
  const vault = findVaultSetting(context, vaultKey);
  const port = vault && findVenuePort(context, vault);
  if (vault === undefined || port === undefined) return again(LOOK_AGAIN_SECONDS);
  // Missing units are everybody's loss: nobody is paid before an operator has spread it.
  if ((await findVault(db, vaultKey))?.impairedAt != null) return again(LOOK_AGAIN_SECONDS);
  if (wasJustRefused(context, head)) return again(LOOK_AGAIN_SECONDS);
  // Its own job carries it on; this one comes back when it ends.
  if (head.status === 'redeeming' || (await findOpenIntent(db, { vaultKey, kind: 'allow' })) !== undefined) return again(POLL_SECONDS);
  try {
    if (await isWorthless(port, vault, head)) {
      await dropHead(context, vault, head);
      return again(0);
    }
    if ((await port.venues.readAllowance(vault.at)) < head.unitsLeft) return await orderAllowance(context, vault);
    const units = await readPart(port, vault, head);
    if (units === 0n) return again(LOOK_AGAIN_SECONDS);
    await orderRedeem(context, vault, head, units);
    return again(POLL_SECONDS);
  } catch (error) {
    if (error instanceof ChainUnavailable) return again(LOOK_AGAIN_SECONDS);
    throw error;
  }
}

/** Everybody who waits would only ask the venue again. */
function wasJustRefused({ clock }: EarnContext, { status, reason, updatedAt }: WithdrawalRow): boolean {
  return status === 'queued' && reason !== null && clock.now().getTime() - updatedAt.getTime() < REFUSED_SECONDS * 1000;
}

/** 0: nothing worth a transaction is free now. */
async function readPart({ venues }: VenuePort, { at }: VaultSetting, { unitsLeft }: WithdrawalRow): Promise<bigint> {
  const reading = await venues.read(at);
  const units = partOf(unitsLeft, reading.redeemableUnits);
  if (units === unitsLeft) return units;
  return valueOfUnits(units, reading) < LEAST_PART_MICROS ? 0n : units;
}

async function orderRedeem(context: EarnContext, vault: VaultSetting, head: WithdrawalRow, units: bigint): Promise<void> {
  const { database } = context;
  const to = decideWithdrawal(head.status, 'redeem');
  if (to === undefined) return;
  const id = intentIdOf('redeem', head.id, await countIntentsOf(database.db, head.id));
  await database.transaction(async (tx) => {
    // The book and the queue stand still: a recognised loss may have changed what is left.
    const { impairedAt } = await lockVault(tx, vault.key);
    if (impairedAt !== null) return;
    const first = await findHead(tx, vault.key);
    if (first?.id !== head.id || first.unitsLeft !== head.unitsLeft) return;
    if (!(await moveWithdrawal(tx, head.id, head.status, to, { reason: null }))) return;
    if (!(await insertIntent(tx, { ...ofVault(vault), id, kind: 'redeem', subjectId: head.id, units })))
      throw new Error(`${id} exists already`);
    await enqueueJobs(tx, [advanceIntentJob(id)]);
    reachCrashPoint('earn.before_redeem_commit');
  });
}

/** Once per venue: the router may redeem the treasury's units, for the treasury only. */
async function orderAllowance(context: EarnContext, vault: VaultSetting): Promise<NextStep> {
  const { database } = context;
  const id = intentIdOf('allow', vault.key, await countIntentsOf(database.db, vault.key));
  await database.transaction(async (tx) => {
    if (await insertIntent(tx, { ...ofVault(vault), id, kind: 'allow', subjectId: vault.key }))
      await enqueueJobs(tx, [advanceIntentJob(id)]);
    reachCrashPoint('earn.before_allow_commit');
  });
  return again(POLL_SECONDS);
}

function ofVault({ key, network, at }: VaultSetting): Pick<IntentRow, 'vaultKey' | 'network' | 'router' | 'venue'> {
  return { vaultKey: key, network, router: at.router, venue: at.venue };
}
