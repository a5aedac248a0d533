/** The state of an order's money in words: the line of four steps, the sum, and the transfers. */
import { formatUsd, parseUsd } from '@market/contract';
import type { MoneyLineProps } from '../../../../ui/money/money-line.tsx';
import { networkWords } from '../../../../words.ts';
import type { Money, OrderView } from '../order-view.ts';
import type { SentenceParts } from '../sentence-parts.ts';
import { stageOf, type Transfer, transferWords } from './transfer-words.ts';

type LineWords = Pick<MoneyLineProps, 'at' | 'over' | 'names' | 'details'>;

/** A unit like `USDC on Base`; before payment the network is unknown. */
export function unitOf({ network }: Pick<Money, 'network'>): string {
  return network === null ? 'USDC' : `USDC on ${networkWords[network]}`;
}

export function moneyLine(view: OrderView, format: SentenceParts): LineWords {
  const { order, money } = view;
  const paid = `${format.amount(money.paid_usd)}${money.network === null ? '' : ` on ${networkWords[money.network]}`}`;
  const since = order.paid_at === null ? undefined : `since ${format.time(order.paid_at)}`;
  switch (money.state) {
    case 'not_paid':
      return { at: undefined, details: { paid: unpaidWords(view, format) } };
    case 'held':
      return held(view, format, { paid, ...(since !== undefined && { held: since }) });
    case 'in_review': {
      const until = order.review_deadline === null ? undefined : `until ${format.time(order.review_deadline)}`;
      return {
        at: 'in_review',
        details: {
          paid,
          ...(since !== undefined && { held: since }),
          ...(until !== undefined && { in_review: until }),
          released: view.viewer_role === 'buyer' ? 'when you accept' : 'when the buyer accepts',
        },
      };
    }
    case 'released':
      return {
        ...leaving([money.payout]),
        details: {
          paid,
          released: `${format.amount(money.released_usd)} to ${order.provider_name}, ${transferWords(money.payout, format)}`,
        },
      };
    case 'refunded':
      return {
        ...leaving([money.refund]),
        names: { released: stageOf(money.refund) === 'arrived' ? 'Refunded' : 'Refund' },
        details: {
          paid,
          ...(order.delivered_at === null && { in_review: 'not reached' }),
          released: `${format.amount(money.refunded_usd)} to the buyer, ${transferWords(money.refund, format)}`,
        },
      };
    case 'split':
      return {
        ...leaving([money.payout, money.refund]),
        names: { released: 'Split' },
        details: {
          paid,
          released: `${format.amount(money.released_usd)} to ${order.provider_name}, ${transferWords(money.payout, format)}; ${format.amount(money.refunded_usd)} to the buyer, ${transferWords(money.refund, format)}`,
        },
      };
    case 'paid_at_hire':
      return {
        ...leaving([money.payout]),
        names: { held: 'Not held', released: 'Released at hire' },
        details: {
          paid,
          released: `${format.amount(money.released_usd)} to ${order.provider_name}, ${transferWords(money.payout, format)}`,
        },
      };
    case 'reverted':
      return { at: 'paid', names: { paid: 'Payment taken back' }, details: { paid: 'by the chain' } };
  }
}

/** The last step is complete only when the money has arrived. */
function leaving(transfers: readonly (Transfer | null)[]): Pick<LineWords, 'at' | 'over'> {
  return { at: 'released', over: transfers.every((transfer) => stageOf(transfer) === 'arrived') };
}

function unpaidWords({ order, money }: OrderView, format: SentenceParts): string {
  if (order.status === 'cancelled') return 'nothing was paid';
  return money.price_usd === null ? 'no price yet' : `${format.amount(totalOf(money, order.kind))} to pay`;
}

/** Held money waits for work, for a revision, or for a ruling. */
function held({ order }: OrderView, format: SentenceParts, details: NonNullable<LineWords['details']>): LineWords {
  if (order.status === 'disputed')
    return { at: 'in_review', names: { in_review: 'In dispute' }, details: { ...details, in_review: 'until it is ruled' } };
  if (order.status === 'revision_requested' && order.revision_deadline !== null)
    return {
      at: 'in_review',
      names: { in_review: 'In revision' },
      details: { ...details, in_review: `until ${format.time(order.revision_deadline)}` },
    };
  return { at: 'held', details };
}

const micros = (usd: string | null): bigint => parseUsd(usd ?? '0') ?? 0n;

/** The amount that the buyer pays. A standard price includes the fee; machines and bounty posters pay it on top. */
export function totalOf(money: Money, kind: OrderView['order']['kind']): string {
  return kind === 'standard' ? (money.price_usd ?? '0') : formatUsd(micros(money.price_usd) + micros(money.fee_usd));
}

export interface MoneyRow {
  readonly label: string;
  readonly usd: string;
  readonly kind?: 'total' | 'part';
}

/** The sum as agreed, or as split once the money has moved. The parts always add up to the total. */
export function moneyRows({ order, money, viewer_role }: OrderView, feeName: string): readonly MoneyRow[] {
  const to = viewer_role === 'seller' ? 'you' : order.provider_name;
  const buyer = viewer_role === 'buyer' ? 'you' : 'the buyer';
  const paid = micros(money.paid_usd);
  const totalLabel = paid === 0n ? 'To pay' : viewer_role === 'buyer' ? 'You paid' : 'The buyer paid';
  const [released, refunded, surplus] = [micros(money.released_usd), micros(money.refunded_usd), micros(money.surplus_usd)];
  const surplusRows: readonly MoneyRow[] = surplus === 0n ? [] : [{ label: 'Paid too much', usd: money.surplus_usd }];
  if (released === 0n && refunded === 0n)
    return [
      { label: `To ${to} when released`, usd: money.provider_usd ?? '0' },
      { label: feeName, usd: money.fee_usd ?? '0' },
      ...surplusRows,
      { label: totalLabel, usd: paid === 0n ? totalOf(money, order.kind) : money.paid_usd, kind: 'total' },
    ];
  const fee = paid - released - refunded - surplus - micros(money.held_usd);
  return [
    ...(released === 0n ? [] : [{ label: `To ${to}`, usd: money.released_usd }]),
    ...(refunded === 0n ? [] : [{ label: `Back to ${buyer}`, usd: money.refunded_usd }]),
    ...(fee === 0n ? [] : [{ label: feeName, usd: formatUsd(fee) }]),
    ...surplusRows,
    { label: totalLabel, usd: money.paid_usd, kind: 'total' },
  ];
}
