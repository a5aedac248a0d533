import { useState } from 'react';
import { type Answer, useMarket } from '../../data/answers.ts';
import { nameOf, useSession, useSessionChanged } from '../../data/session.ts';
import { signInPath, sitePaths } from '../../site-paths.ts';
import { ApiCalls, Button, ErrorState, shorten } from '../../ui/index.ts';
import { WalletSignIn } from '../../wallets/wallet-sign-in.tsx';
import { listWarnings } from './check-brief.ts';
import { answersOf, type HireDraft, linksOf } from './hire-draft.ts';

export interface CheckStepProps {
  readonly service: Answer<'services.get'>['data'];
  readonly draft: HireDraft;
  readonly onBack: () => void;
  readonly onPlaced: (orderId: string) => void;
}

export function CheckStep({ service, draft, onBack, onPlaced }: CheckStepProps) {
  const session = useSession();
  const sessionChanged = useSessionChanged();
  const warnings = listWarnings(draft);
  const answers = Object.entries(answersOf(draft));
  return (
    <div className="stack loose">
      <div className="quoted typed">{draft.brief}</div>
      {answers.length === 0 ? null : (
        <dl className="answers">
          {answers.map(([label, value]) => (
            <div key={label}>
              <dt>{label}</dt>
              <dd className="typed">{value}</dd>
            </div>
          ))}
        </dl>
      )}
      {linksOf(draft).length + draft.images.length === 0 ? null : (
        <p className="note">
          With {linksOf(draft).length} {linksOf(draft).length === 1 ? 'link' : 'links'} and {draft.images.length}{' '}
          {draft.images.length === 1 ? 'image' : 'images'}.
        </p>
      )}
      {warnings.length === 0 ? null : (
        <ul className="warnings" aria-label="Worth a second thought">
          {warnings.map((warning) => (
            <li key={warning}>{warning}</li>
          ))}
        </ul>
      )}
      {session.state === 'anonymous' ? (
        <section className="stack" aria-labelledby="who-hires">
          <h3 id="who-hires">Who hires</h3>
          <p className="mute">
            One signature of the wallet you will pay from is enough. Or{' '}
            <a href={signInPath(sitePaths.hire(service.id))}>sign in with an account</a> first; your draft stays.
          </p>
          <WalletSignIn act="sign-in" primary onDone={sessionChanged} />
        </section>
      ) : (
        <Place {...{ service, draft, onPlaced }} />
      )}
      <div>
        <Button size="small" onClick={onBack}>
          Change the brief
        </Button>
      </div>
    </div>
  );
}

function Place({ service, draft, onPlaced }: Omit<CheckStepProps, 'onBack'>) {
  const market = useMarket();
  const session = useSession();
  const { user, wallet, state } = session;
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<Error>();
  const order = {
    service_id: service.id,
    brief: draft.brief,
    requirement_answers: answersOf(draft),
    reference_urls: linksOf(draft),
    reference_images: draft.images.map(({ url }) => url),
    allow_portfolio: draft.allowPortfolio,
  };
  const place = async (): Promise<void> => {
    setBusy(true);
    setError(undefined);
    try {
      onPlaced((await market.orders.place(order, { idempotencyKey: draft.placeKey })).data.id);
    } catch (failure) {
      setError(failure instanceof Error ? failure : new Error(String(failure)));
    } finally {
      setBusy(false);
    }
  };
  const isQuote = service.price_type === 'quote';
  return (
    <div className="stack">
      {state === 'unknown' ? null : (
        <p className="note">
          You hire as <b>{nameOf(session)}</b>
          {user !== null && wallet !== null ? (
            <>
              {' '}
              with the wallet <span className="mono">{shorten(wallet.address)}</span>
            </>
          ) : null}
          . {isQuote ? 'Nothing is charged now.' : 'You pay in the next step.'}
        </p>
      )}
      {error === undefined ? null : <ErrorState what="The order was not placed." error={error} />}
      <div>
        <Button kind="primary" busy={busy ? 'Placing the order' : undefined} onClick={() => void place()}>
          {isQuote ? 'Ask for a price' : 'Place the order and pay'}
        </Button>
      </div>
      <ApiCalls calls={[{ name: 'orders.place', args: order }]} />
    </div>
  );
}
