/** The wallets of this browser in a page; none on the server and before hydration. */
import { useSyncExternalStore } from 'react';
import { useMarket } from '../data/answers.ts';
import { useFacts } from '../data/site-facts.ts';
import { openWalletDirectory, type WalletDirectory, type WalletsNow } from './wallet-directory.ts';

const NONE: WalletsNow = { offers: [], sessions: new Map() };
let opened: WalletDirectory | undefined;

export interface Wallets extends WalletsNow {
  /** Undefined on the server. */
  readonly directory: WalletDirectory | undefined;
  /** True until the page has hydrated, because wallets are unknown before. */
  readonly isLooking: boolean;
}

export function useWallets(): Wallets {
  const market = useMarket();
  const { profile } = useFacts();
  if (typeof window !== 'undefined') opened ??= openWalletDirectory({ market, sandbox: profile === 'sandbox', storage: localStorage });
  const directory = opened;
  const now = useSyncExternalStore(
    (listener) => directory?.subscribe(listener) ?? (() => undefined),
    () => directory?.now() ?? NONE,
    () => NONE,
  );
  return { ...now, directory, isLooking: now === NONE };
}
