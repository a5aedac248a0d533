/**
 * Results of an order whose payment can still be contested: they appear after that time, or when the paying wallet confirms the payment.
 */
import { signInPath, sitePaths } from '../../../../site-paths.ts';
import { Button, shorten, Time } from '../../../../ui/index.ts';
import { ActError } from '../next-step/act-error.tsx';
import { useOrderAct } from '../next-step/use-order-act.ts';
import type { OrderView } from '../order-view.ts';

export function WithheldResults({ view, until }: { readonly view: OrderView; readonly until: string }) {
  const act = useOrderAct();
  const { id, payer_address: payer, delivered_at: deliveredAt } = view.order;
  const isOtherWallet = act.error?.code === 'payment_wrong_payer' || act.error?.status === 401;
  return (
    <div className="stack">
      <p>
        The payment named no buyer, so the wallet that paid may still take it back. {deliveredAt === null ? 'A delivery' : 'The delivery'}{' '}
        is shown from <Time at={until} /> on.
      </p>
      <p className="note">
        Confirm the payment with the wallet that paid{payer === null ? '' : `, ${shorten(payer)},`} to see it now. It can then no longer be
        taken back.
      </p>
      <div className="actions">
        <Button
          busy={act.busy ? 'Confirming' : undefined}
          onClick={() => void act.take('orders.confirmPayment', { id }, 'Payment confirmed')}
        >
          Confirm and see it now
        </Button>
        {isOtherWallet ? <Button href={signInPath(sitePaths.order(id))}>Sign in with that wallet</Button> : null}
      </div>
      <ActError error={act.error} />
    </div>
  );
}
