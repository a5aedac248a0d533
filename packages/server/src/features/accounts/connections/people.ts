/** The person that a connected program belongs to. */
import { MarketError } from '@market/contract';
import { type Caller, type Person, walletsOf } from '../../../access/caller.ts';

/** All identities of a person, to see and to disconnect. An API key or a connected program has no connections. */
export function peopleOf(caller: Caller): Person[] {
  if (caller.connection !== undefined) throw new MarketError('wrong_credential');
  return [
    ...(caller.user === undefined ? [] : [`user:${caller.user.id}` as const]),
    ...walletsOf(caller).map((wallet) => `wallet:${wallet}` as const),
  ];
}

/** The account if one is signed in, else the wallet. */
export function personOf({ user, wallet }: Caller): Person | undefined {
  if (user !== undefined) return `user:${user.id}`;
  return wallet === undefined ? undefined : `wallet:${wallet.address}`;
}

/** Only the identity of `personOf`: a connection is stored for one, and its calls have no other. */
export function asPerson({ user, wallet, byCookieOnly }: Caller): Caller {
  if (user !== undefined) return { user, byCookieOnly };
  return { ...(wallet !== undefined && { wallet }), byCookieOnly };
}
