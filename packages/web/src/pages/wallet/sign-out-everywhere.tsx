/** Ends a wallet's sessions in every browser by its signature, for example after a computer was lost. */
import { useSessionChanged } from '../../data/session.ts';
import { useNavigation } from '../../router/router.tsx';
import { sitePaths } from '../../site-paths.ts';
import { marketOfWallet } from '../../wallets/sign-in-with-wallet.ts';
import { SignWithWallet } from '../../wallets/sign-with-wallet.tsx';
import { requireOwner } from '../build/owner-act.tsx';

export function SignOutEverywhere({ address }: { readonly address: string }) {
  const { navigate } = useNavigation();
  const sessionChanged = useSessionChanged();
  return (
    <details className="chart-table">
      <summary>Sign out of every browser</summary>
      <SignWithWallet
        label="Sign and end all sessions"
        without="Open this page in the browser that has the wallet: ending the sessions of other browsers needs its signature."
        onSign={async (session) => {
          requireOwner(session, address);
          await marketOfWallet(session).auth.endSession({}, { proof: 'custody' });
          await sessionChanged();
          navigate(sitePaths.home);
        }}
        note="The wallet signs that all its sessions end, in this browser and all others. Signing costs nothing."
      />
    </details>
  );
}
