/**
 * The outcome of a signed USDC transfer; for native transfers see `read-native-outcome.ts`. Any attempt for the same intent may have made
 * the payment, and so may a third party that sent our authorisation. So the authorisation decides; the attempt's own transaction is only
 * checked first because that is quick.
 */
import type { Hex } from 'viem';
import { ChainUnavailable, type OutgoingTransfer, type SignedTransfer, type TransferOutcome } from '../chain.ts';
import { readHeadNumber, readTransactionCount, readUsdcLogs, requireBlock } from './ask-node.ts';
import { decodeBytes } from './broadcast.ts';
import { canonicalAddress, type EvmContext, feeAccountOf } from './evm-context.ts';
import { ExecutionReverted } from './execution-reverted.ts';
import { explainRefusal } from './explain-refusal.ts';
import { findInclusion, type Inclusion } from './inclusion.ts';
import { readNativeOutcome } from './read-native-outcome.ts';
import {
  AUTHORIZATION_USED_TOPIC,
  addressTopic,
  authorizationNonce,
  isAuthorizationUsed,
  readUsdcTransfers,
  readValidBefore,
  tryTransfer,
} from './usdc.ts';

const OPEN: TransferOutcome = { state: 'open' };
const EXPIRED: TransferOutcome = { state: 'expired' };

export async function readOutcome(context: EvmContext, transfer: OutgoingTransfer, signed: SignedTransfer): Promise<TransferOutcome> {
  if (transfer.asset === 'native') return await readNativeOutcome(context, transfer, signed);
  const inclusion = await findInclusion(context, signed.reference as Hex);
  if (inclusion?.succeeded) return requireTransfer(context, transfer, inclusion);
  if (await isAuthorizationUsed(context, authorizationNonce(transfer), 'latest')) {
    return requireTransfer(context, transfer, await findPayment(context, transfer));
  }
  if (inclusion === undefined) return (await canStillPay(context, transfer, signed)) ? OPEN : EXPIRED;
  // A reorganisation may move it to a block where it succeeds, so wait until its block is final.
  return inclusion.finality === 'final' ? await judgeFailure(context, transfer) : OPEN;
}

function requireTransfer(context: EvmContext, { destination, amount }: OutgoingTransfer, inclusion: Inclusion): TransferOutcome {
  const to = canonicalAddress(destination);
  const paid = readUsdcTransfers(context, inclusion.logs).some(
    (moved) => moved.from === context.treasury && moved.to === to && moved.micros === amount,
  );
  if (!paid) throw new ChainUnavailable(context.network, `${inclusion.reference} does not show the transfer it was signed for`);
  return { state: 'landed', reference: inclusion.reference, finality: inclusion.finality };
}

const BLOCKS_PER_QUESTION = 10_000n;
/** Four days of Base's two-second blocks. */
const SEARCHED_BLOCKS = 200_000n;

/** Looks backwards for the transaction that used the authorisation. */
async function findPayment(context: EvmContext, transfer: OutgoingTransfer): Promise<Inclusion> {
  const topics = [AUTHORIZATION_USED_TOPIC, addressTopic(context.treasury), authorizationNonce(transfer)];
  const head = await readHeadNumber(context);
  for (let to = head; to >= 0n && to > head - SEARCHED_BLOCKS; to -= BLOCKS_PER_QUESTION) {
    const from = to < BLOCKS_PER_QUESTION ? 0n : to - BLOCKS_PER_QUESTION + 1n;
    const log = (await readUsdcLogs(context, topics, from, to)).at(-1);
    const inclusion = log && (await findInclusion(context, log.transactionHash));
    if (inclusion?.succeeded) return inclusion;
  }
  throw new ChainUnavailable(context.network, `the authorisation of ${transfer.intentId} is used, its transaction was not found`);
}

/**
 * False when, as of one final block, the account nonce of the bytes is used or their authorisation has lapsed, and nobody used the
 * authorisation. All reads are at that block: reads at different blocks could hide a payment made between them.
 */
async function canStillPay(context: EvmContext, transfer: OutgoingTransfer, { bytes, validity }: SignedTransfer): Promise<boolean> {
  const final = await requireBlock(context, context.finalTag);
  const isLapsed = final.timestamp >= readValidBefore(decodeBytes(bytes));
  const isSpent = (await readTransactionCount(context, feeAccountOf(context), final.number)) > BigInt(validity);
  if (!isLapsed && !isSpent) return true;
  // If the authorisation is used after all, the next look finds the transaction that used it.
  return await isAuthorizationUsed(context, authorizationNonce(transfer), final.number);
}

/** Anybody who saw the bytes can submit their authorisation until it lapses, also after their account nonce is used. */
export async function isAuthorised(context: EvmContext, { asset }: OutgoingTransfer, { bytes }: SignedTransfer): Promise<boolean> {
  if (asset === 'native') return false;
  const final = await requireBlock(context, context.finalTag);
  return final.timestamp < readValidBefore(decodeBytes(bytes));
}

/**
 * The outcome of a transaction that failed for good. Causes that a new signature can fix (gas, a lapsed authorisation, missing funds) are
 * `expired`, not `failed`.
 */
async function judgeFailure(context: EvmContext, transfer: OutgoingTransfer): Promise<TransferOutcome> {
  try {
    await tryTransfer(context, transfer);
    return EXPIRED;
  } catch (error) {
    if (!(error instanceof ExecutionReverted)) throw error;
    const refusal = await explainRefusal(context, transfer, error);
    if (refusal instanceof ChainUnavailable) throw refusal;
    return refusal.reason === 'insufficient_usdc' ? EXPIRED : { state: 'failed', reason: refusal.message };
  }
}
