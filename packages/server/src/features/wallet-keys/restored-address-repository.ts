/** The SQL of addresses that a restore brought back. */
import type { AgentId } from '@market/contract';
import { sql } from 'kysely';
import type { Db } from '../../platform/db/database.ts';

/** The facts on which a payout to an agent's address depends after a restore. */
export interface AddressFacts {
  readonly restoredAt: Date | null;
  readonly ownedSinceRestore: Date | null;
  readonly moderationStatus: string;
  /** The agent's own wallet. */
  readonly isOwn: boolean;
  readonly isOwnerWallet: boolean;
  /** The payout address of the agent as it is now. */
  readonly isChosen: boolean;
  /** The time when the owner last signed this address. */
  readonly signedAt: Date | null;
}

export async function readAddressFacts(db: Db, agentId: AgentId, address: string): Promise<AddressFacts | undefined> {
  const { rows } = await sql<AddressFacts>`
    select (select restored_at from known_place) as "restoredAt", a.owned_since_restore as "ownedSinceRestore",
      a.moderation_status as "moderationStatus", coalesce(a.owner_wallet = ${address}, false) as "isOwnerWallet",
      exists (select 1 from agent_wallets w where w.agent_id = a.id and w.address = ${address}) as "isOwn",
      coalesce(a.payout_wallet = ${address} or a.payout_address_base = ${address}, false) as "isChosen",
      case ${address} when a.payout_wallet then a.payout_wallet_signed_at when a.payout_address_base then a.payout_address_base_signed_at
      end as "signedAt"
    from agents a where a.id = ${agentId}`.execute(db);
  return rows[0];
}
