/** The pay driver of one subject in a page, with the browser's own storage, locks and wallets. */
import type { NetworkName } from '@market/contract';
import type { MarketClient } from '@market/sdk';
import { useEffect, useMemo, useRef, useSyncExternalStore } from 'react';
import { useMarket } from '../data/answers.ts';
import { marketOfWallet } from '../wallets/sign-in-with-wallet.ts';
import { useWallets } from '../wallets/use-wallets.ts';
import type { WalletSession } from '../wallets/wallet-session.ts';
import { createPayDriver, type PayDriver } from './pay-driver.ts';
import type { PayState } from './pay-machine.ts';
import { recordKey } from './payment-record.ts';

export interface UsePayOptions {
  readonly subject: string;
  /** Submits the payment. Once the visitor chose to sign, `market` signs with their wallet. */
  readonly submit: (network: NetworkName, reference: string, market: MarketClient) => Promise<void>;
  readonly onPaid: () => void;
}

const IDLE: PayState = { phase: 'idle' };

export interface UsedPay {
  readonly driver: PayDriver;
  readonly state: PayState;
  /** Submits the payment again, with a signature of this wallet. */
  readonly onSign: (session: WalletSession) => void;
}

export function usePay({ subject, submit, onPaid }: UsePayOptions): UsedPay {
  const market = useMarket();
  const { directory } = useWallets();
  // The callbacks may be new on each render, while the driver lives as long as its subject.
  const latest = useRef({ submit, onPaid });
  latest.current = { submit, onPaid };
  // A signature counts for one attempt, because polling must not ask the wallet again.
  const signer = useRef<MarketClient>(undefined);
  const driver = useMemo(
    () =>
      createPayDriver({
        subject,
        ask: {
          prepare: async (payer, { network, amount_usd }) => (await market.payments.prepare({ network, payer, amount_usd })).data,
          progress: async (network, reference) => (await market.payments.progress({ network, reference })).data,
          submit: async (network, reference) => {
            const signing = signer.current;
            signer.current = undefined;
            await latest.current.submit(network, reference, signing ?? market);
          },
        },
        connect: async (walletId) => {
          if (directory === undefined) throw new Error('Wallets are not ready yet. Try again.');
          return await directory.connect(walletId);
        },
        store: typeof window === 'undefined' ? nowhere : localStorage,
        alone: runAlone,
        pause: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
        now: () => Date.now(),
        onPaid: () => latest.current.onPaid(),
      }),
    [subject, market, directory],
  );
  useEffect(() => {
    driver.resume();
    // Another tab sent or finished the payment, so this one continues from there.
    const hear = (event: StorageEvent): void => {
      if (event.key === recordKey(subject) && event.newValue !== null) driver.resume();
    };
    addEventListener('storage', hear);
    return () => {
      removeEventListener('storage', hear);
      driver.stop();
    };
  }, [driver, subject]);
  const state = useSyncExternalStore(driver.subscribe, driver.state, () => IDLE);
  const onSign = (session: WalletSession): void => {
    signer.current = marketOfWallet(session);
    driver.resume();
  };
  return { driver, state, onSign };
}

const nowhere = { getItem: () => null, setItem: () => undefined, removeItem: () => undefined };

async function runAlone(name: string, work: () => Promise<void>): Promise<boolean> {
  return await navigator.locks.request(name, { ifAvailable: true }, async (lock) => {
    if (lock === null) return false;
    await work();
    return true;
  });
}
