/** Charts of a share's value, the rate and the venue's size, as measured, without interpolation. */
import { type EarnPeriod, earnPeriodNames } from '@market/contract';
import { useState } from 'react';
import { type Answer, useAnswer } from '../../data/answers.ts';
import { useFacts } from '../../data/site-facts.ts';
import { ChartRoom, Empty, formatAmount, LineChart, Loaded, SelectField } from '../../ui/index.ts';
import { centsOf, periodWords, type Vault } from './earn-words.ts';

type Point = Answer<'earn.history'>['data']['points'][number];

export const firstPeriod: EarnPeriod = '30d';

/** New points come every 15 minutes. */
const LOOK_AGAIN_MS = 120_000;
const MICROS = 1_000_000;

const charts = { price: 'Share price', rate: 'Rate', size: 'Size' } as const;
type ChartName = keyof typeof charts;

export function VaultCharts({ vault, rateName }: { readonly vault: Vault; readonly rateName: string }) {
  const [period, setPeriod] = useState<EarnPeriod>(firstPeriod);
  const [shown, setShown] = useState<ChartName>('price');
  const { profile } = useFacts();
  const answer = useAnswer('earn.history', { key: vault.key, period }, { keepPrevious: true, everyMs: LOOK_AGAIN_MS });
  return (
    <section className="chart-width" aria-labelledby="history">
      <div className="heading">
        <h2 id="history">{shown === 'rate' ? rateName : charts[shown]} over time</h2>
        <div className="actions">
          <SelectField
            label="What the chart shows"
            bare
            value={shown}
            choices={Object.entries(charts).map(([value, label]) => ({ value, label }))}
            onChange={(value) => setShown(value as ChartName)}
          />
          <SelectField
            label="Span of the chart"
            bare
            value={period}
            choices={earnPeriodNames.map((name) => ({ value: name, label: periodWords[name] }))}
            onChange={(value) => setPeriod(earnPeriodNames.find((name) => name === value) ?? firstPeriod)}
          />
        </div>
      </div>
      <Loaded answer={answer} what="The history" skeleton={<ChartRoom />}>
        {({ data }) => <Line points={data.points} shown={shown} rateName={rateName} span={periodWords[data.period]} />}
      </Loaded>
      {profile === 'sandbox' ? (
        <p className="note">In the demo, points before its start are computed from the venue’s own rate; later ones are measured.</p>
      ) : null}
    </section>
  );
}

interface LineProps {
  readonly points: readonly Point[];
  readonly shown: ChartName;
  readonly rateName: string;
  readonly span: string;
}

function Line({ points, shown, rateName, span }: LineProps) {
  const known = points.filter((point) => shown !== 'rate' || point.apr_pct !== null);
  const [first, last] = [known[0], known.at(-1)];
  if (known.length < 2 || first === undefined || last === undefined)
    return (
      <ChartRoom>
        <Empty>
          {first === undefined ? `Nothing was measured in the last ${span}.` : `One point in the last ${span}.`} The market looks every 15
          minutes; a line begins with the second point.
        </Empty>
      </ChartRoom>
    );
  if (shown === 'price') return <PriceLine {...{ known, first, last, span }} />;
  if (shown === 'rate')
    return (
      <LineChart
        title={`${rateName}, last ${span}: from ${percent(first.apr_pct ?? 0)} to ${percent(last.apr_pct ?? 0)} a year, ${known.length} points.`}
        what="Percent a year"
        points={known.map(({ at, apr_pct }) => ({ at, value: apr_pct ?? 0, exact: percent(apr_pct ?? 0) }))}
        format={percent}
      />
    );
  return (
    <LineChart
      title={`USDC in the venue, last ${span}: from ${formatAmount(centsOf(first.total_usdc_micro))} to ${formatAmount(centsOf(last.total_usdc_micro))} USDC, ${known.length} points.`}
      what="USDC"
      points={known.map(({ at, total_usdc_micro }) => ({
        at,
        value: Number(total_usdc_micro) / MICROS,
        exact: formatAmount(centsOf(total_usdc_micro)),
      }))}
      format={(value) => formatAmount(String(Math.round(value))).replace(/\D00$/, '')}
    />
  );
}

/** Every chart here starts at zero, so the price is drawn as its change; the table has the prices themselves. */
function PriceLine({ known, first, last, span }: Pick<LineProps, 'span'> & { known: readonly Point[]; first: Point; last: Point }) {
  const start = Number(first.share_price);
  const change = (price: string): number => (start === 0 ? 0 : (Number(price) / start - 1) * 100);
  return (
    <>
      <LineChart
        title={`Price of one share, last ${span}: from ${first.share_price} to ${last.share_price} USDC, which is ${fine(change(last.share_price))}; ${known.length} points.`}
        what="USDC for one share"
        points={known.map(({ at, share_price }) => ({ at, value: change(share_price), exact: share_price }))}
        format={fine}
      />
      <p className="note">
        Change in percent since the first point. One share is worth <span className="mono">{last.share_price} USDC</span> now.
      </p>
    </>
  );
}

const percent = (value: number): string => `${value.toFixed(2)}%`;

/** More digits, because a month of lending moves a share by only a few tenths of a percent. */
const fine = (value: number): string => (value === 0 ? '0%' : `${value.toFixed(Math.abs(value) < 1 ? 3 : 2)}%`);
