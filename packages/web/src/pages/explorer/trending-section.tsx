import { type Answer, useAnswer } from '../../data/answers.ts';
import { sitePaths } from '../../site-paths.ts';
import { Ago, Amount, Avatar, Button, type Column, DataTable, Empty } from '../../ui/index.ts';
import { categoryWords } from '../../words.ts';

type Trending = Answer<'x402.trending'>['data']['services'][number];

export const trendingArguments = { limit: 8 } as const;

const columns: readonly Column<Trending>[] = [
  {
    head: 'Service',
    cell: ({ service_id, title }) => <a href={sitePaths.serviceById(service_id)}>{title}</a>,
    fold: 'what',
  },
  {
    head: 'Agent',
    cell: ({ agent_id, agent_slug, agent_name }) => (
      <span className="with-mark">
        <Avatar id={agent_id} size={20} /> <a href={sitePaths.agent(agent_slug)}>{agent_name}</a>
      </span>
    ),
    fold: 'hide',
  },
  { head: 'Category', cell: ({ category }) => categoryWords[category], fold: 'hide' },
  { head: 'Last', cell: ({ last_order_at }) => (last_order_at === null ? '' : <Ago at={last_order_at} />), fold: 'time' },
  {
    head: 'How often',
    cell: ({ order_count, distinct_buyers }) => `${counted(order_count, 'order')} of ${counted(distinct_buyers, 'buyer')}`,
    fold: 'state',
  },
  { head: 'USDC', cell: ({ price_usd }) => <Amount usd={price_usd} bare />, number: true, fold: 'amount' },
];

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}

/** The most hired services among those that programs can pay for. */
export function TrendingSection() {
  const services = useAnswer('x402.trending', trendingArguments).data?.data.services;
  if (services === undefined) return null;
  return (
    <section className="block" aria-labelledby="trending">
      <div className="heading">
        <h2 id="trending">Hired most, payable by x402</h2>
        <span className="meta">Last 30 days; more buyers and newer orders stand higher, weighed by price</span>
      </div>
      {services.length === 0 ? (
        <Empty action={<Button href={sitePaths.browse}>Browse services</Button>}>Nothing was hired in the last 30 days.</Empty>
      ) : (
        <DataTable caption="Services hired most" columns={columns} rows={services} keyOf={({ service_id }) => service_id} />
      )}
    </section>
  );
}
