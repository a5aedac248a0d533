/**
 * The outcome of a signed call. Any attempt for the same intent may have carried it out, so the intent decides. A deposit is checked by the
 * nonce of its authorisation, a redemption by the router's storage. An approval has no intent on chain, so its own transaction decides.
 */
import type { Hex } from 'viem';
import { ChainUnavailable, type SignedTransfer, type TransferOutcome } from '../../chain.ts';
import type { VenueCall } from '../../yield-venues.ts';
import { callContract, readHeadNumber, readLogs, readTransactionCount, requireBlock } from '../ask-node.ts';
import type { EvmContext } from '../evm-context.ts';
import { ExecutionReverted } from '../execution-reverted.ts';
import { findInclusion, type Inclusion } from '../inclusion.ts';
import { isNonceGone } from '../nonce-gone.ts';
import { addressTopic } from '../usdc.ts';
import { addressesOf } from './venue-addresses.ts';
import { intentOf, type OwnBytes, readOwnBytes } from './venue-calldata.ts';
import { findEvent, isCarriedOut, ROUTER_TOPICS } from './venue-results.ts';

const OPEN: TransferOutcome = { state: 'open' };
const EXPIRED: TransferOutcome = { state: 'expired' };

type RoutedCall = Exclude<VenueCall, { kind: 'allow' }>;

export async function readVenueOutcome(context: EvmContext, call: VenueCall, signed: SignedTransfer): Promise<TransferOutcome> {
  const own = readOwnBytes(context, call, signed);
  if (call.kind === 'allow') return await readAllowOutcome(context, call, own, signed);
  const inclusion = await findInclusion(context, signed.reference as Hex);
  if (inclusion?.succeeded) return requireEvent(context, call, inclusion);
  if (await isCarriedOut(context, call, 'latest')) return requireEvent(context, call, await findExecution(context, call));
  if (inclusion === undefined) return (await canStillLand(context, call, own, signed)) ? OPEN : EXPIRED;
  // A reorganisation may move it to a block where it succeeds, so wait until its block is final.
  return inclusion.finality === 'final' ? await judgeFailure(context, call, own) : OPEN;
}

function requireEvent(context: EvmContext, call: RoutedCall, inclusion: Inclusion): TransferOutcome {
  if (findEvent(context, call, inclusion) === undefined)
    throw new ChainUnavailable(context.network, `${inclusion.reference} does not show what ${call.intentId} was signed for`);
  return { state: 'landed', reference: inclusion.reference, finality: inclusion.finality };
}

/** Only the account nonce keeps two approvals apart, so both verdicts need a block that is final on Ethereum itself. */
async function readAllowOutcome(context: EvmContext, call: VenueCall, own: OwnBytes, signed: SignedTransfer): Promise<TransferOutcome> {
  const final = await requireBlock(context, 'finalized');
  const inclusion = await findInclusion(context, signed.reference as Hex);
  if (inclusion === undefined) return (await isNonceGone(context, signed, final.number)) ? EXPIRED : OPEN;
  if (inclusion.succeeded) return { state: 'landed', reference: inclusion.reference, finality: inclusion.finality };
  return inclusion.blockNumber <= final.number ? await judgeFailure(context, call, own) : OPEN;
}

const BLOCKS_PER_QUESTION = 10_000n;
/** Four days of Base's two-second blocks. */
const SEARCHED_BLOCKS = 200_000n;

/** Looks backwards for the transaction that carried out the intent. */
async function findExecution(context: EvmContext, call: RoutedCall): Promise<Inclusion> {
  const { router } = addressesOf(context, call.at);
  const topics = [ROUTER_TOPICS[call.kind], addressTopic(context.treasury), intentOf(call)];
  const head = await readHeadNumber(context);
  for (let to = head; to >= 0n && to > head - SEARCHED_BLOCKS; to -= BLOCKS_PER_QUESTION) {
    const from = to < BLOCKS_PER_QUESTION ? 0n : to - BLOCKS_PER_QUESTION + 1n;
    const log = (await readLogs(context, router, topics, from, to)).at(-1);
    const inclusion = log && (await findInclusion(context, log.transactionHash));
    if (inclusion?.succeeded) return inclusion;
  }
  throw new ChainUnavailable(context.network, `${call.intentId} is carried out, its transaction was not found`);
}

/**
 * False when, as of one final block, the account nonce of the bytes is used or their authorisation has lapsed, and nobody carried out the
 * intent. All reads are at that block: reads at different blocks could hide what happened between them.
 */
async function canStillLand(context: EvmContext, call: RoutedCall, own: OwnBytes, { validity }: SignedTransfer): Promise<boolean> {
  const final = await requireBlock(context, context.finalTag);
  const isLapsed = own.validBefore !== undefined && final.timestamp >= own.validBefore;
  const isSpent = (await readTransactionCount(context, context.treasury, final.number)) > BigInt(validity);
  if (!isLapsed && !isSpent) return true;
  // If the intent was carried out after all, the next look finds the transaction that did it.
  return await isCarriedOut(context, call, final.number);
}

const LAPSED = /authorization is expired/i;

/** The call failed for good if it fails again now. Causes that a new signature can fix are `expired`, not `failed`. */
async function judgeFailure(context: EvmContext, call: VenueCall, { to, data, validBefore }: OwnBytes): Promise<TransferOutcome> {
  try {
    await callContract(context, { from: context.treasury, to, data });
    return EXPIRED;
  } catch (error) {
    if (!(error instanceof ExecutionReverted)) throw error;
    if (validBefore !== undefined && LAPSED.test(error.reason)) return EXPIRED;
    return { state: 'failed', reason: `The venue ${call.at.venue} on ${context.network} refuses: ${error.reason}` };
  }
}
