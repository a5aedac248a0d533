/**
 * Sends a payout of creator fees, one safe step at a time, by the code that payouts use: bytes are stored before they are sent, and signed
 * again only when the chain has proven that the earlier ones can never land.
 */
import { type Chain, type OutgoingTransfer, type SignedTransfer, TransferRefused } from '../../platform/chains/chain.ts';
import { takeSigningTurn } from '../../platform/chains/signing-turn.ts';
import { reachCrashPoint } from '../../platform/crash-points.ts';
import { lockBalance } from '../ledger/index.ts';
import { again, type Carriage, DONE, type NextStep, POLL_SECONDS, sendStored, settleStored } from '../payouts/index.ts';
import { findAddressHold } from '../wallets/index.ts';
import { recordPaid } from './confirm-fee-payout.ts';
import { shareOf } from './fee-accounts.ts';
import { feeVaultHolder } from './fee-vault-holder.ts';
import { feeVaultName } from './fee-vault-name.ts';
import type { FeesContext } from './fees-context.ts';
import { giveBack } from './give-back.ts';
import {
  type FeeAttemptRow,
  type FeePayoutRow,
  findFeePayout,
  insertFeeAttempt,
  latestFeeAttempt,
  moveFeeAttempt,
  moveFeePayout,
} from './repository.ts';
import { listFoundOf, settleFound } from './settle-found.ts';

const SENT = ['signed', 'sent', 'unknown'] as const;
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
  return payout.state === 'queued' ? await signAndSend(sending, payout) : await settleStored(context, carriageOf(sending, payout));
}

function transferOf({ id, recipientWallet, lamports }: FeePayoutRow): OutgoingTransfer {
  return { intentId: id, destination: recipientWallet, asset: 'native', amount: lamports };
}

/** One signer at a time per key: two processes never sign for one payout at once. */
async function signAndSend(context: Sending, payout: FeePayoutRow): Promise<NextStep> {
  const { database, feeVault } = context;
  const closed = await context.gate.findClosed(feeVaultHolder(context, feeVault));
  if (closed !== undefined) return await wait(context, payout, closed);
  return await takeSigningTurn(database.pool, feeVaultName(feeVault), async () => {
    // Lost books may have paid this share, under this name or another: Solana would take it a second time.
    const { paid, open } = await database.transaction((tx) => settleFound(tx, context, feeVaultName(feeVault), payout));
    if (paid.length > 0) return again(0);
    if (open.length > 0) return await wait(context, payout, HELD);
    const held = await findRestoreHold(context, payout);
    if (held !== undefined) return await wait(context, payout, held);
    let signed: SignedTransfer;
    try {
      if ((await feeVault.estimateFee(transferOf(payout))) > payout.feeReserveLamports)
        return await wait(context, payout, 'The network asks for a higher fee than was reserved.');
      signed = await feeVault.signTransfer(transferOf(payout));
    } catch (error) {
      if (!(error instanceof TransferRefused)) throw error;
      if (error.reason === 'insufficient_native') return await wait(context, payout, error.message);
      await database.transaction((tx) => giveBack(tx, payout, ['queued'], error.message));
      return DONE;
    }
    const number = await storeSigned(context, payout, signed);
    if (number === undefined) return again(POLL_SECONDS);
    reachCrashPoint('fee_payout.after_store');
    return await sendStored(context, carriageOf(context, payout), { number }, signed);
  });
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

/** Undefined when another process was faster: then these bytes are never sent. */
async function storeSigned({ database, feeVault }: Sending, payout: FeePayoutRow, signed: SignedTransfer): Promise<number | undefined> {
  return await database.transaction(async (tx) => {
    // `market reconcile` charges under this lock what it finds.
    await lockBalance(tx, shareOf(payout));
    if ((await listFoundOf(tx, feeVaultName(feeVault), payout)).length > 0) return undefined;
    // The owner signed another address meanwhile.
    if ((await findFeePayout(tx, payout.id))?.recipientWallet !== payout.recipientWallet) return undefined;
    if (!(await moveFeePayout(tx, payout.id, ['queued'], { state: 'signed', reason: null, reference: signed.reference }))) return undefined;
    const number = ((await latestFeeAttempt(tx, payout.id))?.number ?? 0) + 1;
    await insertFeeAttempt(tx, payout.id, number, signed);
    reachCrashPoint('fee_payout.before_store_commit');
    return number;
  });
}

/** Where a payout is stored, for the code that all outgoing transfers share. */
function carriageOf(context: Sending, payout: FeePayoutRow): Carriage<FeeAttemptRow> {
  const { database, feeVault } = context;
  const { id } = payout;
  return {
    id,
    chain: feeVault,
    transfer: transferOf(payout),
    turn: feeVaultName(feeVault),
    findLatest: () => latestFeeAttempt(database.db, id),
    // Solana has no replacement: bytes land, or expire within a minute.
    replace: async () => undefined,
    storeReplacement: async () => false,
    markSent: ({ number }, state) =>
      database.transaction(async (tx) => {
        if (await moveFeeAttempt(tx, { payoutId: id, number }, state)) await moveFeePayout(tx, id, SENT, { state });
      }),
    confirm: (attempt, reference) => confirm(context, payout, attempt, reference),
    expire: (attempt) =>
      database.transaction(async (tx) => {
        if (await moveFeeAttempt(tx, attempt, 'expired')) await moveFeePayout(tx, id, SENT, { state: 'queued' });
      }),
    fail: (attempt, reason) =>
      database.transaction(async (tx) => {
        if (await moveFeeAttempt(tx, attempt, 'failed')) await giveBack(tx, payout, SENT, reason);
      }),
  };
}

/** The network fee is taken from the reserve; the rest of that goes back to the float. */
async function confirm(
  { database, events, feeVault }: Sending,
  payout: FeePayoutRow,
  attempt: FeeAttemptRow,
  reference: string,
): Promise<void> {
  const fee = (await feeVault.coins?.readCoinChange(reference))?.fee ?? 0n;
  await database.transaction(async (tx) => {
    if (await moveFeeAttempt(tx, attempt, 'confirmed')) await recordPaid(tx, { events }, payout, SENT, { reference, fee });
  });
}

async function wait({ database }: Sending, payout: FeePayoutRow, reason: string): Promise<NextStep> {
  await database.transaction((tx) => moveFeePayout(tx, payout.id, ['queued'], { state: 'queued', reason }));
  return again(WAIT_SECONDS);
}
