import type { ReactNode } from 'react';
import { sitePaths } from '../../../site-paths.ts';
import { type Column, classNames, DataTable, shorten, Time } from '../../../ui/index.ts';
import type { Delivery } from '../agent-standing.ts';
import { DeliveryDetail } from './delivery-detail.tsx';
import { noteOf, stateWords, tookWords } from './delivery-words.ts';
import { RedeliverButton } from './redeliver-button.tsx';

export interface DeliveryTableProps {
  readonly agent: string;
  readonly rows: readonly Delivery[];
  readonly open: ReadonlySet<string>;
  readonly onToggle: (deliveryId: string) => void;
}

export function DeliveryTable({ agent, rows, open, onToggle }: DeliveryTableProps) {
  const columns: readonly Column<Delivery>[] = [
    {
      head: 'Event',
      cell: ({ delivery_id, event }) => (
        <Expander open={open.has(delivery_id)} onToggle={() => onToggle(delivery_id)}>
          {event}
        </Expander>
      ),
      fold: 'what',
    },
    { head: 'Time', cell: ({ created_at }) => <Time at={created_at} style="list" />, fold: 'time' },
    { head: 'Order', cell: ({ order_id }) => (order_id === null ? '' : <OrderLink id={order_id} />), mono: true, fold: 'hide' },
    {
      head: 'State',
      cell: (delivery) => <b className={classNames(delivery.state === 'failed' && 'late', 'plain-state')}>{stateWords[delivery.state]}</b>,
      fold: 'state',
    },
    { head: 'Answer', cell: (delivery) => <ResponseCode delivery={delivery} />, fold: 'hide' },
    { head: 'Took', cell: ({ attempts }) => tookOf(attempts.at(-1)), mono: true, fold: 'amount' },
    { head: 'Tries', cell: ({ attempts }) => attempts.length, number: true, fold: 'hide' },
    { head: 'Note', cell: (delivery) => <span className="meta">{noteOf(delivery)}</span>, fold: 'hide' },
    { head: 'Again', cell: (delivery) => <RedeliverButton delivery={delivery} agent={agent} terse />, fold: 'hide' },
  ];
  return (
    <DataTable
      caption="Webhook deliveries, newest first"
      columns={columns}
      rows={rows}
      keyOf={({ delivery_id }) => delivery_id}
      detail={(delivery) => (open.has(delivery.delivery_id) ? <DeliveryDetail agent={agent} delivery={delivery} /> : null)}
    />
  );
}

function Expander({ open, onToggle, children }: { readonly open: boolean; readonly onToggle: () => void; readonly children: ReactNode }) {
  return (
    <button className="expander mono" type="button" aria-expanded={open} onClick={onToggle}>
      {children}
    </button>
  );
}

function OrderLink({ id }: { readonly id: string }) {
  return (
    <a href={sitePaths.order(id)} title={id}>
      {shorten(id)}
    </a>
  );
}

function ResponseCode({ delivery: { attempts } }: { readonly delivery: Delivery }) {
  const last = attempts.at(-1);
  if (last === undefined) return null;
  return <span className={classNames('response-code', last.error === null ? 'success' : 'failure')}>{last.status ?? 'none'}</span>;
}

function tookOf(attempt: Delivery['attempts'][number] | undefined): string {
  return attempt === undefined ? '' : tookWords(attempt.duration_ms);
}
