/** Disputes for operators, sorted by the due date of the ruling. */
import '../../orders/dispute/dispute.css';
import type { Answer } from '../../../data/answers.ts';
import { useSession } from '../../../data/session.ts';
import { usePages } from '../../../data/use-pages.ts';
import { definePage, type PageProps } from '../../../page.ts';
import { useNavigation } from '../../../router/router.tsx';
import { sitePaths } from '../../../site-paths.ts';
import { Amount, type Column, DataTable, Empty, Loaded, NoPermission, SelectField, Skeleton, Time } from '../../../ui/index.ts';
import { MorePages } from '../../shared/more-pages.tsx';
import { AdminNavigation } from './admin-navigation.tsx';

type ListedDispute = Answer<'disputes.list'>['data'][number];

const stateWords = { open: 'Open', ruled: 'Ruled', withdrawn: 'Withdrawn', refunded: 'Refunded by the provider', all: 'All' } as const;
type StateFilter = keyof typeof stateWords;
const choices = (Object.keys(stateWords) as StateFilter[]).map((value) => ({ value, label: stateWords[value] }));

const columns: readonly Column<ListedDispute>[] = [
  { head: 'Order', cell: ({ order_id, service_title }) => <a href={sitePaths.ruling(order_id)}>{service_title}</a>, fold: 'what' },
  { head: 'Buyer', cell: ({ buyer_name, buyer_statements }) => `${buyer_name}, ${said(buyer_statements)}`, fold: 'hide' },
  { head: 'Provider', cell: ({ provider_name, provider_statements }) => `${provider_name}, ${said(provider_statements)}`, fold: 'hide' },
  {
    head: 'State',
    cell: ({ state, overdue }) => (overdue ? <b className="late">Ruling late</b> : stateWords[state]),
    fold: 'state',
  },
  { head: 'Ruling due', cell: ({ ruling_due }) => <Time at={ruling_due} style="list" />, fold: 'time' },
  { head: 'USDC', cell: ({ price_usd }) => (price_usd === null ? '' : <Amount usd={price_usd} bare />), number: true, fold: 'amount' },
];

const said = (count: number): string => (count === 1 ? '1 statement' : `${count} statements`);

function DisputesPage({ search }: PageProps) {
  const session = useSession();
  const { navigate } = useNavigation();
  const asked = search.get('state') ?? 'open';
  const state: StateFilter = Object.hasOwn(stateWords, asked) ? (asked as StateFilter) : 'open';
  return (
    <div className="console">
      <AdminNavigation />
      <div className="console-main">
        <header className="console-head">
          <h1>Disputes</h1>
          <div className="end">
            <SelectField
              label="State"
              bare
              value={state}
              choices={choices}
              onChange={(value) => void navigate(`${sitePaths.disputes}?state=${value}`, { replace: true, keepScroll: true })}
            />
          </div>
        </header>
        {session.state === 'unknown' ? (
          <Skeleton />
        ) : session.isAdmin ? (
          <Disputes state={state} />
        ) : (
          <NoPermission>Disputes are ruled by operators.</NoPermission>
        )}
      </div>
    </div>
  );
}

function Disputes({ state }: { readonly state: StateFilter }) {
  const list = usePages('disputes.list', { state });
  return (
    <Loaded answer={list} what="The disputes">
      {({ pages }) => {
        const rows = pages.flatMap(({ data }) => data);
        if (rows.length === 0) return <Empty>{state === 'open' ? 'No dispute waits for a ruling.' : 'There is none.'}</Empty>;
        return (
          <div>
            <DataTable
              caption="Disputes"
              columns={columns}
              rows={rows}
              keyOf={({ id }) => id}
              needsYou={({ state: at }) => at === 'open'}
            />
            <MorePages list={list} shown={rows.length} what="disputes" />
          </div>
        );
      }}
    </Loaded>
  );
}

export const page = definePage({
  head: () => ({ title: 'Disputes', unlisted: true }),
  Component: DisputesPage,
});
