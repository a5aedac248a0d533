/** The SQL of wallets that have proven themselves here. */
import { sql } from 'kysely';
import type { Db, Tx } from '../../platform/db/database.ts';
import { deferred } from '../../platform/db/pipelined-driver.ts';
import type { WalletProofsTable } from '../../platform/db/schema.generated.ts';

export type ProvenHow = WalletProofsTable['how'];

/** Whether the wallet has proven itself or belongs to an agent. A payout address proves nothing: strangers can write it. */
export async function isWalletKnown(db: Db, wallet: string): Promise<boolean> {
  const { rows } = await sql<{ known: boolean }>`
    select exists (select 1 from wallet_proofs where address = ${wallet})
        or exists (select 1 from agent_wallets where address = ${wallet}) as known`.execute(db);
  return rows[0]?.known === true;
}

export async function insertWalletProof(db: Db, address: string, how: ProvenHow): Promise<void> {
  await db
    .insertInto('walletProofs')
    .values({ address, how })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** As `insertWalletProof`, sent along with the next statement of the transaction. */
export async function noteProvenWallet(tx: Tx, address: string, how: ProvenHow): Promise<void> {
  await tx.executeQuery(deferred('insert into wallet_proofs (address, how) values ($1, $2) on conflict do nothing', [address, how]));
}
