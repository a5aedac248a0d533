/** Puts the treasury's transfers that the books do not know into the books, then opens outflow. Safe to repeat. */
import { formatUsd, type NetworkName } from '@market/contract';
import type { Chain, SeenOutgoing } from '../../platform/chains/chain.ts';
import type { Tx } from '../../platform/db/database.ts';
import { adoptQueued } from '../../platform/db/database-place.ts';
import { hastenJob } from '../../platform/jobs/job-repository.ts';
import { post, treasury, unbooked } from '../ledger/index.ts';
import { confirmSeen } from './confirm-payout.ts';
import { findStrangers } from './outflow-gate.ts';
import { insertUnbooked, listPayoutsLike, openOutflow, writeOutflowCursor } from './outflow-repository.ts';
import type { OutflowBooks } from './payouts-context.ts';

export interface ReconcileReport {
  /** One sentence per transfer. */
  readonly lines: readonly string[];
  readonly paid: number;
  readonly unexplained: number;
}

/** An intent that was queued before the database was restored. Nothing is signed for it until an operator has looked at the chain. */
export interface RestoredIntent {
  readonly id: string;
  readonly what: string;
  readonly network: string;
  readonly wallet: string;
  readonly destination: string;
}

/** An operator has seen on chain that it was not sent. False when the table has no such intent. */
export async function releaseRestored(tx: Tx, table: string, id: string, job: { readonly uniqueKey: string }): Promise<boolean> {
  if (!(await adoptQueued(tx, table, id))) return false;
  await hastenJob(tx, job.uniqueKey);
  return true;
}

export async function reconcileOutflow(context: OutflowBooks): Promise<ReconcileReport> {
  const lines: string[] = [];
  let paid = 0;
  for (const chain of context.chains.values()) {
    const { strangers, cursor, place } = await findStrangers(context, chain);
    await context.database.transaction(async (tx) => {
      for (const seen of strangers) {
        const payoutId = await bookStranger(tx, context, chain, seen);
        if (payoutId !== undefined) paid += 1;
        lines.push(describe(chain.network, seen, payoutId));
      }
      await writeOutflowCursor(tx, chain.caip2, cursor, place);
    });
  }
  await openOutflow(context.database.db);
  return { lines, paid, unexplained: lines.length - paid };
}

/** The payout it paid, if the books have it; otherwise it stays unbooked until that payout is queued again. */
async function bookStranger(tx: Tx, context: OutflowBooks, chain: Chain, seen: SeenOutgoing): Promise<string | undefined> {
  const waiting = await listPayoutsLike(tx, chain.network, seen, ['queued', 'parked']);
  const payout = waiting.find(({ id }) => chain.intentKey(id) === seen.intentKey);
  if (!(await insertUnbooked(tx, chain.network, seen, payout?.id ?? null))) return undefined;
  if (payout !== undefined) {
    await confirmSeen(tx, context, payout, seen.reference, treasury(chain.network));
    return payout.id;
  }
  await post(tx, {
    kind: 'outflow_found',
    subjectId: `${chain.caip2}/${seen.reference}`,
    idempotencyKey: `outflow:${chain.caip2}/${seen.reference}/${seen.position}`,
    entries: [
      { account: unbooked(chain.network), micros: -seen.micros },
      { account: treasury(chain.network), micros: seen.micros },
    ],
  });
  return undefined;
}

function describe(network: NetworkName, { reference, destination, micros }: SeenOutgoing, payoutId: string | undefined): string {
  const transfer = `${network}: ${formatUsd(micros)} USDC to ${destination} in ${reference}`;
  return payoutId === undefined
    ? `${transfer} belongs to no payout in these books. It is booked as unbooked, and its payout is marked paid when it is queued again.`
    : `${transfer} had paid ${payoutId}. The payout is now confirmed.`;
}
