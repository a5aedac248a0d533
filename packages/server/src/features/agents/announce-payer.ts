/** Events about allowed payers, the wallets that let an agent pay from them, for owner, agent and wallet. */
import { deletePayers } from '../../access/authority/payers-repository.ts';
import type { Tx } from '../../platform/db/database.ts';
import type { AgentsContext } from './agents-context.ts';
import type { AgentRow } from './repository.ts';

type Payable = Pick<AgentRow, 'id' | 'name' | 'slug' | 'ownerWallet' | 'ownerUserId'>;

export async function announcePayer(
  tx: Tx,
  { events }: Pick<AgentsContext, 'events'>,
  agent: Payable,
  type: 'agent.payer_allowed' | 'agent.payer_removed',
  { address, chain }: { readonly address: string; readonly chain: string },
): Promise<void> {
  const { id, name, slug, ownerWallet, ownerUserId } = agent;
  const context = { owner_wallet: ownerWallet, owner_user_id: ownerUserId, agent_name: name, agent_slug: slug };
  await events.append(tx, [
    { type, subjectId: id, agentId: id, readers: [`wallet:${address}`], data: { agent_id: id, wallet: address, chain }, context },
  ]);
}

/** Removes all allowed payers, because they allowed the agent under its former owner. */
export async function endPayers(tx: Tx, context: Pick<AgentsContext, 'events'>, agent: Payable): Promise<void> {
  for (const payer of await deletePayers(tx, agent.id)) await announcePayer(tx, context, agent, 'agent.payer_removed', payer);
}
