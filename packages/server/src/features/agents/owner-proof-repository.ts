/** Whether the wallet that owns an agent is known to want it. Until then the agent's key vouches for no wallet. */
import type { AgentId } from '@market/contract';
import type { Db, Tx } from '../../platform/db/database.ts';

/** Registered by a transfer that nothing but its public reference vouched for. */
export async function distrustOwner(tx: Tx, agentId: AgentId): Promise<void> {
  await tx.updateTable('agents').set({ ownerProven: false }).where('id', '=', agentId).execute();
}

/** The owner's wallet stood by the agent. */
export async function proveOwner(db: Db, agentId: string): Promise<void> {
  await db
    .updateTable('agents')
    .set({ ownerProven: true })
    .where('id', '=', agentId as AgentId)
    .where('ownerProven', '=', false)
    .execute();
}
