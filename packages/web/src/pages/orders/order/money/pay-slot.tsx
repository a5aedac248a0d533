import { OrderPayPanel } from '../../../../pay/order-pay-panel.tsx';
import { useOrderPay } from '../../../../pay/use-order-pay.ts';
import { useToast } from '../../../../ui/index.ts';
import type { OrderView } from '../order-view.ts';
import { useSentenceParts } from '../sentence-parts.ts';

/** The payment, if the order can be paid. */
export function PaySlot({ view }: { readonly view: OrderView }) {
  const format = useSentenceParts();
  const toast = useToast();
  const pay = useOrderPay(view, () => toast(`Payment verified. ${format.amount(view.money.price_usd)} is held.`));
  return (
    <div id="pay">
      <OrderPayPanel view={view} pay={pay} />
    </div>
  );
}
