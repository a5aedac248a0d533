/** Reads the transaction that a caller presents as payment. */
import { setTimeout as pause } from 'node:timers/promises';
import { ChainUnavailable, type Finality, type KnownOfReceipt, type ReceiptReading } from '../chain.ts';
import { readNote } from '../transfer-note.ts';
import { canonicalReference, readShortBase58 } from './base58-text.ts';
import { type Judgement, judgeTransaction } from './judge-transaction.ts';
import { MEMO_PROGRAM } from './programs.ts';
import type { SolanaContext } from './solana-context.ts';
import type { SolanaRpc, SolanaStatus, SolanaTransaction } from './solana-rpc.ts';

const RECORD_DELAY_MS = 400;

export async function readReceipt(
  context: SolanaContext,
  text: string,
  { justLanded = false }: KnownOfReceipt = {},
): Promise<ReceiptReading> {
  const reference = canonicalReference(text);
  if (reference === undefined) return { state: 'missing' };
  const status = justLanded ? null : (await context.rpc.findStatus(reference)).status;
  const transaction = await findRecord(context.rpc, reference, justLanded || isSettled(status));
  // Without a block time we cannot check whether the payment is recent enough.
  if (transaction === null || typeof transaction.blockTime !== 'number') {
    return status === null ? { state: 'missing' } : { state: 'missing', inBlock: true };
  }
  if (transaction.meta.err !== null) return { state: 'failed' };
  const judgement = judgeTransaction(transaction, context);
  return {
    state: 'landed',
    receipt: {
      reference,
      ...judgement,
      notes: readNotes(transaction, judgement),
      sender: transaction.transaction.message.accountKeys[0] ?? '',
      blockNumber: BigInt(transaction.slot),
      blockTime: new Date(transaction.blockTime * 1000),
      finality: readFinality(reference, transaction, status),
    },
  };
}

/**
 * Top-level memos, if all payers signed the transaction. Anybody may trigger the program that pays out of a vault, and add a memo to that
 * transaction.
 */
function readNotes({ transaction: { message } }: SolanaTransaction, { payers }: Judgement): readonly string[] {
  const signers: readonly string[] = message.accountKeys.slice(0, message.header.numRequiredSignatures);
  if (!payers.every(({ address }) => signers.includes(address))) return [];
  return message.instructions
    .filter(({ programIdIndex }) => message.accountKeys[programIdIndex] === MEMO_PROGRAM)
    .map(({ data }) => readNote(readShortBase58(data)))
    .filter((note) => note !== undefined);
}

async function findRecord(rpc: SolanaRpc, reference: string, hasLanded: boolean): Promise<SolanaTransaction | null> {
  let found = await rpc.findTransaction(reference);
  if (found === null && hasLanded) {
    // Nodes know that a transaction landed shortly before they can show it.
    await pause(RECORD_DELAY_MS);
    found = await rpc.findTransaction(reference);
    if (found === null) throw disagreement(`${reference} landed, but the node does not show it`);
  }
  if (found !== null && found.transaction.signatures[0] !== reference)
    throw disagreement(`the node answered ${reference} with another transaction`);
  return found;
}

function isSettled(status: SolanaStatus | null): boolean {
  return status?.confirmationStatus === 'confirmed' || status?.confirmationStatus === 'finalized';
}

/** The transaction was read as confirmed; an earlier status can only raise it to final, in the same block. */
function readFinality(reference: string, transaction: SolanaTransaction, status: SolanaStatus | null): Finality {
  if (status?.confirmationStatus !== 'finalized') return 'confirmed';
  if (status.slot !== transaction.slot) throw disagreement(`${reference} is shown in two blocks`);
  return 'final';
}

function disagreement(reason: string): ChainUnavailable {
  return new ChainUnavailable('solana-mainnet', reason);
}
