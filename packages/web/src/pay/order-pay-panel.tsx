/** The pay panel of an order: the parts of the amount, what happens to the money, and the same steps as API calls. */
import { networkFacts } from '@market/contract';
import type { Answer } from '../data/answers.ts';
import { useFacts } from '../data/site-facts.ts';
import { ApiCalls, formatAmount } from '../ui/index.ts';
import { feeWords } from '../words.ts';
import { PayPanel, type PayPanelProps } from './pay-panel.tsx';

export interface OrderPayPanelProps {
  readonly view: Answer<'orders.get'>['data'];
  /** From `useOrderPay`, which lives as long as the page, so that closing a sheet interrupts no payment. */
  readonly pay: Omit<PayPanelProps, 'split' | 'children'>;
}

export function OrderPayPanel({ view, pay }: OrderPayPanelProps) {
  const { serviceName } = useFacts();
  const { order, money } = view;
  const isSubscription = order.price_type === 'weekly' || order.price_type === 'monthly';
  const split = [
    {
      label: `to ${order.provider_name}, ${isSubscription ? 'when the time is over' : 'when you accept'}`,
      value: formatAmount(money.provider_usd ?? '0'),
      kind: 'part' as const,
    },
    { label: feeWords(serviceName), value: formatAmount(money.fee_usd ?? '0'), kind: 'part' as const },
  ];
  return (
    <PayPanel {...pay} split={split}>
      <p className="note">
        Held in escrow after you pay.{' '}
        {isSubscription
          ? 'The workspace opens at once and runs for its period; nothing is charged again by itself.'
          : `Cancel before work starts and all ${formatAmount(order.quoted_price_usd ?? '0')} USDC comes back.`}
      </p>
      <ApiCalls
        calls={[
          {
            name: 'payments.prepare',
            args: { network: pay.choice.network, payer: pay.state.address ?? 'your wallet', amount_usd: order.quoted_price_usd ?? '0.00' },
            title: 'What to sign',
          },
          {
            name: 'orders.pay',
            args: {
              id: order.id,
              escrow_tx_hash: pay.state.reference ?? 'the transaction',
              payment_chain: networkFacts[pay.choice.network].chain,
            },
            title: 'Submit the payment',
          },
        ]}
      />
    </PayPanel>
  );
}
