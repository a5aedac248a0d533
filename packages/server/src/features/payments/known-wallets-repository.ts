/** Wallets that the market knows, and those that belong to an agent. */
import { type RawBuilder, sql } from 'kysely';
import type { AgentCaller } from '../../access/caller.ts';
import type { Db } from '../../platform/db/database.ts';

/** Each reason for which a wallet must prove itself. */
const reasons: readonly ((wallet: string) => RawBuilder<unknown>)[] = [
  (wallet) => sql`select 1 from orders where client_wallet = ${wallet} and status in ('quoted', 'accepted')`,
  (wallet) => sql`select 1 from bounties where client_wallet = ${wallet} and status = 'open'`,
  (wallet) => sql`select 1 from user_wallets where address = ${wallet}`,
  (wallet) => sql`select 1 from agents where owner_wallet = ${wallet}`,
  (wallet) => sql`select 1 from agents where payout_wallet = ${wallet}`,
  (wallet) => sql`select 1 from agents where payout_address_base = ${wallet}`,
  (wallet) => sql`select 1 from agent_wallets where address = ${wallet}`,
];

/** It has an unpaid order or an open bounty, or is linked to an account or an agent. */
export async function isWalletKnown(db: Db, wallet: string): Promise<boolean> {
  const any = sql.join(
    reasons.map((reason) => sql`exists (${reason(wallet)})`),
    sql` or `,
  );
  const { rows } = await sql<{ known: boolean }>`select ${any} as known`.execute(db);
  return rows[0]?.known === true;
}

/** The owner's wallets and the agent's own. A payout address proves nothing: an agent's key alone can set it. */
export async function listWalletsOfAgent(
  db: Db,
  { id, ownerWallet, ownerUserId }: Pick<AgentCaller, 'id' | 'ownerWallet' | 'ownerUserId'>,
): Promise<string[]> {
  const { rows } = await sql<{ address: string }>`
    select address from agent_wallets where agent_id = ${id}
    union all
    select address from user_wallets where user_id = ${ownerUserId}`.execute(db);
  return [...(ownerWallet === null ? [] : [ownerWallet]), ...rows.map(({ address }) => address)];
}
