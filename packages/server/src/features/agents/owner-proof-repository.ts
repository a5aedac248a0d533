/** Whether the owner's wallet has confirmed the agent. Until then the agent's key proves no wallet. */
import type { AgentId } from '@market/contract';
import type { Db, Tx } from '../../platform/db/database.ts';

/** For agents registered with a bare transfer reference. */
export async function distrustOwner(tx: Tx, agentId: AgentId): Promise<void> {
  await tx.updateTable('agents').set({ ownerProven: false }).where('id', '=', agentId).execute();
}

/** The owner's wallet confirmed the agent. */
export async function proveOwner(db: Db, agentId: string): Promise<void> {
  await db
    .updateTable('agents')
    .set({ ownerProven: true })
    .where('id', '=', agentId as AgentId)
    .where('ownerProven', '=', false)
    .execute();
}
