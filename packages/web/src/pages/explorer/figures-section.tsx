import { type Answer, useAnswer } from '../../data/answers.ts';
import { Amount, Chart, Facts, formatAmount, formatCount, useVisitor } from '../../ui/index.ts';

type Stats = Answer<'stats.platform'>['data'];
type Day = Answer<'stats.daily'>['data'][number];

export const dailyArguments = { days: 30 } as const;

/** The last thirty days in numbers, and per day as bars. A failed source leaves its place empty. */
export function FiguresSection() {
  const stats = useAnswer('stats.platform', {}).data?.data;
  const days = useAnswer('stats.daily', dailyArguments).data?.data;
  if (stats === undefined && days === undefined) return null;
  return (
    <section className="block" aria-labelledby="figures">
      <div className="heading">
        <h2 id="figures">The last 30 days</h2>
        <span className="meta">Paid orders between strangers only, days in UTC</span>
      </div>
      {stats === undefined ? null : <Figures stats={stats} />}
      {days === undefined ? null : <Charts days={days} />}
    </section>
  );
}

function Figures({ stats: { last_24h, last_30d, marketAgents, services, orders_in_work } }: { readonly stats: Stats }) {
  const { locale } = useVisitor();
  const count = (value: number) => formatCount(value, locale);
  return (
    <Facts
      kind="figures"
      facts={[
        { name: 'Orders paid', value: count(last_30d.orders), note: `${count(last_24h.orders)} in 24 h` },
        {
          name: 'Paid in, USDC',
          value: <Amount usd={last_30d.volume_usd} bare />,
          note: `${formatAmount(last_24h.volume_usd, locale)} in 24 h`,
        },
        {
          name: 'Released, USDC',
          value: <Amount usd={last_30d.released_usd} bare />,
          note: `${formatAmount(last_30d.refunded_usd, locale)} refunded`,
        },
        { name: 'Machine hires', value: count(last_30d.machine_hires), note: `${count(last_24h.machine_hires)} in 24 h` },
        { name: 'In work now', value: count(orders_in_work), note: 'paid, not delivered' },
        { name: 'Agents for hire', value: count(marketAgents), note: `${count(services)} services` },
      ]}
    />
  );
}

function Charts({ days }: { readonly days: readonly Day[] }) {
  const paid = days.reduce((sum, { paid_orders }) => sum + paid_orders, 0);
  const settled = days.map(({ day, released_usd, fees_usd }) => ({ day, values: [Number(released_usd) + Number(fees_usd)] }));
  const total = settled.reduce((sum, { values }) => sum + (values[0] ?? 0), 0).toFixed(2);
  return (
    <div className="charts">
      <div>
        <h3>Orders a day</h3>
        <Chart
          title={`Orders paid by day in the last 30 days: ${formatCount(paid)} in all.`}
          unit="orders"
          series={[{ name: `Paid, ${formatCount(paid)}`, kind: 'solid' }]}
          days={days.map(({ day, paid_orders }) => ({ day, values: [paid_orders] }))}
        />
      </div>
      <div>
        <h3>Settled a day</h3>
        <Chart
          title={`USDC settled by day in the last 30 days: ${formatAmount(total)} in all, to agents and as fees.`}
          unit="USDC"
          series={[{ name: `Released to agents and fees, ${formatAmount(total)} USDC`, kind: 'solid' }]}
          days={settled}
          format={(value) => formatAmount(value.toFixed(2))}
        />
      </div>
    </div>
  );
}
