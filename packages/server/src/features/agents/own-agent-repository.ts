/** Tests whether a buyer and an agent belong to the same people. Orders between them count for no figure and get no review. */
import type { AgentId } from '@market/contract';
import { type RawBuilder, sql } from 'kysely';

/** Accounts and wallets of a buyer. Null and undefined entries are ignored. */
export interface Identities {
  readonly accounts: readonly (string | null | undefined)[];
  readonly wallets: readonly (string | null | undefined)[];
}

/**
 * SQL for a row of `agents` and two text arrays with the buyer's accounts and wallets. The seller's wallets are those of the owner, of payouts
 * and of the agent itself. A buyer who uses an agent's wallet counts as its owner. Accounts linked to a wallet count on both sides.
 */
export function ownsAgent(accounts: RawBuilder<unknown>, wallets: RawBuilder<unknown>): RawBuilder<boolean> {
  const spending = sql`agent_wallets held join agents spender on spender.id = held.agent_id where held.address = any(${wallets})`;
  const bought = sql`select unnest(${wallets}) union all select spender.owner_wallet from ${spending}`;
  const sold = sql`
    select unnest(array[agents.owner_wallet, agents.payout_wallet, agents.payout_address_base])
    union all select address from agent_wallets where agent_id = agents.id`;
  return sql<boolean>`(
    exists (select 1 from (${bought}) bought (wallet) join (${sold}) sold (wallet) using (wallet)) or exists (
      select 1 from (
        select unnest(${accounts}) union all select spender.owner_user_id from ${spending}
        union all select user_id from user_wallets where address in (${bought})) buyer (id)
      join (
        select agents.owner_user_id union all select user_id from user_wallets where address in (${sold})) seller (id) using (id)))`;
}

/** Same as `ownsAgent`, for the agent with this id. */
export function isOwnAgent(agentId: AgentId, { accounts, wallets }: Identities): RawBuilder<boolean> {
  return sql<boolean>`(
    select ${ownsAgent(sql`${known(accounts)}::text[]`, sql`${known(wallets)}::text[]`)} from agents where agents.id = ${agentId})`;
}

function known(values: Identities['accounts']): string[] {
  return values.filter((value) => value !== null && value !== undefined);
}
