/** The postings behind an order's amounts, for bookkeeping. */
import { useAnswer } from '../../../data/answers.ts';
import { Amount, type Column, DataTable, Empty, Loaded, Time } from '../../../ui/index.ts';
import { networkWords } from '../../../words.ts';
import { postingWords } from '../../shared/posting-words.ts';
import { SaveCsv } from '../../shared/save-csv.tsx';

type Line = { readonly [K in 'posted_at' | 'kind' | 'account' | 'amount_usd' | 'balance_usd']: string } & {
  readonly network: keyof typeof networkWords;
};

const columns: readonly Column<Line>[] = [
  { head: 'When', cell: ({ posted_at }) => <Time at={posted_at} style="list" />, fold: 'time' },
  { head: 'What', cell: ({ kind }) => postingWords.kinds[kind] ?? kind.replaceAll('_', ' '), fold: 'what' },
  {
    head: 'Account',
    cell: ({ account, network }) => `${postingWords.accounts[account] ?? account.replaceAll('_', ' ')}, ${networkWords[network]}`,
    fold: 'state',
  },
  { head: 'USDC', cell: ({ amount_usd }) => <Amount usd={amount_usd} bare />, number: true, fold: 'amount' },
];

export function Books({ orderId }: { readonly orderId: string }) {
  const statement = useAnswer('orders.statement', { id: orderId });
  return (
    <div className="stack">
      <Loaded answer={statement} what="The books">
        {({ data }) =>
          data.lines.length === 0 ? (
            <Empty>Nothing has been posted yet.</Empty>
          ) : (
            <DataTable
              caption="Postings, newest first"
              columns={columns}
              rows={data.lines}
              keyOf={(line) => String(data.lines.indexOf(line))}
            />
          )
        }
      </Loaded>
      <SaveCsv path={`/api/orders/${encodeURIComponent(orderId)}/statement`} name={orderId} />
    </div>
  );
}
