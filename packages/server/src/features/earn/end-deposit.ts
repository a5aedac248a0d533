/** The ends of a deposit: shares are minted for its units, its USDC goes back to the payer, or it is held for an operator. */
import { decideDeposit, formatUsd, mint } from '@market/contract';
import type { VenueResult } from '../../platform/chains/yield-venues.ts';
import { reachCrashPoint } from '../../platform/crash-points.ts';
import type { Tx } from '../../platform/db/database.ts';
import { earnDeposit, inFlight, post, treasury, unbooked } from '../ledger/index.ts';
import { openStates } from '../outgoing/index.ts';
import { queuePayout } from '../payouts/index.ts';
import { type DepositRow, findDeposit, moveDeposit } from './deposit-repository.ts';
import type { EarnContext, VenuePort } from './earn-context.ts';
import { appendEarnEvent } from './earn-events.ts';
import { findDeployed, type IntentRow, moveIntent, takeUnbooked } from './intent-repository.ts';
import { bearRedeems, findUnexplained, type RedeemOfDeposit } from './lost-deposit.ts';
import { bookOf, changePosition, insertEarnMovement, lockVault, writeBook } from './vault-repository.ts';

type Events = Pick<EarnContext, 'events' | 'vaults'>;
type Context = Pick<EarnContext, 'events' | 'vaults' | 'clock'>;

/** Mints for the units that the router measured, whatever the venue promised. False when another process ended the deposit. */
export async function mintDeposit(
  tx: Tx,
  context: Context,
  port: VenuePort,
  intent: IntentRow,
  landed: { readonly reference: string; readonly result: VenueResult; readonly redeems: readonly RedeemOfDeposit[] },
): Promise<boolean> {
  const { reference, result, redeems } = landed;
  const vault = await lockVault(tx, intent.vaultKey);
  const deposit = await findDeposit(tx, intent.subjectId);
  if (deposit === undefined || decideDeposit(deposit.status, 'mint', 'system') === undefined) return false;
  const end = { state: 'confirmed', reference, reason: null, resultAssets: result.assets, resultUnits: result.units } as const;
  if (!(await moveIntent(tx, intent.id, openStates, end))) return false;
  // Sent before a restore: `market reconcile` booked the transfer already, as unbooked.
  const wasFound = await takeUnbooked(tx, intent.id, port.chain.intentKey(intent.id));
  await post(tx, {
    kind: 'earn_deployed',
    subjectId: deposit.id,
    idempotencyKey: `earn_deployed:${intent.id}`,
    entries: [
      { account: inFlight(intent.network, intent.id), micros: -deposit.amountMicros },
      { account: wasFound ? unbooked(intent.network) : treasury(intent.network), micros: deposit.amountMicros },
    ],
  });
  const unexplained = wasFound ? await findUnexplained(tx, vault, result.units, redeems) : undefined;
  if (unexplained !== undefined) {
    const { units, reference: redeemed } = unexplained;
    const reason = `Lost books redeemed ${units} units of its vault in ${redeemed}, for an owner that these books do not know. If it was not this deposit, an operator retries it.`;
    await holdDeposit(tx, context, deposit, reason);
    return true;
  }
  if (!(await giveShares(tx, context, deposit, { ...intent, resultUnits: result.units, reference })))
    await holdDeposit(tx, context, deposit, 'The venue gave so little that it is worth no share.');
  else if (redeems.length > 0) await bearRedeems(tx, context, port, { deposit, intent, wasFound }, redeems);
  reachCrashPoint('earn.before_mint_commit');
  return true;
}

/** An operator decided that lost books redeemed only `redeems` of this deposit. False: its units buy no share. */
export async function mintHeld(
  tx: Tx,
  context: Context,
  port: VenuePort,
  deposit: DepositRow,
  redeems: readonly RedeemOfDeposit[],
): Promise<boolean> {
  const intent = await findDeployed(tx, deposit.id);
  if (intent === undefined || !(await giveShares(tx, context, deposit, intent))) return false;
  await bearRedeems(tx, context, port, { deposit, intent, wasFound: true }, redeems);
  return true;
}

/** False when the units buy no share. */
async function giveShares(
  tx: Tx,
  context: Context,
  deposit: DepositRow,
  { reference, resultUnits: units }: Pick<IntentRow, 'reference' | 'resultUnits'>,
): Promise<boolean> {
  const vault = await lockVault(tx, deposit.vaultKey);
  const minted = mint(bookOf(vault), units ?? 0n);
  if (minted === undefined || reference === null || units === null) return false;
  await writeBook(tx, vault, minted.book);
  const owner = { kind: deposit.ownerKind, id: deposit.ownerId };
  await changePosition(tx, vault.key, owner, { shares: minted.shares, principalMicros: deposit.amountMicros });
  const deployed = { reason: null, units, shares: minted.shares, deployReference: reference };
  if (!(await moveDeposit(tx, deposit.id, deposit.status, 'deployed', deployed)))
    throw new Error(`${deposit.id} changed while it was minted`);
  await insertEarnMovement(tx, {
    vaultKey: vault.key,
    owner,
    kind: 'deposit',
    shares: minted.shares,
    units,
    principalMicros: deposit.amountMicros,
    micros: deposit.amountMicros,
    subjectId: deposit.id,
  });
  await appendEarnEvent(tx, context, deposit, 'earn.deposited', {
    amount_usd: formatUsd(deposit.amountMicros),
    shares: String(minted.shares),
  });
  return true;
}

/** The venue did not take the deposit: its USDC never left the treasury. */
export async function giveBackDeposit(tx: Tx, intent: IntentRow, reason: string): Promise<void> {
  const deposit = await returnReserved(tx, intent);
  if (deposit === undefined) return;
  await refundDeposit(tx, deposit, 'system', reason);
  reachCrashPoint('earn.before_refund_commit');
}

/** Lost books deployed its USDC into another venue, or another amount of it: nothing is left to give back. */
export async function holdUndeployed(tx: Tx, context: Events, intent: IntentRow, reason: string): Promise<void> {
  if (!(await moveIntent(tx, intent.id, ['queued'], { state: 'failed', reason }))) return;
  const deposit = await returnReserved(tx, intent);
  if (deposit !== undefined) await holdDeposit(tx, context, deposit, reason);
}

async function returnReserved(tx: Tx, intent: IntentRow): Promise<DepositRow | undefined> {
  const deposit = await findDeposit(tx, intent.subjectId);
  if (deposit === undefined) return undefined;
  await post(tx, {
    kind: 'earn_deploy_failed',
    subjectId: deposit.id,
    idempotencyKey: `earn_deploy_failed:${intent.id}`,
    entries: [
      { account: inFlight(intent.network, intent.id), micros: -deposit.amountMicros },
      { account: earnDeposit(intent.network, deposit.id), micros: deposit.amountMicros },
    ],
  });
  return deposit;
}

/** False when the status of the deposit allows no refund. */
export async function refundDeposit(tx: Tx, deposit: DepositRow, by: 'system' | 'operator', reason: string): Promise<boolean> {
  const to = decideDeposit(deposit.status, 'refund', by);
  if (to === undefined || !(await moveDeposit(tx, deposit.id, deposit.status, to, { reason }))) return false;
  await queuePayout(tx, {
    purpose: 'earn_refund',
    subjectId: deposit.id,
    network: deposit.network,
    destination: deposit.payer,
    amountMicros: deposit.amountMicros,
    from: earnDeposit(deposit.network, deposit.id),
  });
  return true;
}

export async function holdDeposit(tx: Tx, context: Events, deposit: DepositRow, reason: string): Promise<void> {
  const to = decideDeposit(deposit.status, 'hold', 'system');
  if (to === undefined || !(await moveDeposit(tx, deposit.id, deposit.status, to, { reason }))) return;
  await appendEarnEvent(tx, context, deposit, 'earn.deposit_held', { amount_usd: formatUsd(deposit.amountMicros), reason });
}
