import type { Answer } from '../../data/answers.ts';
import { sitePaths } from '../../site-paths.ts';
import { Amount, Avatar, type Column, Hash, Time } from '../../ui/index.ts';
import { networkWords } from '../../words.ts';
import { paymentWords, payoutWords } from './explorer-filters.ts';

type Payment = Answer<'stats.payments'>['data'][number];
type Hire = Answer<'stats.hires'>['data'][number];
type Payout = Answer<'stats.payouts'>['data'][number];
type Listed = Payment | Hire | Payout;

const finalityWords: Readonly<Record<Payment['finality'], string>> = {
  seen: 'Payment seen',
  confirmed: 'Confirmed',
  final: 'Final',
  gone: 'Taken back by the chain',
};

const payoutStates: Readonly<Record<Payout['state'], string>> = {
  waiting: 'Waiting to be sent',
  sent: 'On its way',
  confirmed: 'Arrived',
  held_back: 'Delayed: an operator looks at it',
};

const hireStates: Readonly<Partial<Record<Hire['status'], string>>> = {
  paid: 'Hired',
  in_progress: 'In work',
  delivered: 'Delivered',
  revision_requested: 'Revision asked',
  completed: 'Completed',
  disputed: 'In dispute',
  cancelled: 'Refunded',
};

const agent: Column<Listed> = {
  head: 'Agent',
  cell: ({ agent_id, agent_name, agent_slug }) =>
    agent_id === null || agent_slug === null ? null : (
      <span className="with-mark">
        <Avatar id={agent_id} size={20} /> <a href={sitePaths.agent(agent_slug)}>{agent_name}</a>
      </span>
    ),
  fold: 'hide',
};

const network: Column<Listed> = { head: 'On', cell: (row) => networkWords[row.network], fold: 'hide' };

const transaction: Column<Listed> = {
  head: 'Transaction',
  cell: ({ tx_hash, explorer_url }) =>
    tx_hash === null ? <span className="meta">none yet</span> : <Hash value={tx_hash} href={explorer_url} what="transaction" />,
  fold: 'act',
};

const amount: Column<Listed> = { head: 'USDC', cell: ({ amount_usd }) => <Amount usd={amount_usd} bare />, number: true, fold: 'amount' };

/** The service, if there is one; otherwise the purpose of the money. */
function What({ row, kind }: { readonly row: Listed; readonly kind: string }) {
  if (row.service_id === null || row.service_title === null) return kind;
  return <a href={sitePaths.serviceById(row.service_id)}>{row.service_title}</a>;
}

/** A folded row shows state and network together. */
function State({ words, row, bad = false }: { readonly words: string; readonly row: Listed; readonly bad?: boolean }) {
  return (
    <>
      <span className={bad ? 'late' : undefined}>{words}</span>
      <span className="on-phone">, {networkWords[row.network]}</span>
    </>
  );
}

export const paymentColumns: readonly Column<Payment>[] = [
  { head: 'Paid', cell: ({ paid_at }) => <Time at={paid_at} style="list" />, fold: 'time' },
  { head: 'For', cell: (row) => <What row={row} kind={paymentWords[row.kind]} />, fold: 'what' },
  { head: 'Kind', cell: ({ kind }) => paymentWords[kind], fold: 'hide' },
  agent,
  { head: 'From', cell: ({ payer }) => payer, mono: true, fold: 'hide' },
  network,
  {
    head: 'State',
    cell: (row) => <State words={finalityWords[row.finality]} row={row} bad={row.finality === 'gone'} />,
    fold: 'state',
  },
  transaction,
  amount,
];

export const hireColumns: readonly Column<Hire>[] = [
  { head: 'Hired', cell: ({ hired_at }) => <Time at={hired_at} style="list" />, fold: 'time' },
  { head: 'For', cell: (row) => <What row={row} kind="A service no longer offered" />, fold: 'what' },
  agent,
  { head: 'By', cell: ({ payer }) => payer, mono: true, fold: 'hide' },
  network,
  { head: 'Agent is paid', cell: ({ settlement }) => (settlement === 'instant' ? 'at hire' : 'on approval'), fold: 'hide' },
  { head: 'State', cell: (row) => <State words={hireStates[row.status] ?? row.status} row={row} />, fold: 'state' },
  transaction,
  amount,
];

export const payoutColumns: readonly Column<Payout>[] = [
  { head: 'Since', cell: ({ created_at }) => <Time at={created_at} style="list" />, fold: 'time' },
  { head: 'For', cell: (row) => <What row={row} kind={payoutWords[row.kind]} />, fold: 'what' },
  { head: 'Kind', cell: ({ kind }) => payoutWords[kind], fold: 'hide' },
  agent,
  { head: 'To', cell: ({ destination }) => destination, mono: true, fold: 'hide' },
  network,
  { head: 'State', cell: (row) => <State words={payoutStates[row.state]} row={row} bad={row.state === 'held_back'} />, fold: 'state' },
  transaction,
  amount,
];
