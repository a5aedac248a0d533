/** The ends of a deposit: its units join the pool and shares are minted, or it goes back to the wallet that paid. */
import { decideDeposit, formatUsd, mint } from '@market/contract';
import type { Chain } from '../../platform/chains/chain.ts';
import type { VenueResult } from '../../platform/chains/yield-venues.ts';
import { reachCrashPoint } from '../../platform/crash-points.ts';
import type { Tx } from '../../platform/db/database.ts';
import { earnDeposit, inFlight, post, treasury, unbooked } from '../ledger/index.ts';
import { openStates } from '../outgoing/index.ts';
import { queuePayout } from '../payouts/index.ts';
import { type DepositRow, findDeposit, moveDeposit } from './deposit-repository.ts';
import type { EarnContext } from './earn-context.ts';
import { appendEarnEvent } from './earn-events.ts';
import { findDeployed, type IntentRow, moveIntent, takeUnbooked } from './intent-repository.ts';
import { bearRedeems, findUnexplained, type RedeemOfDeposit } from './lost-of-deposit.ts';
import { bookOf, changePosition, insertEarnMovement, lockVault, writeBook } from './vault-repository.ts';
import { requireVaultSetting } from './vaults.ts';

type Events = Pick<EarnContext, 'events' | 'vaults'>;
type Context = Pick<EarnContext, 'events' | 'vaults' | 'clock' | 'chains'>;

/** What the router measured counts, whatever the venue promised. False when another process ended it. */
export async function mintDeposit(
  tx: Tx,
  context: Context,
  chain: Pick<Chain, 'intentKey'>,
  intent: IntentRow,
  landed: { readonly reference: string; readonly result: VenueResult; readonly redeems: readonly RedeemOfDeposit[] },
): Promise<boolean> {
  const { reference, result, redeems } = landed;
  const vault = await lockVault(tx, intent.vaultKey);
  const deposit = await findDeposit(tx, intent.subjectId);
  if (deposit === undefined || decideDeposit(deposit.status, 'mint', 'system') === undefined) return false;
  const end = { state: 'confirmed', reference, reason: null, resultAssets: result.assets, resultUnits: result.units } as const;
  if (!(await moveIntent(tx, intent.id, openStates, end))) return false;
  // Sent by a database that was lost: what left is in these books already, charged to nobody.
  const wasFound = await takeUnbooked(tx, intent.id, chain.intentKey(intent.id));
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
  if (await giveShares(tx, context, deposit, { ...intent, resultUnits: result.units, reference }))
    await bearRedeems(tx, context, requireVaultSetting(context, vault), { deposit, intent, wasFound }, redeems);
  else await holdDeposit(tx, context, deposit, 'The venue gave so little that it is worth no share.');
  reachCrashPoint('earn.before_mint_commit');
  return true;
}

/** An operator decided that nothing of this deposit was redeemed beside what `redeems` says. False: its units buy no share. */
export async function mintHeld(tx: Tx, context: Context, deposit: DepositRow, redeems: readonly RedeemOfDeposit[]): Promise<boolean> {
  const intent = await findDeployed(tx, deposit.id);
  if (intent === undefined || !(await giveShares(tx, context, deposit, intent))) return false;
  const setting = requireVaultSetting(context, { key: deposit.vaultKey });
  await bearRedeems(tx, context, setting, { deposit, intent, wasFound: true }, redeems);
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

/** The venue did not take it: the USDC never left the treasury. */
export async function giveBackDeposit(tx: Tx, intent: IntentRow, reason: string): Promise<void> {
  const deposit = await returnReserved(tx, intent);
  if (deposit === undefined) return;
  await refundDeposit(tx, deposit, 'system', reason);
  reachCrashPoint('earn.before_refund_commit');
}

/** Lost books had brought its USDC into another venue, or another amount of it: nothing can go back. An operator decides. */
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

/** False when the rules do not allow it any more. */
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
