/** Events about moves that wait. The account, its linked wallets, the owner of the agent and the agent learn of each. */
import type { MoveEventData, MoveEventType } from '@market/contract';
import { listWatchingWallets } from '../../access/authority/links-repository.ts';
import type { Tx } from '../../platform/db/database.ts';
import { findAgent } from '../agents/index.ts';
import type { MovesContext } from './moves-context.ts';
import type { MoveRow } from './repository.ts';

export async function appendMoveEvent<T extends MoveEventType>(
  tx: Tx,
  { events }: Pick<MovesContext, 'events'>,
  { id, kind, owner, summary, agentId }: Pick<MoveRow, 'id' | 'kind' | 'owner' | 'summary' | 'agentId'>,
  type: T,
  data: Omit<MoveEventData<T>, 'move_id' | 'kind' | 'summary'>,
): Promise<void> {
  const userId = userOf(owner);
  const agent = agentId === null ? undefined : await findAgent(tx, agentId);
  // An agent that changed hands concerns its new owner, too.
  const wallets = new Set([...(await listWatchingWallets(tx, userId)), ...(agent?.ownerWallet == null ? [] : [agent.ownerWallet])]);
  const users = new Set([userId, ...(agent?.ownerUserId == null ? [] : [agent.ownerUserId])]);
  const readers = [...[...users].map((user) => `user:${user}` as const), ...[...wallets].map((wallet) => `wallet:${wallet}` as const)];
  await events.append(tx, [
    {
      type,
      subjectId: id,
      readers,
      data: { move_id: id, kind, summary, ...data },
      context: { user_ids: [...users], wallets: [...wallets] },
      ...(agentId !== null && { agentId }),
    },
  ]);
}

/** `user:…` → the id of the account. */
export function userOf(owner: string): string {
  return owner.slice('user:'.length);
}
