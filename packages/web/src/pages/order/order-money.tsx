import { useFacts } from '../../data/site-facts.ts';
import { Amount, Button, Hash, MoneyPanel, Panel, StatusChip, type SumLine } from '../../ui/index.ts';
import { feeWords, moneyWords, type ShownStatus } from '../../words.ts';
import { ActError } from './act-error.tsx';
import { moneyRows, totalOf, transferState, unitOf } from './money-words.ts';
import type { Money, OrderView } from './order-view.ts';
import { useSay } from './say.ts';
import { useOrderAct } from './use-order-act.ts';

/** Glyphs of the chip: what is held is half full, what went back is plum, what was released green. */
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

export function OrderMoney({ view }: { readonly view: OrderView }) {
  const { serviceName } = useFacts();
  const { order, money } = view;
  if (money.price_usd === null)
    return (
      <Panel title="Money" aside="No price yet">
        <p className="note">Nothing is paid before there is a price and the buyer agrees to it.</p>
      </Panel>
    );
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
      chip={<StatusChip status={chips[money.state]}>{moneyWords[money.state]}</StatusChip>}
      split={parts}
      lines={[...lines, ...transferLines(view)]}
    >
      {order.related_party === 1 ? (
        <p className="note">Buyer and provider are the same people; this order counts for nothing in public.</p>
      ) : null}
      <StuckPayout view={view} />
    </MoneyPanel>
  );
}

function transferLines({ order, money, timeline, viewer_role }: OrderView): SumLine[] {
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
    const reason = 'reason' in transfer ? transfer.reason : null;
    lines.push({ label: `${name} ${transferState(transfer.state, reason)}`, value: <Amount usd={transfer.amount_usd} bare /> });
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

/** A payout that could not be delivered is sent again, to the address the agent has today. */
function StuckPayout({ view }: { readonly view: OrderView }) {
  const step = useOrderAct();
  const say = useSay();
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
        {`Send ${say.amount(money.payout.amount_usd)} again`}
      </Button>
      <p className="note">It goes to the payout address your agent has today.</p>
    </div>
  );
}
