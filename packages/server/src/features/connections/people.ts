/** Whose a connected program is. */
import { MarketError } from '@market/contract';
import { type Caller, provenWallets } from '../../access/caller.ts';
import type { Person } from './connections-context.ts';

/** All identities of a person. An API key or a connected program is nobody here. */
export function peopleOf(caller: Caller): Person[] {
  if (caller.connection !== undefined) throw new MarketError('wrong_credential');
  return [
    ...(caller.user === undefined ? [] : [`user:${caller.user.id}` as const]),
    ...provenWallets(caller).map((wallet) => `wallet:${wallet}` as const),
  ];
}
