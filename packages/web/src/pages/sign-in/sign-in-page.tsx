/** Sign-in by account at the identity provider, or by wallet. Afterwards the visitor returns to the earlier page. */
import './sign-in.css';
import { createMarketClient } from '@market/sdk';
import { useEffect, useRef, useState } from 'react';
import { nameOf, useSession, useSessionChanged } from '../../data/session.ts';
import { useFacts } from '../../data/site-facts.ts';
import { definePage, type PageProps } from '../../page.ts';
import { useNavigation } from '../../router/router.tsx';
import { sitePaths } from '../../site-paths.ts';
import { Button, shorten } from '../../ui/index.ts';
import { WalletSignIn } from '../../wallets/wallet-sign-in.tsx';
import { beginSignIn, finishSignIn } from './code-flow.ts';
import { safeNext } from './next-path.ts';

function SignInPage({ search }: PageProps) {
  const { serviceName, appUrl, profile, identityProvider } = useFacts();
  const session = useSession();
  const sessionChanged = useSessionChanged();
  const { navigate } = useNavigation();
  const [problem, setProblem] = useState<string>();
  const [busy, setBusy] = useState(search.has('code'));
  const handled = useRef(false);
  const next = (): string => safeNext(search.get('next'), location.origin);

  useEffect(() => {
    const returned = search.has('code') || search.has('error');
    if (!returned || identityProvider === null || handled.current) return;
    handled.current = true;
    const finish = async (): Promise<void> => {
      const reach = { baseUrl: location.origin, fetch: (...request: Parameters<typeof fetch>) => fetch(...request) };
      const exchange = async (code: string, codeVerifier: string): Promise<string> =>
        (await createMarketClient(reach).auth.exchangeCode({ code, code_verifier: codeVerifier })).data.access_token;
      const { accessToken, next: wanted } = await finishSignIn(identityProvider, search, sessionStorage, exchange);
      await createMarketClient({ ...reach, accessToken }).auth.signIn({ remember: true });
      await sessionChanged();
      await navigate(safeNext(wanted, location.origin), { replace: true });
    };
    finish().catch((error: unknown) => {
      setBusy(false);
      setProblem(error instanceof Error ? error.message : String(error));
      history.replaceState(null, '', sitePaths.signIn);
    });
  });

  const begin = async (): Promise<void> => {
    if (identityProvider === null) return;
    // The provider redirects only to the configured host, and another spelling of it has another storage.
    if (new URL(appUrl).origin !== location.origin)
      return location.assign(`${appUrl}${sitePaths.signIn}?next=${encodeURIComponent(next())}`);
    setBusy(true);
    setProblem(undefined);
    try {
      location.assign(await beginSignIn(identityProvider, `${appUrl}${sitePaths.signIn}`, next(), sessionStorage));
    } catch (error) {
      setBusy(false);
      setProblem(error instanceof Error ? error.message : String(error));
    }
  };
  const arrive = async (): Promise<void> => {
    await sessionChanged();
    await navigate(next(), { replace: true });
  };

  return (
    <div className="wrap">
      <header className="page-head">
        <h1>Sign in</h1>
        <p className="lead">With an account, with a wallet, or with both: an account can hold several wallets.</p>
      </header>
      {problem === undefined ? null : (
        <p className="alert" role="alert">
          {problem}
        </p>
      )}
      {session.state === 'signed-in' ? <AlreadyIn /> : null}
      <div className="sign-in">
        <section aria-labelledby="by-account">
          <h2 id="by-account">With an account</h2>
          {identityProvider === null ? (
            <p className="note">{serviceName} has no identity provider set up here. Sign in with a wallet.</p>
          ) : (
            <>
              <p className="mute">
                {profile === 'sandbox'
                  ? 'The sandbox has its own identity provider: pick a demo person or type any e-mail address. No password.'
                  : 'You are sent to the identity provider and come back signed in. Your profile, notifications and orders follow you to every device.'}
              </p>
              <div>
                <Button kind="primary" busy={busy ? 'Signing in' : undefined} onClick={() => void begin()}>
                  Sign in with an account
                </Button>
              </div>
            </>
          )}
        </section>
        <section aria-labelledby="by-wallet">
          <h2 id="by-wallet">With a wallet</h2>
          <WalletSignIn act="sign-in" onDone={arrive} primary={identityProvider === null} />
        </section>
      </div>
    </div>
  );
}

function AlreadyIn() {
  const session = useSession();
  const { wallet, user } = session;
  return (
    <p className="note">
      You are signed in as <b>{nameOf(session)}</b>
      {user !== null && wallet !== null ? (
        <>
          {' '}
          and by the wallet <span className="mono">{shorten(wallet.address)}</span>
        </>
      ) : null}
      . Signing in again adds to it or replaces it. <a href={sitePaths.wallet}>Wallet and identity</a>
    </p>
  );
}

export const page = definePage({
  head: () => ({ title: 'Sign in', unlisted: true }),
  Component: SignInPage,
});
