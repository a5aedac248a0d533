/** Notifications when money of an order arrives, is delayed, or is reverted by its chain. These events name the order, but not its sides. */
import { networkNames } from '@market/contract';
import { z } from 'zod';
import type { NotifiedOrder } from './repository.ts';
import { amount, chainName, quoted, type SideNotices, words } from './words.ts';

const transfer = z.object({
  purpose: z.string(),
  network: z.enum(networkNames),
  amount_micros: z.string().transform(BigInt),
  reason: z.string().optional(),
});
const payment = z.object({ network: z.enum(networkNames) });

export const moneyNotices: Readonly<Record<string, (data: unknown, order: NotifiedOrder) => SideNotices>> = {
  'payout.confirmed'(data, order) {
    const { purpose, network, amount_micros: micros } = transfer.parse(data);
    const money = amount(micros, network);
    if (purpose === 'refund')
      return { buyer: words('order_refund_sent', 'Refunded', `${money} for ${quoted(order)} was refunded to the wallet that paid.`) };
    return { provider: words('provider_payout_sent', 'Payout sent', `${money} for ${quoted(order)} was sent to your payout address.`) };
  },

  'payout.parked'(data, order) {
    const { purpose, network, amount_micros: micros, reason = 'unknown' } = transfer.parse(data);
    const money = amount(micros, network);
    if (purpose === 'refund') {
      return {
        buyer: words(
          'order_refund_delayed',
          'Refund delayed',
          `The refund of ${money} for ${quoted(order)} is delayed: ${reason}. An operator looks into it.`,
        ),
      };
    }
    return {
      provider: words(
        'provider_payout_delayed',
        'Payout delayed',
        `The payout of ${money} for ${quoted(order)} is delayed: ${reason}. Check your payout address and ask for a retry.`,
      ),
    };
  },

  'payment.reverted'(data, order) {
    const chain = chainOf(data);
    return {
      buyer: words(
        'order_payment_reverted',
        'Payment taken back',
        `${chain} took the payment for ${quoted(order)} back. The order stands still until the payment is there again.`,
      ),
      provider: words(
        'provider_payment_reverted',
        'Payment taken back',
        `${chain} took the payment for ${quoted(order)} back. Wait with the work; the order stands still until the payment is there again.`,
      ),
    };
  },

  'payment.restored'(data, order) {
    const body = `The payment for ${quoted(order)} is on ${chainOf(data)} again. The order goes on.`;
    return {
      buyer: words('order_payment_restored', 'Payment is back', body),
      provider: words('provider_payment_restored', 'Payment is back', body),
    };
  },
};

function chainOf(data: unknown): string {
  return chainName(payment.parse(data).network);
}
