/**
 * The outcome of a signed native transfer. Only the account nonce prevents a second payment. So `expired` and `failed` require a block that
 * is final on Ethereum itself (`finalized`), even if the network counts earlier ones as final.
 */
import type { Hex } from 'viem';
import { keccak256, parseTransaction } from 'viem/utils';
import { ChainUnavailable, type OutgoingTransfer, type SignedTransfer, type TransferOutcome } from '../chain.ts';
import { requireBlock } from './ask-node.ts';
import { decodeBytes } from './broadcast.ts';
import { canonicalAddress, type EvmContext } from './evm-context.ts';
import { findInclusion } from './inclusion.ts';
import { isNonceGone } from './nonce-gone.ts';

const OPEN: TransferOutcome = { state: 'open' };

export async function readNativeOutcome(context: EvmContext, transfer: OutgoingTransfer, signed: SignedTransfer): Promise<TransferOutcome> {
  requireOwnBytes(context, transfer, signed);
  // Read this first: a transaction found later at or below this block is final.
  const final = await requireBlock(context, 'finalized');
  const inclusion = await findInclusion(context, signed.reference as Hex);
  if (inclusion?.succeeded) return { state: 'landed', reference: inclusion.reference, finality: inclusion.finality };
  if (inclusion !== undefined) {
    const reason = `${inclusion.reference} failed on ${context.network}: the contract at ${transfer.destination} did not take the coin.`;
    return inclusion.blockNumber <= final.number ? { state: 'failed', reason } : OPEN;
  }
  return (await isNonceGone(context, signed, final.number)) ? { state: 'expired' } : OPEN;
}

/** A native transfer emits no event, so its bytes show the amount, and their hash must be the reference. */
function requireOwnBytes({ network }: EvmContext, { destination, amount }: OutgoingTransfer, { reference, bytes }: SignedTransfer): void {
  const raw = decodeBytes(bytes);
  const { to, value, data } = parseTransaction(raw as `0x02${string}`);
  const isOurs = keccak256(raw) === reference && to && canonicalAddress(to) === canonicalAddress(destination) && value === amount && !data;
  if (!isOurs) throw new ChainUnavailable(network, `the bytes of ${reference} are not those of the transfer they were stored for`);
}
