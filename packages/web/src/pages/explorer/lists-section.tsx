/** Every payment, hire and payout, each with its transaction. Views are links, so they work without scripts and can be saved. */
import type { OperationName } from '@market/contract';
import { useAnswer } from '../../data/answers.ts';
import { useFacts } from '../../data/site-facts.ts';
import { ApiCalls, Button, type Column, DataTable, Empty, Loaded, type LoadedProps, Skeleton } from '../../ui/index.ts';
import { networkWords } from '../../words.ts';
import { addressOf, argumentsOf, type ExplorerFilters, type ExplorerList, kindsOf, LISTS, listWords } from './explorer-filters.ts';
import { hireColumns, paymentColumns, payoutColumns } from './list-columns.tsx';

/** The first page updates automatically. */
const POLL_MS = 20_000;

const operations = { payments: 'stats.payments', hires: 'stats.hires', payouts: 'stats.payouts' } as const satisfies Record<
  ExplorerList,
  OperationName
>;

export function ListsSection({ filters }: { readonly filters: ExplorerFilters }) {
  return (
    <section className="block" id={LISTS} aria-label="Payments, hires and payouts">
      <nav className="views" aria-label="What to list">
        {(Object.keys(listWords) as ExplorerList[]).map((list) => (
          <a key={list} href={addressOf(filters, { list })} aria-current={list === filters.list ? 'page' : undefined}>
            {listWords[list]}
          </a>
        ))}
      </nav>
      <Narrowing filters={filters} />
      <h2 className="visually-hidden">{listWords[filters.list]}</h2>
      {filters.list === 'payments' ? <Payments filters={filters} /> : null}
      {filters.list === 'hires' ? <Hires filters={filters} /> : null}
      {filters.list === 'payouts' ? <Payouts filters={filters} /> : null}
      <ApiCalls calls={[{ name: operations[filters.list], args: argumentsOf(filters) }]} />
    </section>
  );
}

function Narrowing({ filters }: { readonly filters: ExplorerFilters }) {
  const { networks } = useFacts();
  const kinds = Object.entries(kindsOf(filters.list));
  return (
    <div className="narrow">
      <Choices
        label="Network"
        choices={[
          { name: 'All networks', href: addressOf(filters, { network: undefined }), chosen: filters.network === undefined },
          ...networks.map((network) => ({
            name: networkWords[network],
            href: addressOf(filters, { network }),
            chosen: filters.network === network,
          })),
        ]}
      />
      {kinds.length === 0 ? null : (
        <Choices
          label="Kind"
          choices={[
            { name: 'Every kind', href: addressOf(filters, { kind: undefined }), chosen: filters.kind === undefined },
            ...kinds.map(([kind, name]) => ({ name, href: addressOf(filters, { kind }), chosen: filters.kind === kind })),
          ]}
        />
      )}
    </div>
  );
}

interface ChoicesProps {
  readonly label: string;
  readonly choices: readonly { readonly name: string; readonly href: string; readonly chosen: boolean }[];
}

function Choices({ label, choices }: ChoicesProps) {
  return (
    <nav aria-label={label}>
      {choices.map(({ name, href, chosen }) => (
        <a key={name} href={href} aria-current={chosen ? 'true' : undefined}>
          {name}
        </a>
      ))}
    </nav>
  );
}

interface ListProps {
  readonly filters: ExplorerFilters;
}

const options = ({ cursor }: ExplorerFilters) => ({ keepPrevious: true, ...(cursor === undefined && { everyMs: POLL_MS }) });

function Payments({ filters }: ListProps) {
  const answer = useAnswer('stats.payments', argumentsOf(filters), options(filters));
  return (
    <Listing
      {...{ filters, answer }}
      columns={paymentColumns}
      keyOf={({ network, tx_hash, order_id, paid_at }) => `${network} ${tx_hash} ${order_id} ${paid_at}`}
      nothing="No payment of this kind yet."
    />
  );
}

function Hires({ filters }: ListProps) {
  const answer = useAnswer('stats.hires', argumentsOf({ ...filters, kind: undefined }), options(filters));
  return (
    <Listing
      {...{ filters, answer }}
      columns={hireColumns}
      keyOf={({ order_id, hired_at }) => `${order_id} ${hired_at}`}
      nothing="No machine has hired here yet."
    />
  );
}

function Payouts({ filters }: ListProps) {
  const answer = useAnswer('stats.payouts', argumentsOf(filters), options(filters));
  return (
    <Listing
      {...{ filters, answer }}
      columns={payoutColumns}
      keyOf={({ created_at, order_id, kind, destination, amount_usd }) => `${created_at} ${order_id} ${kind} ${destination} ${amount_usd}`}
      nothing="Nothing was sent yet that fits."
    />
  );
}

interface ListingProps<Row> extends ListProps {
  readonly answer: LoadedProps<{ readonly data: readonly Row[]; readonly next_cursor: string | null }>['answer'];
  readonly columns: readonly Column<Row>[];
  readonly keyOf: (row: Row) => string;
  readonly nothing: string;
}

function Listing<Row>({ filters, answer, columns, keyOf, nothing }: ListingProps<Row>) {
  const name = listWords[filters.list];
  return (
    <Loaded answer={answer} what={name} skeleton={<Skeleton lines={10} />}>
      {({ data, next_cursor }) =>
        data.length === 0 ? (
          <Empty action={<Button href={addressOf(filters, { network: undefined, kind: undefined })}>Show all {name.toLowerCase()}</Button>}>
            {nothing}
          </Empty>
        ) : (
          <>
            <DataTable caption={name} columns={columns} rows={data} keyOf={keyOf} />
            <div className="more">
              <p className="meta">
                {data.length} {data.length === 1 ? 'row' : 'rows'}, newest first
              </p>
              <span className="actions">
                {filters.cursor === undefined ? null : <Button href={addressOf(filters)}>First page</Button>}
                {next_cursor === null ? null : <Button href={addressOf(filters, { cursor: next_cursor })}>Next page</Button>}
              </span>
            </div>
          </>
        )
      }
    </Loaded>
  );
}
