/** The SQL of `owner_proven` and of conflicts between two owners. While the owner is unproven, the agent's key proves no wallet. */
import type { AgentId } from '@market/contract';
import type { Db, Tx } from '../../platform/db/database.ts';
import type { AgentRow } from './repository.ts';

/** Marks the owner as unproven, after a registration with a bare transfer reference. */
export async function distrustOwner(tx: Tx, agentId: AgentId): Promise<void> {
  await tx.updateTable('agents').set({ ownerProven: false }).where('id', '=', agentId).execute();
}

/** Marks the owner as proven, because the owner's wallet confirmed the agent. */
export async function proveOwner(db: Db, agentId: string): Promise<void> {
  await db
    .updateTable('agents')
    .set({ ownerProven: true })
    .where('id', '=', agentId as AgentId)
    .where('ownerProven', '=', false)
    .execute();
}

/** Marks the agents that account and wallet both own as in conflict. Returns those that were not in conflict before. */
export async function markOwnerConflicts(
  tx: Tx,
  { userId, address }: { readonly userId: string; readonly address: string },
  now: Date,
): Promise<Pick<AgentRow, 'id' | 'name' | 'ownerWallet' | 'ownerUserId'>[]> {
  return await tx
    .updateTable('agents')
    .set({ ownerConflict: true, updatedAt: now })
    .where('ownerUserId', '=', userId)
    .where('ownerWallet', '=', address)
    .where('ownerConflict', '=', false)
    .returning(['id', 'name', 'ownerWallet', 'ownerUserId'])
    .execute();
}
