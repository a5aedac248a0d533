/** The visitor's account: public address, public profile, and sign-in. */
import './account.css';
import { type Answer, useAnswer } from '../../data/answers.ts';
import { useSession } from '../../data/session.ts';
import { definePage } from '../../page.ts';
import { signInPath, sitePaths } from '../../site-paths.ts';
import { Button, Hash, Loaded, Skeleton, Time } from '../../ui/index.ts';
import { SignOut } from '../shared/sign-out.tsx';
import { DataPanel } from './data-panel.tsx';
import { ProfileForm } from './profile-form.tsx';
import { UsernameForm } from './username-form.tsx';

type SignedIn = Answer<'auth.user'>['data'];

function AccountPage() {
  const { state, user, wallet } = useSession();
  return (
    <div className="wrap account-page">
      <header className="page-head">
        <h1>Account</h1>
        <p className="lead">How others see you here, and how you are signed in.</p>
      </header>
      {state === 'unknown' ? (
        <Skeleton lines={9} />
      ) : user !== null ? (
        <OfAccount />
      ) : wallet !== null ? (
        <OfWallet address={wallet.address} />
      ) : null}
    </div>
  );
}

function OfAccount() {
  const account = useAnswer('auth.user', {});
  return (
    <Loaded answer={account} what="Your account" skeleton={<Skeleton lines={9} />}>
      {({ data }) => (
        <div className="columns">
          <div className="stack loose">
            <UsernameForm key={data.user.username} username={data.user.username} />
            <ProfileForm
              key={String(data.user.profile.public)}
              face={{
                name: data.user.profile.display_name,
                bio: data.user.bio,
                picture: data.user.profile.avatar_url,
                handle: data.user.twitter_username,
              }}
              account={{
                username: data.user.username,
                isPublic: data.user.profile.public,
                showsTwitter: data.user.profile.shows_twitter,
                wallets: data.wallets,
              }}
            />
            <DataPanel />
          </div>
          <aside className="stack loose" aria-label="How you are signed in">
            <Identity {...data} />
          </aside>
        </div>
      )}
    </Loaded>
  );
}

function OfWallet({ address }: { readonly address: string }) {
  const profile = useAnswer('profiles.get', { wallet: address });
  return (
    <Loaded answer={profile} what="Your profile" skeleton={<Skeleton lines={9} />}>
      {({ data }) => (
        <div className="columns">
          <div className="stack loose">
            <ProfileForm
              face={{
                name: data?.display_name ?? null,
                bio: data?.bio ?? null,
                picture: data?.avatar_url ?? null,
                handle: data?.twitter_handle ?? null,
              }}
            />
            <DataPanel wallet={address} />
          </div>
          <aside className="stack loose" aria-label="How you are signed in">
            <section aria-labelledby="signed-in">
              <h2 id="signed-in">Signed in by wallet</h2>
              <p className="ledger facts-row">
                <Hash value={address} />
              </p>
              <p className="note">
                A wallet alone has no public page and no username. An account has both, holds several wallets and follows you to every
                device.
              </p>
            </section>
            <p className="actions">
              <Button kind="ink" href={signInPath(sitePaths.account)}>
                Sign in with an account
              </Button>
              <Button href={sitePaths.wallet}>Wallet and identity</Button>
              <SignOut />
            </p>
          </aside>
        </div>
      )}
    </Loaded>
  );
}

function Identity({ user, wallets }: SignedIn) {
  return (
    <>
      <section aria-labelledby="signed-in">
        <h2 id="signed-in">Signed in as</h2>
        <ul className="ledger">
          <li className="facts-row">
            <span>{user.google_email ?? user.email ?? user.display_name ?? user.username}</span>
            <span className="meta">
              account, since <Time at={user.created_at} style="day" />
            </span>
          </li>
          <li className="facts-row">
            <span>
              {wallets.length === 0 ? 'No wallet linked' : wallets.length === 1 ? '1 wallet linked' : `${wallets.length} wallets linked`}
            </span>
            <a className="meta" href={sitePaths.wallet}>
              Wallet and identity
            </a>
          </li>
        </ul>
      </section>
      <p className="actions">
        {user.profile.public ? <Button href={sitePaths.profile(user.username)}>See your public page</Button> : null}
        <SignOut />
      </p>
    </>
  );
}

export const page = definePage({
  head: () => ({ title: 'Account', unlisted: true }),
  Component: AccountPage,
});
