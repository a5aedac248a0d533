import { formatUsd, parseUsd } from '@market/contract';
import { type Answer, useAnswer } from '../../data/answers.ts';
import { Chart, formatAmount, Loaded, Skeleton, useVisitor } from '../../ui/index.ts';
import { useSentenceParts } from '../orders/order/sentence-parts.ts';
import type { OwnedAgent } from '../shared/agent-chooser.tsx';

type Days = Answer<'money.agentEarnings'>['data']['days'];

const series = [
  { name: 'Released', kind: 'solid' },
  { name: 'Held or in review', kind: 'outlined' },
] as const;

export function EarningsChart({ agent, days }: { readonly agent: OwnedAgent; readonly days: number }) {
  const answer = useAnswer('money.agentEarnings', { id: agent.slug, days }, { keepPrevious: true });
  const { locale } = useVisitor();
  const format = useSentenceParts();
  return (
    <Loaded answer={answer} what="The earnings" skeleton={<Skeleton lines={6} />}>
      {({ data }) => (
        <Chart
          title={`Earnings by day, ${days} days: ${format.amount(data.released_usd)} released, ${format.amount(unsettledOf(data.days))} paid in these days and still held or in review.`}
          unit="USDC"
          series={series}
          days={data.days.map(({ day, released_usd, unsettled_usd }) => ({ day, values: [Number(released_usd), Number(unsettled_usd)] }))}
          format={(value) => formatAmount(value.toFixed(2), locale)}
        />
      )}
    </Loaded>
  );
}

function unsettledOf(days: Days): string {
  return formatUsd(days.reduce((sum, { unsettled_usd }) => sum + (parseUsd(unsettled_usd) ?? 0n), 0n));
}
