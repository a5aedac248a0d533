/** Chooses a wallet and signs one message: for a session of this browser, or to link the wallet to the account. */
import { linkWallet, signInWithWallet } from './sign-in-with-wallet.ts';
import { SignWithWallet } from './sign-with-wallet.tsx';

export interface WalletSignInProps {
  readonly act: 'sign-in' | 'link';
  /** Label of the button, if signing in serves something on this page. */
  readonly label?: string;
  readonly onDone: () => void | Promise<void>;
  /** Makes the button marigold, if signing in is the purpose of the page. */
  readonly primary?: boolean;
}

export function WalletSignIn({ act, label, onDone, primary = false }: WalletSignInProps) {
  return (
    <SignWithWallet
      label={label ?? (act === 'link' ? 'Sign and link' : 'Sign in with this wallet')}
      primary={primary}
      without="Install one, for example as an extension, and reload the page; or sign in with an account."
      onSign={async (session) => {
        await (act === 'link' ? linkWallet : signInWithWallet)(session);
        await onDone();
      }}
      note={
        <>
          The wallet shows a text that names this site{act === 'link' ? ', your account' : ''} and what you agree to. Signing it moves
          nothing and costs nothing.
        </>
      }
    />
  );
}
