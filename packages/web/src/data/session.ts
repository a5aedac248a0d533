/** The signed-in visitor, always as the API reports it. */
import type { QueryClient } from '@tanstack/react-query';
import { useQueryClient } from '@tanstack/react-query';
import { shorten } from '../ui/words/format.ts';
import { type Answer, invalidate, keyOf, useAnswer } from './answers.ts';

type WhoAmI = Answer<'auth.whoami'>['data'];

export interface Session {
  /** `unknown` until the API has answered. */
  readonly state: 'unknown' | 'anonymous' | 'signed-in';
  readonly wallet: WhoAmI['wallet'];
  readonly user: WhoAmI['user'];
  readonly isAdmin: boolean;
}

const NOBODY: WhoAmI = { agent: null, user: null, wallet: null };

export function useSession(): Session {
  const { data } = useAnswer('auth.whoami', {});
  return sessionOf(data?.data);
}

function sessionOf(whoami: WhoAmI | undefined): Session {
  if (whoami === undefined) return { state: 'unknown', wallet: null, user: null, isAdmin: false };
  const { wallet, user } = whoami;
  const state = wallet === null && user === null ? 'anonymous' : 'signed-in';
  return { state, wallet, user, isAdmin: user?.admin === true };
}

/** The name of a person on pages; never the account id. */
export function nameOf({ user, wallet }: Pick<Session, 'user' | 'wallet'>): string {
  return user?.name ?? (wallet === null ? 'A person' : shorten(wallet.address));
}

/** Stores the known answer for a visitor without credentials. */
export function rememberNobody(queries: QueryClient): void {
  queries.setQueryData(keyOf('auth.whoami', {}), { data: NOBODY });
}

/** Refetches everything after signing in or out, because answers depend on the caller. */
export function useSessionChanged(): () => Promise<void> {
  const queries = useQueryClient();
  return async () => {
    await invalidate(queries, ['auth.whoami']);
    // Let answers that need a sign-in leave the screen first, so that they are not refetched after signing out.
    await new Promise((resolve) => setTimeout(resolve, 50));
    await queries.invalidateQueries();
  };
}
