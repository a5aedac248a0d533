/** Notifies the owner, and the wallets that watch the owner account, that somebody with an owner's proof read the API key. */
import { listWatchingWallets } from '../../access/authority/links-repository.ts';
import type { AgentsContext } from './agents-context.ts';
import { ownerContext } from './pending-payout.ts';
import type { AgentRow } from './repository.ts';

export async function announceRecovery({ database, events }: Pick<AgentsContext, 'database' | 'events'>, agent: AgentRow): Promise<void> {
  await database.transaction(async (tx) => {
    const watching = agent.ownerUserId === null ? [] : await listWatchingWallets(tx, agent.ownerUserId);
    const context = { ...ownerContext(agent), watching_wallets: watching };
    await events.append(tx, [{ type: 'agent.key_recovered', subjectId: agent.id, agentId: agent.id, data: {}, context }]);
  });
}
