/** The SQL of transfers that left the vault and that these books did not know. */
import { sql } from 'kysely';
import type { Db, Tx } from '../../../platform/db/database.ts';
import type { FeePayoutRow } from './repository.ts';

export interface FoundFee {
  readonly holder: string;
  readonly reference: string;
  readonly position: number;
  readonly intentKey: string;
  readonly destination: string;
  readonly lamports: bigint;
  readonly fee: bigint;
}

/** Found transfers that name a payout and are charged to no share yet. Their posting has the network fee. */
export async function listOpenFound(db: Db, holder: string): Promise<readonly FoundFee[]> {
  const { rows } = await sql<FoundFee>`
    select f.holder, f.reference, f.position, f.intent_key as "intentKey", f.destination, f.amount::bigint as lamports,
           (-e.amount_micros - f.amount)::bigint as fee
    from found_outflows f
    join ledger_transfers t on t.idempotency_key = 'creator-fee-found:' || f.reference
    join ledger_entries e on e.transfer_id = t.id
    join ledger_accounts a on a.id = e.account_id and a.kind = 'unbooked'
    where f.holder = ${holder} and f.taken_by is null and f.intent_key is not null and f.destination is not null`.execute(db);
  return rows;
}

/** Locks the payouts of this share for which nothing was signed, the newest first. */
export async function lockQueued(tx: Tx, { share, mint }: Pick<FeePayoutRow, 'share' | 'mint'>): Promise<readonly FeePayoutRow[]> {
  return await tx
    .selectFrom('creatorFeePayouts')
    .selectAll()
    .where('state', '=', 'queued')
    .where('share', '=', share)
    .where(sql<boolean>`mint is not distinct from ${mint}`)
    .orderBy('createdAt', 'desc')
    .orderBy('id')
    .forUpdate()
    .execute();
}
