/** Receipts in the books. A reorganisation may include a transfer again with another amount or payer: books and stored receipt follow it. */
import type { NetworkName } from '@market/contract';
import type { Chain, Receipt } from '../../platform/chains/chain.ts';
import type { Tx } from '../../platform/db/database.ts';
import { type LedgerAccount, type Posting, post, surplusPayable, treasury, unmatched } from '../ledger/index.ts';
import { countedFor, UNKNOWN_PAYER } from './judge-payment.ts';
import { type ClaimRow, findClaim, findReceipt, insertReceipt, type ReceiptRow, type TransferKey, updateReceipt } from './repository.ts';

/** The wallet that gave the whole amount. Money of several wallets, or of a wallet and a bridge, goes back to none of them as a whole. */
export function giverOf({ payers: [first, second], receivedMicros }: Receipt): string {
  return first === undefined || second !== undefined || first.micros < receivedMicros ? UNKNOWN_PAYER : first.address;
}

/** Whether a transfer, as its chain shows it now, still covers its claim: the same payer, and at least the claimed amount. */
export function stillPays(known: ReceiptRow, claim: ClaimRow, receipt: Receipt): boolean {
  if (receipt.receivedMicros < claim.amountMicros) return false;
  // A return from a venue has no payer, and nobody else can send it.
  if (claim.purpose === 'earn_return') return true;
  if (giverOf(receipt) !== known.payer) return false;
  const payer = receipt.payers.find(({ address }) => address === claim.payer);
  if (payer === undefined) return receipt.payers.length < 2;
  return countedFor(receipt, payer) >= claim.priceMicros;
}

/**
 * Records a receipt, or updates it to what its chain shows now. False when the chain no longer shows what was claimed, or what was final.
 * Then the booked amount stays, and the watcher reverts the claim.
 */
export async function bookReceipt(tx: Tx, chain: Chain, key: TransferKey, receipt: Receipt): Promise<boolean> {
  const known = (await findReceipt(tx, key)) ?? (await bookFirst(tx, chain, key, receipt));
  if (known === undefined) return true;
  if (known.finality === 'final') {
    await updateReceipt(tx, key, receipt, known);
    return receipt.receivedMicros === known.receivedMicros;
  }
  const claim = await findClaim(tx, key);
  if (claim === undefined) {
    await rebook(tx, known, receipt, unmatched(chain.network, key.reference), known.finality === 'gone' ? 0n : known.receivedMicros);
    return true;
  }
  if (!stillPays(known, claim, receipt)) return false;
  // Only the watcher restores a purchase whose receipt was gone.
  if (known.finality !== 'gone') await rebookClaimed(tx, known, claim, receipt);
  return true;
}

/** For a receipt that still covers its claim: owes the payer any amount beyond it. The claim keeps its amount. */
export async function rebookClaimed(tx: Tx, known: ReceiptRow, claim: ClaimRow, receipt: Receipt): Promise<void> {
  const owner = known.payer === UNKNOWN_PAYER ? UNKNOWN_PAYER : claim.payer;
  await rebook(tx, known, receipt, surplusPayable(known.network as NetworkName, owner), known.receivedMicros);
}

/** Undefined when it was booked now; the receipt when another transaction was faster. */
async function bookFirst(tx: Tx, { network }: Chain, key: TransferKey, receipt: Receipt): Promise<ReceiptRow | undefined> {
  if (!(await insertReceipt(tx, key, network, receipt, giverOf(receipt)))) return await findReceipt(tx, key);
  await post(tx, receiptPosting(network, key, receipt.receivedMicros, unmatched(network, key.reference)));
  return undefined;
}

/** Updates the receipt to what its chain shows, and books the difference to `account`. */
async function rebook(tx: Tx, known: ReceiptRow, receipt: Receipt, account: LedgerAccount, bookedMicros: bigint): Promise<void> {
  const { receivedMicros, finality } = receipt;
  await updateReceipt(tx, known, receipt, { receivedMicros, finality, payer: giverOf(receipt) });
  const occasion = known.finality === 'gone' && bookedMicros === 0n ? 'restored' : 'changed';
  await postDifference(tx, known, receivedMicros - bookedMicros, account, occasion);
}

/** Removes an unclaimed receipt from the books, because its chain reverted it. */
export async function unbookReceipt(tx: Tx, receipt: ReceiptRow): Promise<void> {
  await postDifference(tx, receipt, -receipt.receivedMicros, unmatched(receipt.network as NetworkName, receipt.reference), 'gone');
}

type Occasion = 'gone' | 'restored' | 'changed';

async function postDifference(tx: Tx, known: ReceiptRow, micros: bigint, account: LedgerAccount, occasion: Occasion): Promise<void> {
  if (micros === 0n) return;
  const isPosted = await post(
    tx,
    receiptPosting(known.network as NetworkName, known, micros, account, `${occasion}:${known.checkedAt.getTime()}`),
  );
  if (!isPosted) throw new Error(`the receipt ${known.reference} was ${occasion} twice at one time`);
}

/** The first booking has the plain key; each reversal, return and change has a key of its own. */
function receiptPosting(network: NetworkName, key: TransferKey, micros: bigint, account: LedgerAccount, occasion?: string): Posting {
  const name = `${key.caip2}/${key.reference}`;
  return {
    kind: occasion === undefined ? 'receipt' : `receipt_${occasion.split(':')[0]}`,
    subjectId: name,
    idempotencyKey: occasion === undefined ? `receipt:${name}` : `receipt:${name}:${occasion}`,
    entries: [
      { account: treasury(network), micros: -micros },
      { account, micros },
    ],
  };
}
