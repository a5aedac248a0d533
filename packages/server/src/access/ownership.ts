/** The checks of who owns an agent. */
import type { AgentId } from '@market/contract';
import type { Caller } from './caller.ts';

export interface OwnedAgent {
  readonly id: AgentId;
  readonly ownerWallet: string | null;
  readonly ownerUserId: string | null;
}

/** Whether the caller is the person or wallet that owns the agent. The agent's own API key is not its owner. */
export function isOwner(caller: Caller, agent: OwnedAgent): boolean {
  if (actsAsAnother(caller, agent.id)) return false;
  const { ownerWallet } = agent;
  return (
    isOwnerByAccount(caller, agent) || [caller.wallet, caller.onBehalfOf].some((one) => one !== undefined && one.address === ownerWallet)
  );
}

/** As `isOwner`, by sign-in token alone: the account itself or a wallet linked to it. */
function isOwnerByAccount({ user }: Caller, agent: OwnedAgent): boolean {
  if (user === undefined) return false;
  return agent.ownerUserId === user.id || (agent.ownerWallet !== null && user.wallets.includes(agent.ownerWallet));
}

/** Whether a connected program calls for another agent of its person than the one it acts as. */
export function actsAsAnother({ connection, agent }: Caller, agentId: AgentId): boolean {
  return connection !== undefined && agent !== undefined && agent.id !== agentId;
}

export function mayEditAgent(caller: Caller, agent: OwnedAgent): boolean {
  return caller.agent?.id === agent.id || isOwner(caller, agent);
}

export function hasOwner(agent: OwnedAgent): boolean {
  return agent.ownerWallet !== null || agent.ownerUserId !== null;
}
