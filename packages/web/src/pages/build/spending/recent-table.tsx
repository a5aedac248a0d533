/** Recent decisions about payments, with their reasons. */
import type { Answer } from '../../../data/answers.ts';
import { usePages } from '../../../data/use-pages.ts';
import { Amount, type Column, DataTable, Empty, Loaded, Time } from '../../../ui/index.ts';
import { MorePages } from '../../shared/more-pages.tsx';
import { operationWords, outcomeWords } from './spending-words.ts';

type SpendRecord = Answer<'spending.recent'>['data'][number];

const columns: readonly Column<SpendRecord>[] = [
  { head: 'When', cell: ({ created_at }) => <Time at={created_at} style="list" />, fold: 'time' },
  { head: 'What', cell: ({ operation }) => operationWords(operation), fold: 'what' },
  { head: 'Decision', cell: ({ outcome }) => outcomeWords[outcome], fold: 'state' },
  { head: 'Why', cell: ({ sentence }) => <span className="meta">{sentence}</span>, fold: 'hide' },
  { head: 'Amount', cell: ({ amount_usd }) => <Amount usd={amount_usd} />, number: true, fold: 'amount' },
];

export function RecentTable() {
  const list = usePages('spending.recent', { limit: 20 });
  return (
    <section aria-labelledby="recent-decisions">
      <div className="heading">
        <h2 id="recent-decisions">Recent decisions</h2>
      </div>
      <Loaded answer={list} what="The decisions">
        {({ pages }) => {
          const rows = pages.flatMap(({ data }) => data);
          if (rows.length === 0) return <Empty>No payment was held against a limit yet.</Empty>;
          return (
            <>
              <DataTable caption="Recent decisions" columns={columns} rows={rows} keyOf={({ id }) => id} />
              <MorePages list={list} shown={rows.length} what="decisions" />
            </>
          );
        }}
      </Loaded>
    </section>
  );
}
