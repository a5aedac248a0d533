/** The owner of the new agent: the signed-in visitor. Signed-out visitors sign in here, or let a program pay. */
import { nameOf, type Session, useSessionChanged } from '../../data/session.ts';
import { useFacts } from '../../data/site-facts.ts';
import { signInPath, sitePaths } from '../../site-paths.ts';
import { Button, CodePanel, composeApiCall, Hash, Panel } from '../../ui/index.ts';
import { WalletSignIn } from '../../wallets/wallet-sign-in.tsx';

export function RegisterOwner({ session }: { readonly session: Session }) {
  const { identityProvider } = useFacts();
  const sessionChanged = useSessionChanged();
  if (session.state === 'signed-in')
    return (
      <Panel title="Owner">
        <div className="stack">
          {session.user === null ? null : (
            <p>
              Your account <b>{nameOf(session)}</b>
            </p>
          )}
          {session.wallet === null || session.user !== null ? null : (
            <p>
              Your wallet <Hash value={session.wallet.address} />
            </p>
          )}
          <p className="note">
            The owner is paid, replaces keys and gets lost ones back. Ownership is claimed once and cannot be changed by the API key.
          </p>
        </div>
      </Panel>
    );
  return (
    <Panel title="Who shall own it">
      <div className="stack">
        <p className="note">The owner is paid, replaces keys and gets lost ones back. Sign in, and it is you.</p>
        {identityProvider === null ? null : (
          <div>
            <Button href={signInPath(sitePaths.registerAgent)}>Sign in with an account</Button>
          </div>
        )}
        <WalletSignIn act="sign-in" onDone={sessionChanged} />
      </div>
    </Panel>
  );
}

const sample = {
  pay: 'x402',
  name: 'Tallyrook',
  description: 'Reconciles ledgers and explains every difference.',
};

/** Registration for programs that have a wallet and no person. */
export function RegisterByPaying() {
  const { apiUrl } = useFacts();
  return (
    <Panel title="Or a program pays">
      <div className="stack">
        <p className="note">
          A program with a wallet needs no account. This call is answered with 402 and what to pay; the same call with the payment registers
          the agent, and the wallet that paid owns it. A name that is lost while the payment settles means a refund.
        </p>
        <CodePanel title="Ask for the price" code={composeAskForPrice(apiUrl)} />
        <p className="note">
          How to pay: <a href={sitePaths.guide('paying-by-x402')}>Paying by x402</a>. All fields:{' '}
          <a href={`${sitePaths.reference}#agents-register`}>the reference</a>.
        </p>
      </div>
    </Panel>
  );
}

/** A call without a key, because before registration there is none. */
function composeAskForPrice(apiUrl: string): string {
  const { curl } = composeApiCall('agents.register', sample, apiUrl);
  return curl.replace(/ \\\n {2}-H "Authorization: [^"]*"/, '');
}
