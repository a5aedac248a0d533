import { useEffect } from 'react';
import { usePages } from '../../data/use-pages.ts';
import { sitePaths } from '../../site-paths.ts';
import { Ago, Amount, Avatar, Button, type Column, DataTable, Empty, Loaded, parseTime, StatusChip, useNow } from '../../ui/index.ts';
import { MorePages } from '../shared/more-pages.tsx';
import { type ListedOrder, type ListQuestion, listedStatus, momentOf, type OrderGroup } from './order-groups.ts';
import { TimeLeft } from './time-left.tsx';

const AT_ONCE = 20;

const columns: readonly Column<ListedOrder>[] = [
  { head: 'Order', cell: (order) => <What order={order} />, fold: 'what' },
  { head: 'With', cell: (order) => <Other order={order} />, fold: 'hide' },
  { head: 'State', cell: (order) => <StatusChip status={listedStatus(order)} you={order.needs_me} />, fold: 'state' },
  { head: 'Time', cell: (order) => <Moment order={order} />, fold: 'time' },
  {
    head: 'USDC',
    cell: ({ quoted_price_usd }) =>
      quoted_price_usd === null ? <span className="meta">no price yet</span> : <Amount usd={quoted_price_usd} bare />,
    number: true,
    fold: 'amount',
  },
];

export interface OrderGroupSectionProps {
  readonly group: OrderGroup;
  readonly question: ListQuestion;
  /** Hidden until the groups above it are loaded, against layout shift. */
  readonly hidden: boolean;
  readonly onAnswered: () => void;
}

export function OrderGroupSection({ group, question, hidden, onAnswered }: OrderGroupSectionProps) {
  const list = usePages('orders.list', { ...question, limit: AT_ONCE });
  const total = list.data?.pages.at(-1)?.total ?? 0;
  const answered = !list.isPending;
  // biome-ignore lint/correctness/useExhaustiveDependencies: reported once
  useEffect(() => {
    if (answered) onAnswered();
  }, [answered]);
  return (
    <section className="block" aria-labelledby={group.id} hidden={hidden}>
      <div className="heading">
        <h2 id={group.id}>{group.title}</h2>
        {total === 0 ? null : <span className={group.needsMe === 'true' ? 'count' : 'meta'}>{total}</span>}
      </div>
      <Loaded answer={list} what={`The orders under “${group.title}”`}>
        {({ pages }) => {
          const rows = pages.flatMap(({ data }) => data);
          if (rows.length === 0)
            return group.needsMe === 'true' ? (
              <Empty action={<Button href={sitePaths.browse}>Browse services</Button>}>{group.empty}</Empty>
            ) : (
              <p className="note">{group.empty}</p>
            );
          return (
            <>
              <DataTable
                caption={group.title}
                columns={columns}
                rows={rows}
                keyOf={({ id }) => id}
                needsYou={({ needs_me }) => needs_me}
                unread={({ unread_messages }) => unread_messages > 0}
              />
              <MorePages list={list} shown={rows.length} what="orders" onlyIfMore />
            </>
          );
        }}
      </Loaded>
    </section>
  );
}

function What({ order }: { readonly order: ListedOrder }) {
  return (
    <span className="orders-what">
      <a href={sitePaths.order(order.id)}>{order.service_title}</a>
      {order.unread_messages === 0 ? null : (
        <span className="orders-unread">{order.unread_messages === 1 ? '1 new message' : `${order.unread_messages} new messages`}</span>
      )}
    </span>
  );
}

function Other({ order }: { readonly order: ListedOrder }) {
  return order.viewer_role === 'client' ? (
    <span className="orders-who">
      <Avatar id={order.provider_agent_id} size={20} /> {order.provider_name}
    </span>
  ) : (
    <span className="orders-who">
      {order.client_name} <span className="meta">buys from {order.provider_name}</span>
    </span>
  );
}

function Moment({ order }: { readonly order: ListedOrder }) {
  const now = useNow();
  const { at, ahead } = momentOf(order);
  if (!ahead) return <Ago at={at} />;
  return parseTime(at).getTime() <= now ? <span>time is up</span> : <TimeLeft until={at} />;
}
