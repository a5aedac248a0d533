import { MarketError } from '@market/contract';
import { type Caller, walletsOf } from '../caller.ts';
import type { Concerned } from './links-repository.ts';

/** Moves and payout changes that wait are the person's own matter: a connected program neither reads nor cancels them. */
export function concernedBy(caller: Caller): Concerned {
  if (caller.connection !== undefined) throw new MarketError('wrong_credential');
  return { userId: caller.user?.id ?? null, wallets: walletsOf(caller) };
}
