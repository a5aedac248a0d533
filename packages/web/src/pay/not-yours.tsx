/**
 * Explains that a payment, or a published review, counts only from a wallet proven to be the buyer's. An account may link it by one
 * signature.
 */
import { useState } from 'react';
import { useSession, useSessionChanged } from '../data/session.ts';
import { Button, shorten } from '../ui/index.ts';
import { linkWallet } from '../wallets/sign-in-with-wallet.ts';
import { useWallets } from '../wallets/use-wallets.ts';
import { explainWalletError } from '../wallets/wallet-session.ts';

export interface NotYoursProps {
  readonly address: string;
  readonly walletId: string | undefined;
  readonly what?: 'payment' | 'review';
}

export function NotYours({ address, walletId, what = 'payment' }: NotYoursProps) {
  const { user, wallet } = useSession();
  const { sessions } = useWallets();
  const sessionChanged = useSessionChanged();
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string>();
  const session = walletId === undefined ? undefined : sessions.get(walletId);
  const link = async (): Promise<void> => {
    if (session === undefined) return;
    setBusy(true);
    setProblem(undefined);
    try {
      await linkWallet(session);
      await sessionChanged();
    } catch (error) {
      setProblem(error instanceof Error && 'code' in error && 'requestId' in error ? error.message : explainWalletError(error).message);
    } finally {
      setBusy(false);
    }
  };
  if (user === null)
    return (
      <p className="not-yours">
        You are signed in as {wallet === null ? 'another wallet' : shorten(wallet.address)}, and only its {what} counts here. Choose that
        wallet.
      </p>
    );
  return (
    <div className="not-yours">
      <p>
        <b>{shorten(address)} is not linked to your account.</b> A {what} counts only from a wallet that is yours here. Linking takes one
        signature and moves nothing.
      </p>
      <Button size="small" kind="ink" busy={busy ? 'Open your wallet' : undefined} onClick={() => void link()}>
        Link this wallet
      </Button>
      {problem === undefined ? null : <p role="alert">{problem}</p>}
    </div>
  );
}
