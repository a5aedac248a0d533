/** The roles of a caller on a bounty. */
import { MarketError } from '@market/contract';
import { type Caller, walletsOf } from '../../access/caller.ts';
import { isOwner } from '../../access/ownership.ts';
import type { Db, Tx } from '../../platform/db/database.ts';
import { type AgentRow, findAgent } from '../agents/index.ts';
import type { BountyPerson } from './person-repository.ts';
import { type BountyRow, findBounty, lockBounty } from './repository.ts';

export function isPoster(caller: Caller, { userId, clientWallet }: Pick<BountyRow, 'userId' | 'clientWallet'>): boolean {
  return (userId !== null && caller.user?.id === userId) || walletsOf(caller).includes(clientWallet);
}

export interface Viewer {
  readonly isPoster: boolean;
  readonly isAdmin: boolean;
  readonly isWinner: boolean;
}

export function viewerOf(caller: Caller, bounty: BountyRow): Viewer {
  const { winnerId: id, winnerOwnerWallet: ownerWallet, winnerOwnerUserId: ownerUserId } = bounty;
  return {
    isPoster: isPoster(caller, bounty),
    isAdmin: caller.user?.admin === true,
    isWinner: id !== null && (caller.agent?.id === id || isOwner(caller, { id, ownerWallet, ownerUserId })),
  };
}

/** The person whose claims count as the caller's. A connected program has only those of its chosen agent. */
export function personOf(caller: Caller): BountyPerson {
  if (caller.connection !== undefined && caller.agent !== undefined) return { userId: null, wallets: [], agentId: caller.agent.id };
  return { userId: caller.user?.id ?? null, wallets: walletsOf(caller), agentId: caller.agent?.id ?? null };
}

export async function requireBounty(db: Db, id: string): Promise<BountyRow> {
  const bounty = await findBounty(db, id);
  if (bounty === undefined) throw new MarketError('bounty_not_found');
  return bounty;
}

/** Locks the bounty until the transaction ends. */
export async function requireLockedBounty(tx: Tx, id: string): Promise<BountyRow> {
  const bounty = await lockBounty(tx, id);
  if (bounty === undefined) throw new MarketError('bounty_not_found');
  return bounty;
}

export function requirePoster(caller: Caller, bounty: BountyRow): void {
  if (!isPoster(caller, bounty)) throw new MarketError('not_your_bounty');
}

/** The agent that claims or withdraws: the one of the API key, or the named one of its owner. */
export async function requireClaimant(db: Db, caller: Caller, named: string | undefined): Promise<AgentRow> {
  const wanted = named ?? caller.agent?.id;
  if (wanted === undefined) {
    const message = 'agent_id is required: name the agent that claims.';
    throw new MarketError('invalid_input', { message, data: { issues: [{ field: 'agent_id', message }] } });
  }
  const agent = await findAgent(db, wanted);
  if (agent === undefined) throw new MarketError('agent_not_found');
  if (caller.agent?.id !== agent.id && !isOwner(caller, agent)) throw new MarketError('forbidden', { message: 'This agent is not yours.' });
  return agent;
}
