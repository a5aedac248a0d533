import { useFacts } from '../../../../data/site-facts.ts';
import { Amount, Button, Hash, MoneyPanel, Panel, StatusChip, type SumLine } from '../../../../ui/index.ts';
import { feeWords, moneyWords, type ShownStatus } from '../../../../words.ts';
import { ActError } from '../next-step/act-error.tsx';
import { useOrderAct } from '../next-step/use-order-act.ts';
import type { Money, OrderView } from '../order-view.ts';
import { type SentenceParts, useSentenceParts } from '../sentence-parts.ts';
import { moneyRows, totalOf, unitOf } from './money-words.ts';
import { stageOf, stageWords, transferWords } from './transfer-words.ts';

/** Glyphs of the chip: held money is half full, refunded money plum, released money green. */
const chips: Readonly<Record<Money['state'], ShownStatus>> = {
  not_paid: 'accepted',
  held: 'paid',
  in_review: 'delivered',
  released: 'completed',
  refunded: 'refunded',
  split: 'completed',
  paid_at_hire: 'completed',
  reverted: 'disputed',
};

/** For money that left the order and has not arrived, the chip says where it is. */
function chipOf(money: Money): { readonly status: ShownStatus; readonly words: string } {
  const whole = { status: chips[money.state], words: moneyWords[money.state] };
  if (!['released', 'refunded', 'split', 'paid_at_hire'].includes(money.state)) return whole;
  const late = [money.payout, money.refund].find((transfer) => transfer !== null && stageOf(transfer) !== 'arrived');
  const transfer = late === undefined && money.payout === null && money.refund === null ? null : late;
  if (transfer === undefined) return whole;
  const name = money.state === 'refunded' || (transfer !== null && transfer === money.refund) ? 'Refund' : 'Payout';
  return { status: 'delivered', words: `${name} ${stageWords[stageOf(transfer)]}` };
}

export function OrderMoney({ view }: { readonly view: OrderView }) {
  const { serviceName } = useFacts();
  const format = useSentenceParts();
  const { order, money } = view;
  if (money.price_usd === null)
    return (
      <Panel title="Money" aside="No price yet">
        <p className="note">Nothing is paid before there is a price and the buyer agrees to it.</p>
      </Panel>
    );
  const chip = chipOf(money);
  const paid = Number(money.paid_usd) > 0;
  const usd = paid ? money.paid_usd : totalOf(money, order.kind);
  const rows = moneyRows(view, feeWords(serviceName, 'To'));
  const parts = rows.filter(({ kind }) => kind !== 'total').map(({ label, usd: part }) => ({ label, usd: part }));
  const lines: SumLine[] = rows.map(({ label, usd: part, kind }) => ({
    label,
    value: kind === 'total' ? <Amount usd={part} /> : <Amount usd={part} bare />,
    ...(kind !== undefined && { kind }),
  }));
  return (
    <MoneyPanel
      usd={usd}
      unit={unitOf(money)}
      chip={<StatusChip status={chip.status}>{chip.words}</StatusChip>}
      split={parts}
      lines={[...lines, ...transferLines(view, format)]}
    >
      {order.related_party === 1 ? (
        <p className="note">Buyer and provider are the same people; this order counts for nothing in public.</p>
      ) : null}
      {order.kind === 'bounty' ? <p className="note">From a bounty: the agent gets the whole budget, the 10% came on top of it.</p> : null}
      <StuckPayout view={view} />
    </MoneyPanel>
  );
}

function transferLines({ order, money, timeline, viewer_role }: OrderView, format: SentenceParts): SumLine[] {
  const payment = timeline.find(({ action }) => action === 'pay' || action === 'hire');
  const lines: SumLine[] = [];
  if (Number(money.held_usd) > 0)
    lines.push({ label: `If refunded, to ${viewer_role === 'buyer' ? 'you' : 'the buyer'}`, value: <Amount usd={money.held_usd} bare /> });
  if (order.escrow_tx_hash !== null)
    lines.push({ label: 'Payment', value: <Hash value={order.escrow_tx_hash} href={payment?.explorer_url} what="payment" /> });
  if (order.payer_address !== null) lines.push({ label: 'Paid from', value: <Hash value={order.payer_address} what="payer’s address" /> });
  for (const [name, transfer] of [
    ['Payout', money.payout],
    ['Refund', money.refund],
  ] as const) {
    if (transfer === null) continue;
    lines.push({ label: `${name} ${transferWords(transfer, format)}`, value: <Amount usd={transfer.amount_usd} bare /> });
    lines.push({ label: 'To', value: <Hash value={transfer.destination} what={`${name.toLowerCase()} address`} />, kind: 'part' });
    if (transfer.tx_hash !== null)
      lines.push({
        label: 'Transaction',
        value: <Hash value={transfer.tx_hash} href={transfer.explorer_url} what="transaction" />,
        kind: 'part',
      });
  }
  return lines;
}

/** Resends a payout that could not be delivered, to the agent's present address. */
function StuckPayout({ view }: { readonly view: OrderView }) {
  const step = useOrderAct();
  const format = useSentenceParts();
  const { money, order, viewer_role } = view;
  if (viewer_role !== 'seller' || money.payout?.state !== 'parked') return null;
  return (
    <div className="stack">
      <ActError error={step.error} />
      <Button
        kind="ink"
        wide
        busy={step.busy ? 'Sending it again' : undefined}
        onClick={() => void step.take('orders.requestPayoutRetry', { id: order.id }, 'The payout is sent again.')}
      >
        {`Send ${format.amount(money.payout.amount_usd)} again`}
      </Button>
      <p className="note">It goes to the payout address your agent has today.</p>
    </div>
  );
}
