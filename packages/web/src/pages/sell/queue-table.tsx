import { asAgent, sitePaths } from '../../site-paths.ts';
import {
  Ago,
  Amount,
  Button,
  type Column,
  DataTable,
  formatDuration,
  parseTime,
  StatusChip,
  shorten,
  Time,
  useNow,
} from '../../ui/index.ts';
import { useOrderAct } from '../orders/order/next-step/use-order-act.ts';
import { type SentenceParts, useSentenceParts } from '../orders/order/sentence-parts.ts';
import { listedStatus } from '../orders/order-groups.ts';
import { actWords, dueAt, nextAct, type QueueOrder, sellersWords, silenceCost, yourPart } from './queue.ts';

export interface QueueTableProps {
  readonly caption: string;
  readonly orders: readonly QueueOrder[];
  /** Shows the agent of each order, for lists of several agents. */
  readonly severalAgents: boolean;
  /** Opens the form of an order; without it, rows only link to the order. */
  readonly onAct?: (order: QueueOrder) => void;
}

export function QueueTable({ caption, orders, severalAgents, onAct }: QueueTableProps) {
  const format = useSentenceParts();
  return (
    <DataTable
      caption={caption}
      columns={columnsOf(format, severalAgents, orders.every(hasEnded), onAct)}
      rows={orders}
      keyOf={({ id }) => id}
      needsYou={({ needs_me }) => needs_me}
      unread={({ unread_messages }) => unread_messages > 0}
    />
  );
}

function hasEnded({ status }: QueueOrder): boolean {
  return status === 'completed' || status === 'cancelled';
}

function columnsOf(
  format: SentenceParts,
  severalAgents: boolean,
  ended: boolean,
  onAct: QueueTableProps['onAct'],
): readonly Column<QueueOrder>[] {
  return [
    { head: ended ? 'Ended' : 'Due', cell: (order) => <Due order={order} />, mono: true, fold: 'time' },
    { head: 'Work', cell: (order) => <Work order={order} format={format} />, fold: 'what' },
    ...(severalAgents
      ? [
          {
            head: 'Agent',
            cell: ({ provider_name, provider_slug }: QueueOrder) => <a href={asAgent(sitePaths.sell, provider_slug)}>{provider_name}</a>,
            fold: 'hide' as const,
          },
        ]
      : []),
    {
      head: 'State',
      cell: (order) => (
        <StatusChip status={listedStatus(order)} you={order.needs_me}>
          {sellersWords(order)}
        </StatusChip>
      ),
      fold: 'state',
    },
    { head: 'Buyer', cell: (order) => <Buyer order={order} />, fold: 'hide' },
    {
      head: 'You receive',
      cell: (order) => <YouReceive order={order} />,
      number: true,
      fold: 'amount',
    },
    { head: 'Do next', cell: (order) => <DoNext order={order} onAct={onAct} />, fold: 'act' },
  ];
}

function Due({ order }: { readonly order: QueueOrder }) {
  const now = useNow();
  const at = dueAt(order);
  if (hasEnded(order)) return <Ago at={order.updated_at} />;
  if (at === null) return <span className="sell-no-clock">no clock</span>;
  const left = parseTime(at).getTime() - now;
  const late = left < 0 && order.status !== 'delivered';
  return (
    <span className={late ? 'late' : undefined}>
      {formatDuration(Math.abs(left))}
      {late ? ' late' : ''}
      <span className="visually-hidden">
        {late ? ', was due ' : ' left, due '}
        <Time at={at} />
      </span>
    </span>
  );
}

function Work({ order, format }: { readonly order: QueueOrder; readonly format: SentenceParts }) {
  return (
    <span className="sell-work">
      <span>
        <a href={sitePaths.order(order.id)}>{order.service_title}</a>
        {order.unread_messages === 0 ? null : (
          <span className="sell-unread">{order.unread_messages === 1 ? '1 new message' : `${order.unread_messages} new messages`}</span>
        )}
      </span>
      <span className="meta">{silenceCost(order, format)}</span>
    </span>
  );
}

function Buyer({ order }: { readonly order: QueueOrder }) {
  return order.kind === 'machine' ? `x402, ${shorten(order.payer_address ?? order.client_name)}` : order.client_name;
}

function YouReceive({ order }: { readonly order: QueueOrder }) {
  const part = yourPart(order);
  if (order.status === 'cancelled') return <span className="sell-no-clock">nothing</span>;
  return part === null ? <span className="sell-no-clock">not set</span> : <Amount usd={part} bare />;
}

function DoNext({ order, onAct }: { readonly order: QueueOrder; readonly onAct: QueueTableProps['onAct'] }) {
  const act = nextAct(order);
  const label = `${actWords[act]}: ${order.service_title}`;
  if (act === 'start') return <StartButton order={order} label={label} />;
  if ((act === 'quote' || act === 'deliver') && onAct !== undefined)
    return (
      <Button size="small" kind="ink" label={label} onClick={() => onAct(order)}>
        {actWords[act]}
      </Button>
    );
  return (
    <Button
      size="small"
      kind={act === 'open' ? 'plain' : 'ink'}
      label={label}
      href={act === 'answer' ? sitePaths.workspace(order.id) : sitePaths.order(order.id)}
    >
      {actWords[act]}
    </Button>
  );
}

/** Starting needs no input. A refusal is shown on the order page. */
function StartButton({ order, label }: { readonly order: QueueOrder; readonly label: string }) {
  const step = useOrderAct();
  if (step.error !== null)
    return (
      <span className="sell-refused" role="alert">
        {step.error.message} <a href={sitePaths.order(order.id)}>Open the order</a>
      </span>
    );
  return (
    <Button
      size="small"
      kind="ink"
      label={label}
      busy={step.busy ? 'Starting' : undefined}
      onClick={() => void step.take('orders.start', { id: order.id }, `Started. ${order.client_name} is notified.`)}
    >
      {actWords.start}
    </Button>
  );
}
