/** The visitor's wallets and ways to sign in: each proof of identity, its age, and how to change it. */
import './wallet.css';
import { useAnswer } from '../../data/answers.ts';
import { useSession } from '../../data/session.ts';
import { useFacts } from '../../data/site-facts.ts';
import { definePage } from '../../page.ts';
import { signInPath, sitePaths } from '../../site-paths.ts';
import { Button, Hash, Loaded, Skeleton, Time } from '../../ui/index.ts';
import { SignOut } from '../shared/sign-out.tsx';
import { LinkedWallets } from './linked-wallets.tsx';
import { SignOutEverywhere } from './sign-out-everywhere.tsx';
import { TestWallets } from './test-wallets.tsx';
import { UndoLink } from './undo-link.tsx';

function WalletPage() {
  const { profile } = useFacts();
  const { state, user } = useSession();
  return (
    <div className="wrap">
      <header className="page-head">
        <h1>Wallet and identity</h1>
        <p className="lead">What proves who you are here. Payments count from these wallets only.</p>
      </header>
      {state === 'unknown' ? <Skeleton lines={6} /> : user === null ? <WalletOnly /> : <Account />}
      {profile === 'sandbox' ? <TestWallets /> : null}
    </div>
  );
}

function Account() {
  const account = useAnswer('auth.user', {});
  return (
    <Loaded answer={account} what="Your account">
      {({ data }) => (
        <>
          <LinkedWallets wallets={data.wallets} />
          <section className="block" aria-labelledby="methods">
            <h2 id="methods">Ways to sign in</h2>
            <ul className="ledger wallet-list">
              <li>
                <div className="grow">
                  <span>Account {data.user.google_email ?? data.user.email ?? data.user.username}</span>
                  <span className="meta">
                    through the identity provider, since <Time at={data.user.created_at} style="list" />
                  </span>
                </div>
              </li>
              <SessionRow />
            </ul>
            <p className="block">
              <SignOut />
            </p>
          </section>
        </>
      )}
    </Loaded>
  );
}

function SessionRow() {
  const { wallet } = useSession();
  if (wallet === null) return null;
  return (
    <li>
      <div className="grow">
        <span>
          Wallet session of <Hash value={wallet.address} />
        </span>
        <span className="meta">by signature, in this browser, for 7 days after its last use and at most 30</span>
        <SignOutEverywhere address={wallet.address} />
      </div>
    </li>
  );
}

function WalletOnly() {
  const { wallet } = useSession();
  return (
    <>
      <OfWallet />
      {wallet === null ? null : <UndoLink address={wallet.address} />}
    </>
  );
}

function OfWallet() {
  return (
    <section className="block" aria-labelledby="methods">
      <h2 id="methods">Signed in by wallet</h2>
      <ul className="ledger wallet-list">
        <SessionRow />
      </ul>
      <p className="note wallet-note">
        Your orders belong to this wallet, and only it can pay for them. An account holds several wallets and your notifications on every
        device.
      </p>
      <p className="actions block">
        <Button kind="ink" href={signInPath(sitePaths.wallet)}>
          Sign in with an account
        </Button>
        <SignOut />
      </p>
    </section>
  );
}

export const page = definePage({ head: () => ({ title: 'Wallet and identity', unlisted: true }), Component: WalletPage });
