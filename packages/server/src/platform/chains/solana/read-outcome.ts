/**
 * The outcome of a payout. "Not found" does not mean "not sent": that is certain only once the final chain has passed the last valid block.
 */
import type { OutgoingTransfer, SignedTransfer, TransferOutcome } from '../chain.ts';
import { explainFailure } from './explain-failure.ts';
import { findPaidIntent, type SearchSpan } from './find-paid-intent.ts';
import type { SolanaContext } from './solana-context.ts';
import type { SolanaRpc, SolanaStatus, TransactionFailure } from './solana-rpc.ts';

/** Number of blocks within which a prepared transaction may land. */
const LIFETIME_BLOCKS = 150n;
/** Some slots have no block; this is far more slots per block than ever seen. */
const SLOTS_PER_BLOCK = 2n;
/** About three hours, to find earlier attempts of the same intent. */
const EARLIER_SLOTS = 27_000n;

export interface FinalHead {
  readonly slot: number;
  readonly blockHeight: bigint;
}

export async function readOutcome(context: SolanaContext, transfer: OutgoingTransfer, signed: SignedTransfer): Promise<TransferOutcome> {
  return await judgeSigned(context.rpc, signed, {
    findOther: (head) => findPaidIntent(context, transfer, spanSince(signed, head)),
    explain: (failure) => explainFailure(failure, transfer.asset)?.message ?? JSON.stringify(failure),
  });
}

export interface OutcomeQuestions {
  /** Another transaction that fulfilled the intent; checked before these bytes count as dead. */
  findOther(head: FinalHead): Promise<string | undefined>;
  explain(failure: TransactionFailure): string;
}

export async function judgeSigned(rpc: SolanaRpc, signed: SignedTransfer, questions: OutcomeQuestions): Promise<TransferOutcome> {
  const first = await rpc.findStatus(signed.reference);
  if (first.status !== null) return judgeStatus(rpc, signed, questions, first.status);
  const head = await rpc.readFinalHead();
  if (head.blockHeight <= BigInt(signed.validity)) return { state: 'open' };
  // The transaction may have landed between the two calls, or the first node lagged. Ask again, at a node that has reached this slot.
  const second = await rpc.findStatus(signed.reference);
  if (second.status !== null) return judgeStatus(rpc, signed, questions, second.status);
  if (second.slot < head.slot) return { state: 'open' };
  return landedElsewhere(await questions.findOther(head)) ?? { state: 'expired' };
}

async function judgeStatus(
  rpc: SolanaRpc,
  signed: SignedTransfer,
  { findOther, explain }: OutcomeQuestions,
  { confirmationStatus, err }: SolanaStatus,
): Promise<TransferOutcome> {
  const isFinal = confirmationStatus === 'finalized';
  if (err === null) {
    if (!isFinal && confirmationStatus !== 'confirmed') return { state: 'open' };
    return { state: 'landed', reference: signed.reference, finality: isFinal ? 'final' : 'confirmed' };
  }
  // Until the failure is final, another fork may contain the same transaction with success.
  if (!isFinal) return { state: 'open' };
  return landedElsewhere(await findOther(await rpc.readFinalHead())) ?? { state: 'failed', reason: explain(err) };
}

function landedElsewhere(reference: string | undefined): TransferOutcome | undefined {
  return reference === undefined ? undefined : { state: 'landed', reference, finality: 'final' };
}

function spanSince({ validity }: SignedTransfer, head: FinalHead): SearchSpan {
  const blocksSince = head.blockHeight - BigInt(validity) + LIFETIME_BLOCKS;
  const slotsSince = (blocksSince > 0n ? blocksSince : 0n) * SLOTS_PER_BLOCK + EARLIER_SLOTS;
  return { finalSlot: head.slot, oldestSlot: Math.max(0, head.slot - Number(slotsSince)) };
}
