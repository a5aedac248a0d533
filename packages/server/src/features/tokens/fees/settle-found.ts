/**
 * Charges transfers that left the vault, and that these books did not know, to the share that their name gives. They left before everything
 * that is still queued: if the share holds too little, its queued payouts go back into it. So a share is paid once, whatever was requested
 * meanwhile.
 */
import type { Tx } from '../../../platform/db/database.ts';
import { larger } from '../../../platform/larger-and-smaller.ts';
import { lockBalance, post } from '../../ledger/index.ts';
import { takeFound } from '../../outgoing/gate/index.ts';
import { insertFoundAttempt } from '../../outgoing/index.ts';
import { announcePaid } from './confirm-fee-payout.ts';
import { feeInFlight, float, shareOf, unbookedSol } from './fee-accounts.ts';
import { type FeeShare, namesOfShare } from './fee-payout-names.ts';
import type { FeesContext } from './fees-context.ts';
import { type FoundFee, listOpenFound, lockQueued } from './found-repository.ts';
import { giveBack } from './give-back.ts';
import { type FeePayoutRow, findFeePayout, insertFeePayout, moveFeePayout } from './repository.ts';

export interface Settled {
  /** Now booked as paid. */
  readonly paid: readonly FeePayoutRow[];
  /** The share holds too little for these. Nothing else may leave it. */
  readonly open: readonly FoundFee[];
}

export async function settleFound(tx: Tx, context: Pick<FeesContext, 'events'>, holder: string, share: FeeShare): Promise<Settled> {
  const [paid, open]: [FeePayoutRow[], FoundFee[]] = [[], []];
  for (const found of await listFoundOf(tx, holder, share)) {
    const payout = await settle(tx, context, share, found);
    if (payout === undefined) open.push(found);
    else paid.push(payout);
  }
  return { paid, open };
}

/** Found transfers under the names of this share that are charged to nothing yet, in the order of the names. */
export async function listFoundOf(tx: Tx, holder: string, share: FeeShare): Promise<readonly FoundFee[]> {
  // Usually there is none, and this one read is enough.
  if ((await listOpenFound(tx, holder)).length === 0) return [];
  // All code takes these locks in this order. Read again under them: another process may have charged the transfers meanwhile.
  await lockBalance(tx, shareOf(share));
  await lockBalance(tx, float);
  const found = Map.groupBy(await listOpenFound(tx, holder), ({ intentKey }) => intentKey);
  return (await namesOfShare(tx, share)).flatMap((name) => found.get(name) ?? []);
}

/** Undefined when it cannot be charged. */
async function settle(tx: Tx, context: Pick<FeesContext, 'events'>, share: FeeShare, found: FoundFee): Promise<FeePayoutRow | undefined> {
  const known = await findFeePayout(tx, found.intentKey);
  // These books have paid under this name, or are about to: an operator must find out why it left twice.
  if (known !== undefined && known.state !== 'queued' && known.state !== 'failed') return undefined;
  const reserved = known?.state === 'queued' ? known : undefined;
  if (!(await makeRoom(tx, share, found, reserved))) return undefined;
  if (!(await takeFound(tx, found, found.intentKey))) return undefined;
  const { intentKey: id, lamports, fee, destination: recipientWallet, reference } = found;
  if (known === undefined) {
    const { share: kind, mint, agentId } = share;
    const feeReserveLamports = larger(fee, 1n);
    await insertFeePayout(tx, { id, share: kind, mint, agentId, recipientWallet, lamports, feeReserveLamports, createdBy: 'reconcile' });
  }
  await storeFound(tx, found, known);
  await post(tx, {
    kind: 'creator_fee_paid',
    subjectId: id,
    idempotencyKey: `creator-fee-paid:${id}`,
    entries: [
      { account: feeInFlight(id), micros: -((reserved?.lamports ?? 0n) + (reserved?.feeReserveLamports ?? 0n)) },
      { account: shareOf(share), micros: (reserved?.lamports ?? 0n) - lamports },
      { account: float, micros: (reserved?.feeReserveLamports ?? 0n) - fee },
      { account: unbookedSol, micros: lamports + fee },
    ],
  });
  const payout = await findFeePayout(tx, id);
  if (payout !== undefined) await announcePaid(tx, context, payout, reference);
  return payout;
}

const WITHDRAWN =
  'This share was paid before an older copy of the books was put back, so the payout was withdrawn. What is left can be claimed again.';

/** True if share and float cover the transfer. Queued payouts of the share, the newest first, give back what is missing. */
async function makeRoom(tx: Tx, share: FeeShare, { lamports, fee }: FoundFee, reserved: FeePayoutRow | undefined): Promise<boolean> {
  let owed = (await lockBalance(tx, shareOf(share))) + (reserved?.lamports ?? 0n);
  let spare = (await lockBalance(tx, float)) + (reserved?.feeReserveLamports ?? 0n);
  if (owed >= lamports && spare >= fee) return true;
  const others = (await lockQueued(tx, share)).filter(({ id }) => id !== reserved?.id);
  const most = others.reduce((sum, other) => sum + other.lamports, owed);
  const mostSpare = others.reduce((sum, other) => sum + other.feeReserveLamports, spare);
  if (most < lamports || mostSpare < fee) return false;
  for (const other of others) {
    if (owed >= lamports && spare >= fee) break;
    if (!(await giveBack(tx, other, ['queued'], WITHDRAWN))) continue;
    [owed, spare] = [owed + other.lamports, spare + other.feeReserveLamports];
  }
  return owed >= lamports && spare >= fee;
}

/** Stores a transfer that these books never signed. It replaces the payout that they had requested under its name. */
async function storeFound(tx: Tx, found: FoundFee, known: FeePayoutRow | undefined): Promise<void> {
  const { intentKey: id, lamports, fee, destination: recipientWallet, reference } = found;
  await insertFoundAttempt(tx, id, reference);
  const isOther = known !== undefined && (known.lamports !== lamports || known.recipientWallet !== recipientWallet);
  const reason = isOther ? replacedReason(known) : null;
  const sent = { state: 'confirmed', reason, reference, amount: lamports, destination: recipientWallet } as const;
  if (!(await moveFeePayout(tx, id, ['queued', 'failed'], sent, { networkFeeLamports: fee })))
    throw new Error(`the payout ${id} moved while it was locked`);
}

function replacedReason({ lamports, recipientWallet }: FeePayoutRow): string {
  return `Ordered again as ${lamports} lamports to ${recipientWallet}, after an older copy of the books was put back. What it asked for beyond what was sent is owed again.`;
}
