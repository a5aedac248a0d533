/** Events about waiting moves, for the account, its linked wallets, the owner of the agent and the agent. */
import type { MoveEventData, MoveEventType, WalletActor } from '@market/contract';
import { listWatchingWallets } from '../../../access/authority/links-repository.ts';
import type { Tx } from '../../../platform/db/database.ts';
import { findAgent } from '../../agents/index.ts';
import type { MovesContext } from './moves-context.ts';
import type { MoveRow } from './repository.ts';

export async function appendMoveEvent<T extends MoveEventType>(
  tx: Tx,
  { events }: Pick<MovesContext, 'events'>,
  { id, kind, owner, summary, agentId }: Pick<MoveRow, 'id' | 'kind' | 'owner' | 'summary' | 'agentId'>,
  type: T,
  data: Omit<MoveEventData<T>, 'move_id' | 'kind' | 'summary'>,
): Promise<void> {
  const { userId, wallet } = personOf(owner);
  const agent = agentId === null ? undefined : await findAgent(tx, agentId);
  // Includes the current owner of the agent, who may be new.
  const watching = userId === null ? [] : await listWatchingWallets(tx, userId);
  const wallets = new Set([...watching, wallet, agent?.ownerWallet ?? null].filter((one) => one !== null));
  const users = new Set([userId, agent?.ownerUserId ?? null].filter((one) => one !== null));
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

/** Splits an owner: `user:…` is an account, `wallet:…` a wallet that owns the agent. */
export function personOf(owner: string): { readonly userId: string | null; readonly wallet: string | null } {
  const [kind, id = ''] = owner.split(/:(.*)/s);
  return kind === 'wallet' ? { userId: null, wallet: id } : { userId: id, wallet: null };
}

/** The actor that the custody log names for this move. */
export function actorOf({ owner }: Pick<MoveRow, 'owner'>): WalletActor {
  return personOf(owner).wallet === null ? 'owner_account' : 'owner_wallet';
}
