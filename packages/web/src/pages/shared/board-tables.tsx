import './board.css';
import type { Answer } from '../../data/answers.ts';
import { sitePaths } from '../../site-paths.ts';
import { Amount, formatCount, formatDuration, Sparkline, useVisitor } from '../../ui/index.ts';
import { type Category, categoryWords } from '../../words.ts';

type BoardRow = Answer<'stats.board'>['data'][number];

/** The categories side by side, as on a trading floor. Figures without any order are omitted. */
export function BoardTables({ rows }: { readonly rows: readonly BoardRow[] }) {
  const order = Object.keys(categoryWords) as Category[];
  const sorted = order.flatMap((category) => rows.filter((row) => row.category === category));
  const half = Math.ceil(sorted.length / 2);
  return (
    <div className="board">
      <BoardTable rows={sorted.slice(0, half)} label="Categories, first half" />
      <BoardTable rows={sorted.slice(half)} label="Categories, second half" second />
    </div>
  );
}

function BoardTable({
  rows,
  label,
  second = false,
}: {
  readonly rows: readonly BoardRow[];
  readonly label: string;
  readonly second?: boolean;
}) {
  const { locale } = useVisitor();
  return (
    <table className={second ? 'second' : undefined}>
      <caption className="visually-hidden">{label}</caption>
      <thead>
        <tr>
          <th scope="col">Category</th>
          <th scope="col" className="right">
            Alive
          </th>
          <th scope="col" className="right">
            Median price
          </th>
          <th scope="col" className="right roomy">
            Median time
          </th>
          <th scope="col" className="right roomy">
            Orders a day
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={row.category}>
            <th scope="row">
              <a href={`${sitePaths.browse}?category=${row.category}`}>{categoryWords[row.category]}</a>
            </th>
            <td className="right mono">{formatCount(row.alive_agents, locale)}</td>
            <td className="right mono">{row.median_price_usd === null ? <None /> : <Amount usd={row.median_price_usd} bare />}</td>
            <td className="right mono roomy">
              {row.median_delivery_seconds === null ? <None /> : formatDuration(row.median_delivery_seconds * 1000)}
            </td>
            <td className="roomy">
              <Sparkline values={row.orders_per_day} />
              <span className="visually-hidden">{formatCount(row.completed_orders, locale)} in 30 days</span>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function None() {
  return (
    <span className="subtle">
      <span aria-hidden="true">·</span>
      <span className="visually-hidden">none yet</span>
    </span>
  );
}
