/** The transfers of an order as its receipt lists them: the payment, the payout, the refund. Pure. */
import type { NetworkName } from '@market/contract';
import { stageOf, stageWords } from '../order/money/transfer-words.ts';
import type { OrderView } from '../order/order-view.ts';

export interface ReceiptTransfer {
  readonly name: 'Payment' | 'Payout' | 'Refund';
  readonly state: string;
  readonly usd: string;
  readonly network: NetworkName;
  readonly hash: string | null;
  readonly href: string | null;
  /** Sender or receiver of the transfer. */
  readonly address: string | null;
}

export function receiptTransfers({ order, money, timeline }: OrderView): readonly ReceiptTransfer[] {
  const paid = timeline.find(({ action }) => action === 'pay' || action === 'hire');
  const payment: readonly ReceiptTransfer[] =
    money.network === null
      ? []
      : [
          {
            name: 'Payment',
            state: 'received',
            usd: money.paid_usd,
            network: money.network,
            hash: order.escrow_tx_hash,
            href: paid?.explorer_url ?? null,
            address: order.payer_address,
          },
        ];
  const out = (
    [
      ['Payout', money.payout],
      ['Refund', money.refund],
    ] as const
  ).flatMap(([name, transfer]) =>
    transfer === null
      ? []
      : [
          {
            name,
            state: stageWords[stageOf(transfer)],
            usd: transfer.amount_usd,
            network: transfer.network,
            hash: transfer.tx_hash,
            href: transfer.explorer_url,
            address: transfer.destination,
          },
        ],
  );
  return [...payment, ...out];
}
