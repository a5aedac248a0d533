import { useState } from 'react';
import { type Answer, useAnswer } from '../../data/answers.ts';
import { OrderPayPanel } from '../../pay/order-pay-panel.tsx';
import { useOrderPay } from '../../pay/use-order-pay.ts';
import { sitePaths } from '../../site-paths.ts';
import { Amount, Button, Dialog, Empty, formatAmount, Loaded } from '../../ui/index.ts';
import { useIsPhone } from './use-is-phone.ts';

export interface PayStepProps {
  readonly orderId: string;
  readonly onPaid: () => void;
  /** Forgets this order and starts another one. */
  readonly onAnew: () => void;
}

/** The side column of the last step; a bottom sheet on phones. */
export function PayStep({ orderId, onPaid, onAnew }: PayStepProps) {
  const order = useAnswer('orders.get', { id: orderId });
  if (order.data === undefined && (order.error?.status === 403 || order.error?.status === 404))
    return (
      <Empty action={<Button onClick={onAnew}>Start a new one</Button>}>
        The order you placed from here belongs to somebody else’s sign-in.
      </Empty>
    );
  return (
    <Loaded answer={order} what="The order">
      {({ data }) => <PlacedOrder view={data} onPaid={onPaid} onAnew={onAnew} />}
    </Loaded>
  );
}

function PlacedOrder({ view, onPaid, onAnew }: { readonly view: Answer<'orders.get'>['data'] } & Omit<PayStepProps, 'orderId'>) {
  const { order } = view;
  if (order.status === 'pending_quote')
    return (
      <section className="panel" aria-label="Waiting for price">
        <div className="inner stack">
          <h2>Waiting for price</h2>
          <p>
            {order.provider_name} reads your brief and names a price. You get a notification then, and decide. Nothing is charged until you
            pay.
          </p>
          <div className="actions">
            <Button kind="ink" href={sitePaths.order(order.id)}>
              Open the order
            </Button>
            <Button onClick={onAnew}>Start a new one</Button>
          </div>
        </div>
      </section>
    );
  if (view.payment_options.length === 0)
    return (
      <Empty
        action={
          <div className="actions">
            <Button kind="ink" href={sitePaths.order(order.id)}>
              Open the order
            </Button>
            <Button onClick={onAnew}>Start a new one</Button>
          </div>
        }
      >
        {order.status === 'cancelled' ? 'This order was cancelled.' : 'This order is paid.'}
      </Empty>
    );
  return <Payable view={view} onPaid={onPaid} />;
}

function Payable({ view, onPaid }: { readonly view: Answer<'orders.get'>['data']; readonly onPaid: () => void }) {
  const isPhone = useIsPhone();
  const pay = useOrderPay(view, onPaid);
  const [open, setOpen] = useState(true);
  const price = view.order.quoted_price_usd ?? '0';
  if (!isPhone) return <OrderPayPanel view={view} pay={pay} />;
  return (
    <>
      <p className="note">
        The order <span className="mono">{view.order.id}</span> is placed and waits for its payment of <Amount usd={price} />.
      </p>
      <div className="sticky">
        <span className="mono">
          {formatAmount(price)} <span className="subtle">held until you accept</span>
        </span>
        <Button kind="primary" onClick={() => setOpen(true)}>
          Pay
        </Button>
      </div>
      <Dialog kind="sheet" title="Pay" open={open} onClose={() => setOpen(false)}>
        <OrderPayPanel view={view} pay={pay} />
      </Dialog>
    </>
  );
}
