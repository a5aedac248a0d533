/** An order paid by a bare transfer, until its payer is proven or the time to contest is over. */

import { bindsToTransfer } from '../../../access/authority/seen-signatures.ts';
import { signerOf, spendableWallets } from '../../../access/authority/spendable-wallets.ts';
import type { Caller } from '../../../access/caller.ts';
import type { Tx } from '../../../platform/db/database.ts';
import { enqueueJobs } from '../../../platform/jobs/job-repository.ts';
import { type ClaimRow, findUnprovenClaim, proveClaim } from '../../payments/index.ts';
import type { OrdersContext } from '../orders-context.ts';
import type { OrderRow } from '../repository.ts';
import { requireLockedOrder } from '../require-order.ts';
import { timerJob } from './timer-job.ts';

export type ContestableOrder = OrderRow & { readonly contestableUntil: Date };

/** While this holds, nothing is paid out. */
export function isContestable(order: OrderRow): order is ContestableOrder {
  return order.contestableUntil !== null && order.contestableUntil.getTime() > order.now.getTime();
}

/** Confirms the order and ends what a first presenter got, if this caller may spend from the wallet that paid. */
export async function provePayer(tx: Tx, context: OrdersContext, order: OrderRow, caller: Caller): Promise<OrderRow> {
  const { paymentNetwork } = order;
  // Only hires by machine accept a transfer from anybody who knows its hash.
  if (order.kind !== 'machine' || paymentNetwork === null) return order;
  const claim = await findUnprovenClaim(tx, order.id);
  if (claim === undefined || !(await vouches(tx, order, claim, caller))) return order;
  await proveClaim(tx, context, claim, paymentNetwork, caller);
  return await requireLockedOrder(tx, order.id);
}

/** Confirming counts as spending: it needs a wallet that the caller may spend from, and a signature that spent no other transfer. */
async function vouches(tx: Tx, { paymentNetwork }: OrderRow, { payer, caip2, reference }: ClaimRow, caller: Caller): Promise<boolean> {
  if (paymentNetwork === null) return false;
  const wallets = await spendableWallets(tx, caller, paymentNetwork);
  const vouchers = wallets.filter(({ address, by }) => address === payer && by !== 'allowed').map(({ by }) => by);
  if (vouchers.some((by) => by !== 'signature')) return true;
  const signer = vouchers.length === 0 ? undefined : signerOf(caller, payer);
  return signer !== undefined && (await bindsToTransfer(tx, signer, `${caip2}/${reference}`));
}

/** Pays a provider who is paid at hire now, before the time to contest is over. */
export async function payoutNow(tx: Tx, order: OrderRow): Promise<void> {
  if (order.settlement === 'instant' && !order.settled) await enqueueJobs(tx, [timerJob(order.id, { command: 'pay_at_hire' })]);
}
