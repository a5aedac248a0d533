/** Results of an order that somebody else may have paid for: shown after the time, or at once to the wallet that paid. */
import { useSessionChanged } from '../../../data/session.ts';
import { shorten, Time } from '../../../ui/index.ts';
import { WalletSignIn } from '../../../wallets/wallet-sign-in.tsx';
import type { OrderView } from '../order-view.ts';

export function WithheldResults({ view, until }: { readonly view: OrderView; readonly until: string }) {
  const sessionChanged = useSessionChanged();
  const { payer_address: payer } = view.order;
  return (
    <div className="stack">
      <p>
        The payment named no buyer, so the wallet that paid may still claim it.{' '}
        {view.order.delivered_at === null ? 'A delivery' : 'The delivery'} is shown from <Time at={until} /> on.
      </p>
      <p className="note">Sign with the wallet that paid{payer === null ? '' : `, ${shorten(payer)},`} to see it now.</p>
      <WalletSignIn act="sign-in" label="Sign to see it now" onDone={sessionChanged} />
    </div>
  );
}
