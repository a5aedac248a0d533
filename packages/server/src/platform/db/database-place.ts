/** Which database this is. One restored from a backup has another place, and may lack what was signed before. */
import { sql } from 'kysely';
import { JOBS_CHANNEL } from '../jobs/job-repository.ts';
import type { Db, Tx } from './database.ts';

export async function readPlace(db: Db): Promise<string> {
  const { rows } = await sql<{ place: string }>`select database_place() as place`.execute(db);
  return rows[0]?.place ?? '';
}

/** Queued in a database that was restored since. Nothing is signed for it until an operator has looked at the chain. */
export interface RestoredIntent {
  readonly id: string;
  readonly what: string;
  readonly network: string;
  readonly wallet: string;
  readonly destination: string;
}

export async function listRestoredIntents(db: Db): Promise<readonly RestoredIntent[]> {
  const { rows } = await sql<RestoredIntent>`
    select id, purpose as what, network, wallet, destination from wallet_movements where state = 'queued' and place <> database_place()
    union all
    select id, 'creator_fee_payout', 'solana-mainnet', 'the fee vault', recipient_wallet from creator_fee_payouts
    where state = 'queued' and place <> database_place()
    order by id`.execute(db);
  return rows;
}

/** False when no such intent waits. */
export async function releaseRestoredIntent(tx: Tx, id: string): Promise<boolean> {
  const { rows } = await sql`
    with movements as (update wallet_movements set place = database_place() where id = ${id} and state = 'queued' and place <> database_place() returning id),
      payouts as (update creator_fee_payouts set place = database_place() where id = ${id} and state = 'queued' and place <> database_place() returning id)
    select id from movements union all select id from payouts`.execute(tx);
  if (rows.length === 0) return false;
  await sql`
    with woken as (update jobs set run_at = market_now() where unique_key like '%:' || ${id} and lease_until is null returning queue)
    select pg_notify(${JOBS_CHANNEL}, queue) from woken`.execute(tx);
  return true;
}
