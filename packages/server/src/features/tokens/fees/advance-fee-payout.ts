/** Advances a payout of creator fees: decides when it may leave the vault, and books its end. */
import { type Chain, type OutgoingTransfer, type SignedTransfer, TransferRefused } from '../../../platform/chains/chain.ts';
import type { Tx } from '../../../platform/db/database.ts';
import { lockBalance } from '../../ledger/index.ts';
import { again, type Booking, DONE, type NextStep, type Outgoing, settleSigned, signAndSend, signedStates } from '../../outgoing/index.ts';
import { findAddressHold } from '../../wallet-keys/index.ts';
import { recordPaid } from './confirm-fee-payout.ts';
import { shareOf } from './fee-accounts.ts';
import { feeVaultHolder } from './fee-vault-holder.ts';
import { feeVaultName } from './fee-vault-name.ts';
import type { FeesContext } from './fees-context.ts';
import { giveBack } from './give-back.ts';
import { type FeePayoutRow, findFeePayout, moveFeePayout } from './repository.ts';
import { listFoundOf, settleFound } from './settle-found.ts';

/** Waits for SOL in the vault, a lower network fee, or an operator. */
const WAIT_SECONDS = 60;

const HELD =
  'The chain shows a payout of this share that these books do not know and that the share cannot cover. It waits until the share can, or for an operator.';

type Sending = FeesContext & { readonly feeVault: Chain };

export async function advanceFeePayout(context: FeesContext, id: string): Promise<NextStep> {
  const { feeVault, database } = context;
  const payout = await findFeePayout(database.db, id);
  if (feeVault === undefined || payout === undefined || payout.state === 'confirmed' || payout.state === 'failed') return DONE;
  const sending = { ...context, feeVault };
  return payout.state === 'queued' ? await begin(sending, payout) : await settleSigned(context, outgoingOf(sending, payout));
}

function transferOf({ id, recipientWallet, lamports }: FeePayoutRow): OutgoingTransfer {
  return { intentId: id, destination: recipientWallet, asset: 'native', amount: lamports };
}

async function begin(context: Sending, payout: FeePayoutRow): Promise<NextStep> {
  const closed = await context.gate.findClosed(feeVaultHolder(context, context.feeVault));
  if (closed !== undefined) return await wait(context, payout, closed);
  return await signAndSend(context, outgoingOf(context, payout));
}

async function sign(context: Sending, payout: FeePayoutRow): Promise<SignedTransfer | NextStep> {
  const { database, feeVault } = context;
  // Lost books may have paid this share, under this name or another: Solana does not refuse a second payment.
  const { paid, open } = await database.transaction((tx) => settleFound(tx, context, feeVaultName(feeVault), payout));
  if (paid.length > 0) return again(0);
  if (open.length > 0) return await wait(context, payout, HELD);
  const held = await findRestoreHold(context, payout);
  if (held !== undefined) return await wait(context, payout, held);
  try {
    if ((await feeVault.estimateFee(transferOf(payout))) > payout.feeReserveLamports)
      return await wait(context, payout, 'The network asks for a higher fee than was reserved.');
    return await feeVault.signTransfer(transferOf(payout));
  } catch (error) {
    if (!(error instanceof TransferRefused)) throw error;
    if (error.reason === 'insufficient_native') return await wait(context, payout, error.message);
    await database.transaction((tx) => giveBack(tx, payout, ['queued'], error.message));
    return DONE;
  }
}

/** A claim goes to the payout address of its time, which a restore may have brought back. */
async function findRestoreHold(
  context: Sending,
  { share, agentId, recipientWallet, createdAt }: FeePayoutRow,
): Promise<string | undefined> {
  const { db } = context.database;
  if (share !== 'agent' || agentId === null) return undefined;
  const payment = { agentId, destination: recipientWallet, chosenAt: createdAt };
  return (await findAddressHold(db, context, payment))?.reason;
}

/** The payout as `outgoing` carries it. Solana has no replacement: bytes land, or expire within a minute. */
function outgoingOf(context: Sending, payout: FeePayoutRow): Outgoing {
  const { feeVault } = context;
  return {
    id: payout.id,
    chain: feeVault,
    transfer: transferOf(payout),
    turn: feeVaultName(feeVault),
    sign: () => sign(context, payout),
    mayStore: (tx) => isStillOwed(tx, context, payout),
    onConfirmed: (_attempt, reference) => readPaid(context, payout, reference),
    onFailed: async (_attempt, reason) => (tx) => giveBack(tx, payout, signedStates, reason),
  };
}

async function isStillOwed(tx: Tx, { feeVault }: Sending, payout: FeePayoutRow): Promise<boolean> {
  // `market reconcile` charges its findings under this lock.
  await lockBalance(tx, shareOf(payout));
  if ((await listFoundOf(tx, feeVaultName(feeVault), payout)).length > 0) return false;
  // The owner signed another address meanwhile.
  return (await findFeePayout(tx, payout.id))?.recipientWallet === payout.recipientWallet;
}

/** The network fee is taken from the reserve; the rest of that goes back to the float. */
async function readPaid({ events, feeVault }: Sending, payout: FeePayoutRow, reference: string): Promise<Booking> {
  const fee = (await feeVault.coins?.readCoinChange(reference))?.fee ?? 0n;
  return (tx) => recordPaid(tx, { events }, payout, { reference, fee });
}

async function wait({ database }: Sending, payout: FeePayoutRow, reason: string): Promise<NextStep> {
  await database.transaction((tx) => moveFeePayout(tx, payout.id, ['queued'], { state: 'queued', reason }));
  return again(WAIT_SECONDS);
}
