/** The ends of a deposit: its units join the pool and shares are minted, or it goes back to the wallet that paid. */
import { decideDeposit, formatUsd, mint } from '@market/contract';
import type { Chain } from '../../platform/chains/chain.ts';
import type { VenueResult } from '../../platform/chains/yield-venues.ts';
import { reachCrashPoint } from '../../platform/crash-points.ts';
import type { Tx } from '../../platform/db/database.ts';
import { earnDeposit, inFlight, post, treasury, unbooked } from '../ledger/index.ts';
import { queuePayout } from '../payouts/index.ts';
import { type DepositRow, findDeposit, moveDeposit } from './deposit-repository.ts';
import type { EarnContext } from './earn-context.ts';
import { appendEarnEvent } from './earn-events.ts';
import { type IntentAttempt, type IntentRow, moveIntent, moveIntentAttempt, openIntentStates, takeUnbooked } from './intent-repository.ts';
import { changePosition, insertEarnMovement, lockVault, writeBook } from './vault-repository.ts';
import { bookOf } from './vaults.ts';

type Context = Pick<EarnContext, 'events' | 'vaults'>;

/** What the router measured counts, whatever the venue promised. */
export async function mintDeposit(
  tx: Tx,
  context: Context,
  chain: Pick<Chain, 'intentKey'>,
  intent: IntentRow,
  attempt: IntentAttempt,
  landed: { readonly reference: string; readonly result: VenueResult },
): Promise<void> {
  const { reference, result } = landed;
  const vault = await lockVault(tx, intent.vaultKey);
  const deposit = await findDeposit(tx, intent.subjectId);
  if (deposit === undefined || decideDeposit(deposit.status, 'mint', 'system') === undefined) return;
  const end = { state: 'confirmed', reference, reason: null, resultAssets: result.assets, resultUnits: result.units } as const;
  if (!(await moveIntent(tx, intent.id, openIntentStates, end))) return;
  await moveIntentAttempt(tx, attempt, 'confirmed');
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
  const minted = mint(bookOf(vault), result.units);
  if (minted === undefined) return await holdDeposit(tx, context, deposit, 'The venue gave so little that it is worth no share.');
  await writeBook(tx, vault.key, minted.book);
  const owner = { kind: deposit.ownerKind, id: deposit.ownerId };
  await changePosition(tx, vault.key, owner, { shares: minted.shares, principalMicros: deposit.amountMicros });
  const deployed = { reason: null, units: result.units, shares: minted.shares, deployReference: reference };
  if (!(await moveDeposit(tx, deposit.id, deposit.status, 'deployed', deployed)))
    throw new Error(`${deposit.id} changed while it was minted`);
  await insertEarnMovement(tx, {
    vaultKey: vault.key,
    owner,
    kind: 'deposit',
    shares: minted.shares,
    units: result.units,
    principalMicros: deposit.amountMicros,
    micros: deposit.amountMicros,
    subjectId: deposit.id,
  });
  await appendEarnEvent(tx, context, deposit, 'earn.deposited', {
    amount_usd: formatUsd(deposit.amountMicros),
    shares: String(minted.shares),
  });
  reachCrashPoint('earn.before_mint_commit');
}

/** The venue did not take it: the USDC never left the treasury. */
export async function giveBackDeposit(tx: Tx, intent: IntentRow, reason: string): Promise<void> {
  const deposit = await findDeposit(tx, intent.subjectId);
  if (deposit === undefined) return;
  await post(tx, {
    kind: 'earn_deploy_failed',
    subjectId: deposit.id,
    idempotencyKey: `earn_deploy_failed:${intent.id}`,
    entries: [
      { account: inFlight(intent.network, intent.id), micros: -deposit.amountMicros },
      { account: earnDeposit(intent.network, deposit.id), micros: deposit.amountMicros },
    ],
  });
  await refundDeposit(tx, deposit, 'system', reason);
  reachCrashPoint('earn.before_refund_commit');
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

export async function holdDeposit(tx: Tx, context: Context, deposit: DepositRow, reason: string): Promise<void> {
  const to = decideDeposit(deposit.status, 'hold', 'system');
  if (to === undefined || !(await moveDeposit(tx, deposit.id, deposit.status, to, { reason }))) return;
  await appendEarnEvent(tx, context, deposit, 'earn.deposit_held', { amount_usd: formatUsd(deposit.amountMicros), reason });
}
