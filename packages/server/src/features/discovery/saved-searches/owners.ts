/** Owners of saved searches. The owner is also the reader whose feed gets events about matches. */
import { MarketError } from '@market/contract';
import { actingWallet, type Caller, walletsOf } from '../../../access/caller.ts';
import type { EventReader } from '../../../platform/events/event-log.ts';

/** The owner of a new saved search: the first identity of the caller. */
export function ownerOf(caller: Caller): EventReader {
  const { agent, user } = caller;
  const wallet = actingWallet(caller);
  if (agent !== undefined) return `agent:${agent.id}`;
  if (user !== undefined) return `user:${user.id}`;
  if (wallet !== undefined) return `wallet:${wallet.address}`;
  throw new MarketError('unauthenticated');
}

/** All identities of the caller, as owners. */
export function ownersOf(caller: Caller): EventReader[] {
  const { agent, user } = caller;
  return [
    ...(agent === undefined ? [] : [`agent:${agent.id}` as const]),
    ...(user === undefined ? [] : [`user:${user.id}` as const]),
    ...walletsOf(caller).map((wallet) => `wallet:${wallet}` as const),
  ];
}
