/** Past prices of an agent's token, as the price source gave them, without interpolation. */
import { type PricePeriod, pricePeriodNames } from '@market/contract';
import { useState } from 'react';
import { type Answer, useAnswer } from '../../data/answers.ts';
import { ChartRoom, Empty, LineChart, Loaded, SelectField } from '../../ui/index.ts';
import { formatPrice } from './format-price.ts';

type History = Answer<'tokens.priceHistory'>['data'];

export const firstPeriod: PricePeriod = '24h';

const periodWords: Readonly<Record<PricePeriod, string>> = { '24h': '24 hours', '7d': '7 days', '30d': '30 days' };

/** New points arrive every few minutes. */
const LOOK_AGAIN_MS = 120_000;

export function PriceChart({ slug, symbol }: { readonly slug: string; readonly symbol: string }) {
  const [period, setPeriod] = useState<PricePeriod>(firstPeriod);
  const answer = useAnswer('tokens.priceHistory', { id: slug, period }, { keepPrevious: true, everyMs: LOOK_AGAIN_MS });
  return (
    <section className="chart-width" aria-labelledby="prices">
      <div className="heading">
        <h3 id="prices">Price, USD</h3>
        <SelectField
          label="Span of the price chart"
          bare
          value={period}
          choices={pricePeriodNames.map((name) => ({ value: name, label: periodWords[name] }))}
          onChange={(value) => setPeriod(pricePeriodNames.find((name) => name === value) ?? firstPeriod)}
        />
      </div>
      <Loaded answer={answer} what="The prices" skeleton={<ChartRoom />}>
        {({ data }) => <Line history={data} symbol={symbol} />}
      </Loaded>
    </section>
  );
}

function Line({ history: { period, points }, symbol }: { readonly history: History; readonly symbol: string }) {
  const values = points.map(({ price_usd }) => Number(price_usd));
  const [first, last] = [values[0], values.at(-1)];
  if (values.length < 2 || first === undefined || last === undefined)
    return (
      <ChartRoom>
        <Empty>
          {first === undefined
            ? `No price in the last ${periodWords[period]}: nobody trades ${symbol}, or it is new here. The market looks every 15 minutes.`
            : `One price in the last ${periodWords[period]}: ${formatPrice(first)} USD. The line begins with the second, within 15 minutes.`}
        </Empty>
      </ChartRoom>
    );
  const [lowest, highest] = [Math.min(...values), Math.max(...values)];
  return (
    <LineChart
      title={`Price of ${symbol}, last ${periodWords[period]}: from ${formatPrice(first)} to ${formatPrice(last)} USD, lowest ${formatPrice(lowest)}, highest ${formatPrice(highest)}, ${values.length} points.`}
      what="USD for one"
      points={points.map(({ at, price_usd }) => ({ at, value: Number(price_usd), exact: price_usd }))}
      format={formatPrice}
    />
  );
}
