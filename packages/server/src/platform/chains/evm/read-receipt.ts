/** Reads the effect of a transaction on the treasury's USDC. */
import type { Hex } from 'viem';
import { ChainUnavailable, type KnownOfReceipt, type Receipt, type ReceiptReading } from '../chain.ts';
import { readNote } from '../transfer-note.ts';
import { askNode } from './ask-node.ts';
import type { EvmContext } from './evm-context.ts';
import { findInclusion, type Inclusion } from './inclusion.ts';
import { callAnswer } from './node-answers.ts';
import { readAuthorizers, readUsdcTransfers, type UsdcTransfer } from './usdc.ts';

export async function readReceipt(
  context: EvmContext,
  reference: Hex,
  { notesKnown = false }: KnownOfReceipt = {},
): Promise<ReceiptReading> {
  const inclusion = await findInclusion(context, reference);
  if (inclusion === undefined) return { state: 'missing' };
  if (!inclusion.succeeded) return { state: 'failed' };
  const { sender, blockNumber, blockTime, finality, logs } = inclusion;
  const notes = notesKnown ? [] : await readNotes(context, inclusion);
  const sums = sumTransfers(readUsdcTransfers(context, logs), context.treasury);
  const landedByOthers = readAuthorizers(context, logs).filter((address) => address !== sender);
  return { state: 'landed', receipt: { reference, ...sums, notes, sender, landedByOthers, blockNumber, blockTime, finality } };
}

/** Selector and two words: the arguments of `transfer(address,uint256)`. The contract ignores the rest. */
const TRANSFER_CALL = /^0xa9059cbb[0-9a-f]{128}/;
const TRANSFER_CALL_LENGTH = 2 + 8 + 128;

/** Only a direct call of USDC counts: its sender is the payer, who signed the appended note with the transfer. */
async function readNotes(context: EvmContext, { reference, called }: Inclusion): Promise<readonly string[]> {
  if (called !== context.usdc.toLowerCase()) return [];
  const transaction = await askNode(context, 'eth_getTransactionByHash', [reference], callAnswer.nullable());
  if (transaction === null || transaction.hash !== reference || transaction.to !== called) {
    throw new ChainUnavailable(context.network, `the node shows the receipt of ${reference} and not the transaction`);
  }
  if (!TRANSFER_CALL.test(transaction.input)) return [];
  const note = readNote(Buffer.from(transaction.input.slice(TRANSFER_CALL_LENGTH), 'hex'));
  return note === undefined ? [] : [note];
}

/** The zero address, from which minted coins come: it is no payer. */
const NOBODY = '0x0000000000000000000000000000000000000000';

/**
 * Skips transfers that the treasury signed, which are booked by their own name. They lessen no payment that a stranger put into the same
 * transaction.
 */
function sumTransfers(transfers: readonly UsdcTransfer[], treasury: Hex): Pick<Receipt, 'receivedMicros' | 'payers'> {
  let receivedMicros = 0n;
  const given = new Map<Hex, bigint>();
  for (const { from, to, micros, isAuthorized } of transfers) {
    if (from === to || (from !== treasury && to !== treasury) || (from === treasury && isAuthorized)) continue;
    const change = to === treasury ? micros : -micros;
    const other = to === treasury ? from : to;
    receivedMicros += change;
    given.set(other, (given.get(other) ?? 0n) + change);
  }
  const payers = [...given]
    .filter(([address, micros]) => micros > 0n && address !== NOBODY)
    .map(([address, micros]) => ({ address, micros }));
  return { receivedMicros, payers };
}
