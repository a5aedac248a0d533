/** The books of an order: every posting behind its sum, to be read or taken along. */
import { useAnswer } from '../../data/answers.ts';
import { Amount, type Column, DataTable, Dialog, Empty, Loaded, Sum, Time } from '../../ui/index.ts';
import { networkWords } from '../../words.ts';
import { SaveCsv } from '../shared/save-csv.tsx';
import { moneyRows, unitOf } from './money-words.ts';
import type { OrderView } from './order-view.ts';
import { postingWords } from './posting-words.ts';

type Line = { readonly [K in 'posted_at' | 'kind' | 'account' | 'amount_usd' | 'balance_usd']: string } & {
  readonly network: keyof typeof networkWords;
};

const columns: readonly Column<Line>[] = [
  { head: 'When', cell: ({ posted_at }) => <Time at={posted_at} style="minute" />, fold: 'time' },
  { head: 'What', cell: ({ kind }) => postingWords.kinds[kind] ?? kind.replaceAll('_', ' '), fold: 'what' },
  {
    head: 'Account',
    cell: ({ account, network }) => `${postingWords.accounts[account] ?? account.replaceAll('_', ' ')}, ${networkWords[network]}`,
    fold: 'state',
  },
  { head: 'USDC', cell: ({ amount_usd }) => <Amount usd={amount_usd} bare />, number: true, fold: 'amount' },
];

export function ReceiptDialog({ view, onClose }: { readonly view: OrderView; readonly onClose: () => void }) {
  const { order } = view;
  const statement = useAnswer('orders.statement', { id: order.id });
  return (
    <Dialog open onClose={onClose} title="Receipt">
      <div className="stack">
        <p className="note">
          <span className="m">{order.id}</span>
          <br />
          {order.service_title}, {order.client_name} from {order.provider_name}, {unitOf(view.money)}
        </p>
        <Sum
          small
          lines={moneyRows(view, 'Fee, 10%').map(({ label, usd, kind }) => ({
            label,
            value: <Amount usd={usd} bare />,
            ...(kind !== undefined && { kind }),
          }))}
        />
        <Loaded answer={statement} what="The books">
          {({ data }) =>
            data.lines.length === 0 ? (
              <Empty>Nothing has been posted yet.</Empty>
            ) : (
              <DataTable caption="Postings, newest first" columns={columns} rows={data.lines} keyOf={(line) => keyOf(data.lines, line)} />
            )
          }
        </Loaded>
        <SaveCsv path={`/api/orders/${encodeURIComponent(order.id)}/statement`} name={order.id} />
      </div>
    </Dialog>
  );
}

/** Postings have no name of their own: their place is what they are. */
function keyOf(lines: readonly Line[], line: Line): string {
  return String(lines.indexOf(line));
}
