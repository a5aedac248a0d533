/** Finds the owner of positions: the agent of a key, the account of a sign-in, or the wallet itself. */
import { type AgentId, MarketError } from '@market/contract';
import { actingWallet, type Caller, walletsOf } from '../../access/caller.ts';
import { listOwnedAgents } from '../agents/index.ts';
import type { EarnContext } from './earn-context.ts';
import type { Owner } from './vault-repository.ts';

export function requireOwnerOf(caller: Caller): Owner {
  const { agent, user } = caller;
  const wallet = actingWallet(caller);
  if (agent !== undefined) return { kind: 'agent', id: agent.id };
  if (user !== undefined) return { kind: 'user', id: user.id };
  if (wallet !== undefined) return { kind: 'wallet', id: wallet.address };
  throw new MarketError('unauthenticated');
}

/** The owners whose positions the caller sees: an account sees its linked wallets and agents, too, a wallet its agents. */
export async function listOwnersOf({ database }: Pick<EarnContext, 'database'>, caller: Caller): Promise<readonly Owner[]> {
  const owner = requireOwnerOf(caller);
  if (owner.kind === 'agent') return [owner];
  const wallets = walletsOf(caller);
  const agents = await listOwnedAgents(database.db, { ...(caller.user !== undefined && { userId: caller.user.id }), wallets });
  return [
    ...(owner.kind === 'user' ? [owner] : []),
    ...[...new Set(wallets)].map((id) => ({ kind: 'wallet' as const, id })),
    ...agents.map(({ id }) => ({ kind: 'agent' as const, id })),
  ];
}

/** `user:…`, as events and limits name an owner. */
export function nameOfOwner({ kind, id }: Owner): `${Owner['kind']}:${string}` {
  return `${kind}:${id}`;
}

export function agentIdOf({ kind, id }: Owner): AgentId | null {
  return kind === 'agent' ? (id as AgentId) : null;
}
