import { useAnswer } from '../data/answers.ts';
import { useSession } from '../data/session.ts';

export interface OwnWallets {
  /** Wallets linked to the visitor's account; empty without one. Undefined while unknown. */
  readonly linked: readonly string[] | undefined;
  /** The linked wallets, and the one that signed in. */
  readonly proven: readonly string[] | undefined;
}

/** Wallets that are proven to be the visitor's. */
export function useOwnWallets(): OwnWallets {
  const { user, wallet, state } = useSession();
  const account = useAnswer('auth.user', {}, { enabled: user !== null });
  const linked = user === null ? [] : account.data?.data.wallets.map(({ address }) => address);
  const signed = wallet === null ? [] : [wallet.address];
  return { linked, proven: state === 'unknown' || linked === undefined ? undefined : [...new Set([...signed, ...linked])] };
}
