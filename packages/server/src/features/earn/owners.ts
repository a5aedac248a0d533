/** Who owns positions: the agent of a key, the account of a sign-in, or the wallet itself. And which wallets each has proven. */
import { type AgentId, MarketError, type NetworkName } from '@market/contract';
import { actingWallet, type Caller, walletsOf } from '../../access/caller.ts';
import { isOwner } from '../../access/ownership.ts';
import { canonicalWallet } from '../../platform/wallets/wallet-address.ts';
import { type AgentRow, findAgent, listOwnedAgents } from '../agents/index.ts';
import { listWalletsOfAgent } from '../payments/index.ts';
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

/** Everything the caller may see: an account also sees its linked wallets and its agents, a wallet its agents. */
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

export interface Acting {
  readonly owner: Owner;
  /** Wallets of the owner on the network of the vault, proven. */
  readonly wallets: readonly string[];
}

/** For whom the caller acts, and where that one's money may go. */
export async function requireActing(
  context: EarnContext,
  caller: Caller,
  network: NetworkName,
  { agentId, wallet }: { readonly agentId: string | undefined; readonly wallet: string | undefined },
): Promise<Acting> {
  const { db } = context.database;
  if (agentId === undefined) {
    const owner = wallet === undefined ? requireOwnerOf(caller) : requireProven(caller, wallet);
    return { owner, wallets: await listWalletsOf(context, caller, network, owner) };
  }
  if (caller.agent !== undefined) throw new MarketError('earn_agent_not_allowed');
  const agent = await requireOwnAgent(context, caller, agentId);
  const own = await listWalletsOfAgent(db, agent);
  return { owner: { kind: 'agent', id: agent.id }, wallets: [...walletsOf(caller, network), ...own] };
}

/** A key stands for the agent's wallets alone. A signature beside it counts only from the agent's owner: anybody can sign. */
async function listWalletsOf({ database }: EarnContext, caller: Caller, network: NetworkName, owner: Owner): Promise<readonly string[]> {
  const { agent } = caller;
  const shown = walletsOf(caller, network);
  if (owner.kind !== 'agent' || agent === undefined) return shown;
  const { id, recordedOwnerWallet: ownerWallet, ownerUserId } = agent;
  const own = await listWalletsOfAgent(database.db, agent);
  return isOwner(caller, { id, ownerWallet, ownerUserId }) ? [...shown, ...own] : own;
}

/** A wallet that the caller signed with or linked. */
function requireProven(caller: Caller, wallet: string): Owner {
  const address = canonicalWallet(wallet)?.address;
  if (address === undefined || !walletsOf(caller).includes(address))
    throw new MarketError('forbidden', { message: 'owner_wallet must be a wallet you signed with or linked to your account.' });
  return { kind: 'wallet', id: address };
}

async function requireOwnAgent({ database }: EarnContext, caller: Caller, idOrSlug: string): Promise<AgentRow> {
  const agent = await findAgent(database.db, idOrSlug);
  if (agent === undefined) throw new MarketError('agent_not_found');
  if (!isOwner(caller, agent)) throw new MarketError('forbidden', { message: 'Only the owner of this agent may do this.' });
  return agent;
}

/** `user:…`, as events and limits name an owner. */
export function nameOfOwner({ kind, id }: Owner): `${Owner['kind']}:${string}` {
  return `${kind}:${id}`;
}

export function agentIdOf({ kind, id }: Owner): AgentId | null {
  return kind === 'agent' ? (id as AgentId) : null;
}
