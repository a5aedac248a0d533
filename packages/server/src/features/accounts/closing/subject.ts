/** The subject of a closing: a person with agents, or one agent. */
import type { AgentId } from '@market/contract';
import type { ContractWallets } from '../../../access/caller.ts';

/** A wallet that has no account here. */
export interface PersonByWallet {
  readonly wallet: string;
  /** If the wallet is a contract: the networks on which it belongs to the caller. */
  readonly contracts: ContractWallets;
}

export interface ClosingSubject {
  /** Undefined: only the agent is closed, not its owner. */
  readonly person: { readonly userId: string } | PersonByWallet | undefined;
  /** Agents that are closed, together with the person if there is one. */
  readonly agents: readonly AgentId[];
}

export function userOf({ person }: ClosingSubject): string | null {
  return person !== undefined && 'userId' in person ? person.userId : null;
}

export function walletOf({ person }: ClosingSubject): string | null {
  return person !== undefined && 'wallet' in person ? person.wallet : null;
}

export function contractsOfPerson({ person }: ClosingSubject): ContractWallets {
  return person !== undefined && 'wallet' in person ? person.contracts : { addresses: [], pairs: [] };
}

/** The subject in the spelling of principals and owners. */
export function principalsOf(subject: ClosingSubject): string[] {
  const [user, wallet] = [userOf(subject), walletOf(subject)];
  return [
    ...(user === null ? [] : [`user:${user}`]),
    ...(wallet === null ? [] : [`wallet:${wallet}`]),
    ...subject.agents.map((id) => `agent:${id}`),
  ];
}
