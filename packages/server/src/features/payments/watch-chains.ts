/**
 * Keeps the books in step with the chains. Follows receipts until they are final, detects receipts that a reorganisation reverted, and
 * finds transfers that were not reported.
 */

import { formatUsd, type NetworkName, networkNames } from '@market/contract';
import { z } from 'zod';
import { type Chain, ChainUnavailable, type Receipt } from '../../platform/chains/chain.ts';
import { onEachChain } from '../../platform/chains/each-chain.ts';
import { reachCrashPoint } from '../../platform/crash-points.ts';
import type { Tx } from '../../platform/db/database.ts';
import { defineJob, type JobDefinition } from '../../platform/jobs/job.ts';
import { enqueueJobs } from '../../platform/jobs/job-repository.ts';
import { bookReceipt, giverOf, rebookClaimed, stillPays, unbookReceipt } from './book-receipt.ts';
import { UNKNOWN_PAYER } from './judge-payment.ts';
import type { PaymentsContext } from './payments-context.ts';
import {
  type ClaimRow,
  findClaim,
  findReceipt,
  findUnknownReferences,
  listOpenReceipts,
  type ReceiptRow,
  readWatched,
  type WatchCursor,
  writeCursor,
  writeFinality,
} from './repository.ts';

const RECEIPTS_PER_ROUND = 100;
/** A lagging node may miss a known transfer for a moment; only one missing this long is gone. */
const MISSING_PATIENCE_MS = 5_000;

export function watchChainsJobs(context: PaymentsContext): readonly JobDefinition[] {
  return [watchJob(context), bookUnmentionedJob(context)];
}

function watchJob(context: PaymentsContext): JobDefinition {
  return defineJob({
    kind: 'payments.watch',
    queue: 'chains',
    payload: z.object({}),
    retryAfterSeconds: [],
    everySeconds: 3,
    run: async () => await watchChains(context),
  });
}

export async function watchChains(context: PaymentsContext): Promise<void> {
  const { db } = context.database;
  const { cursors, hasOpenReceipts } = await readWatched(db);
  await onEachChain(context.chains.values(), async (chain) => {
    const receipts = hasOpenReceipts ? await listOpenReceipts(db, chain.caip2, RECEIPTS_PER_ROUND) : [];
    const failure = await followReceipts(context, chain, receipts);
    await findUnmentioned(context, chain, cursors.get(chain.caip2));
    if (failure !== undefined) throw failure;
  });
}

/** Follows every receipt, even if one of them fails. Returns the first failure. */
async function followReceipts(context: PaymentsContext, chain: Chain, receipts: readonly ReceiptRow[]): Promise<unknown> {
  let failure: unknown;
  for (const receipt of receipts) {
    try {
      await followReceipt(context, chain, receipt);
    } catch (error) {
      if (error instanceof ChainUnavailable) throw error;
      failure ??= new Error(`the receipt ${receipt.reference} cannot be followed`, { cause: error });
    }
  }
  return failure;
}

async function followReceipt(context: PaymentsContext, chain: Chain, seen: ReceiptRow): Promise<void> {
  const key = { caip2: seen.caip2, reference: seen.reference };
  const reading = await chain.readReceipt(seen.reference, { notesKnown: true });
  await context.database.transaction(async (tx) => {
    const row = await findReceipt(tx, key);
    if (row === undefined || row.finality === 'final') return;
    if (reading.state === 'landed') await compareReceipt(tx, context, chain, row, reading.receipt);
    else if (row.finality === 'gone') await writeFinality(tx, key, 'gone');
    else if (context.clock.now().getTime() - row.checkedAt.getTime() > MISSING_PATIENCE_MS) await loseReceipt(tx, context, row);
    reachCrashPoint('watch.before_finality_commit');
  });
}

/** The chain shows this receipt (still, or again), perhaps with another amount or payer. */
async function compareReceipt(tx: Tx, context: PaymentsContext, chain: Chain, row: ReceiptRow, receipt: Receipt): Promise<void> {
  const isSame = receipt.receivedMicros === row.receivedMicros && giverOf(receipt) === row.payer && row.payer !== UNKNOWN_PAYER;
  if (isSame && row.finality !== 'gone') return await writeFinality(tx, row, receipt.finality);
  const claim = await findClaim(tx, row);
  if (receipt.receivedMicros <= 0n || (claim !== undefined && !stillPays(row, claim, receipt))) {
    if (row.finality === 'gone') return await writeFinality(tx, row, 'gone');
    const shown = { received: formatUsd(receipt.receivedMicros), payers: receipt.payers.map(({ address }) => address) };
    context.log.error(
      { network: row.network, reference: row.reference, shown },
      'a payment was included again and no longer covers its claim',
    );
    return await loseReceipt(tx, context, row);
  }
  if (claim === undefined) await bookReceipt(tx, chain, row, receipt);
  else await keepClaimed(tx, context, row, claim, receipt);
  if (row.finality === 'gone') await announce(tx, context, 'payment.restored', row);
}

async function keepClaimed(tx: Tx, context: PaymentsContext, row: ReceiptRow, claim: ClaimRow, receipt: Receipt): Promise<void> {
  if (row.finality === 'gone') await context.onRestored?.(tx, claim);
  await rebookClaimed(tx, row, claim, receipt);
}

/**
 * A reorganisation reverted this receipt, or changed it so that it no longer covers its claim. An unclaimed receipt leaves the books; for a
 * claimed one, the feature that owns the claim reacts.
 */
async function loseReceipt(tx: Tx, context: PaymentsContext, row: ReceiptRow): Promise<void> {
  if ((await findClaim(tx, row)) === undefined) await unbookReceipt(tx, row);
  await writeFinality(tx, row, 'gone');
  await announce(tx, context, 'payment.reverted', row);
}

/** The event is about the purchase; for an unclaimed transfer, about the transfer itself, without a purpose. */
async function announce(tx: Tx, context: PaymentsContext, type: 'payment.reverted' | 'payment.restored', row: ReceiptRow): Promise<void> {
  const claim = await findClaim(tx, row);
  const subjectId = claim?.subjectId ?? `${row.caip2}/${row.reference}`;
  const data = { network: row.network, reference: row.reference, purpose: claim?.purpose ?? null };
  await context.events.append(tx, [{ type, subjectId, data }]);
}

/** Books unreported transfers only when final: until then no purchase relies on them. */
async function findUnmentioned(context: PaymentsContext, chain: Chain, from: WatchCursor | undefined): Promise<void> {
  const page = await chain.listTreasuryTransfers(from?.cursor ?? null, RECEIPTS_PER_ROUND);
  // Most rounds find nothing. The next one then looks at the same blocks again.
  if (page.references.length === 0 && from?.isOld === false) return;
  // One job each, so that a transfer that cannot be read now holds up neither the others nor the cursor.
  await context.database.transaction(async (tx) => {
    const unknown = page.references.length === 0 ? [] : await findUnknownReferences(tx, chain.caip2, page.references);
    await enqueueJobs(
      tx,
      unknown.map((reference) => bookTransferJob(chain.network, reference)),
    );
    await writeCursor(tx, chain.caip2, page.cursor);
    reachCrashPoint('watch.before_cursor_commit');
  });
}

/** Books at once everything that came in since the watcher's last round; `market reconcile` then compares books and chain. */
export async function bookArrivals(context: Pick<PaymentsContext, 'database'>, chain: Chain): Promise<number> {
  const { db } = context.database;
  let booked = 0;
  for (let cursor = (await readWatched(db)).cursors.get(chain.caip2)?.cursor ?? null; ; ) {
    const page = await chain.listTreasuryTransfers(cursor, RECEIPTS_PER_ROUND);
    for (const reference of await findUnknownReferences(db, chain.caip2, page.references)) {
      if (await bookTransfer(context, chain, reference)) booked += 1;
    }
    await context.database.transaction((tx) => writeCursor(tx, chain.caip2, page.cursor));
    if (!page.hasMore) return booked;
    cursor = page.cursor;
  }
}

/** False when it brought nothing. */
async function bookTransfer({ database }: Pick<PaymentsContext, 'database'>, chain: Chain, reference: string): Promise<boolean> {
  const reading = await chain.readReceipt(reference);
  if (reading.state !== 'landed' || reading.receipt.receivedMicros <= 0n) return false;
  await database.transaction(async (tx) => {
    await bookReceipt(tx, chain, { caip2: chain.caip2, reference }, reading.receipt);
    reachCrashPoint('watch.before_book_commit');
  });
  return true;
}

const BOOK_TRANSFER = 'payments.book_transfer';

function bookTransferJob(network: NetworkName, reference: string) {
  return { kind: BOOK_TRANSFER, queue: 'chains', payload: { network, reference }, uniqueKey: `${BOOK_TRANSFER}:${network}/${reference}` };
}

/** Books an unreported transfer as unclaimed. */
function bookUnmentionedJob(context: PaymentsContext): JobDefinition {
  return defineJob({
    kind: BOOK_TRANSFER,
    queue: 'chains',
    payload: z.object({ network: z.enum(networkNames), reference: z.string() }),
    retryAfterSeconds: [2, 10, 60, 600, 3600, 21_600, 86_400],
    async run({ network, reference }) {
      const chain = context.chains.get(network);
      if (chain === undefined) throw new Error(`no node is configured for ${network}`);
      if (await bookTransfer(context, chain, reference)) reachCrashPoint('watch.after_book');
    },
  });
}
