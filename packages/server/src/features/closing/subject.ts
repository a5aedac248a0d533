/** Who or what is closed. */
import type { AgentId } from '@market/contract';
import type { ContractPlaces } from '../../access/caller.ts';

/** What a wallet did without an account. */
export interface PersonByWallet {
  readonly wallet: string;
  /** Where it is the caller's, if it is a contract. */
  readonly contracts: ContractPlaces;
}

export interface ClosingSubject {
  /** Undefined: one agent, and not its owner. */
  readonly person: { readonly userId: string } | PersonByWallet | undefined;
  /** Closed with it. */
  readonly agents: readonly AgentId[];
}

export function userOf({ person }: ClosingSubject): string | null {
  return person !== undefined && 'userId' in person ? person.userId : null;
}

export function walletOf({ person }: ClosingSubject): string | null {
  return person !== undefined && 'wallet' in person ? person.wallet : null;
}

export function contractsOfPerson({ person }: ClosingSubject): ContractPlaces {
  return person !== undefined && 'wallet' in person ? person.contracts : { addresses: [], places: [] };
}

/** As principals and owners are written. */
export function principalsOf(subject: ClosingSubject): string[] {
  const [user, wallet] = [userOf(subject), walletOf(subject)];
  return [
    ...(user === null ? [] : [`user:${user}`]),
    ...(wallet === null ? [] : [`wallet:${wallet}`]),
    ...subject.agents.map((id) => `agent:${id}`),
  ];
}
