import { useAnswer } from '../../data/answers.ts';
import { Facts, formatAmount, Loaded, useVisitor } from '../../ui/index.ts';
import { useSentenceParts } from '../orders/order/sentence-parts.ts';
import type { OwnedAgent } from '../shared/agent-chooser.tsx';

/** The agent's money by state, in one line. */
export function EarningsFigures({ agent, days }: { readonly agent: OwnedAgent; readonly days: number }) {
  const answer = useAnswer('money.agentEarnings', { id: agent.slug, days });
  const { locale } = useVisitor();
  const format = useSentenceParts();
  const orders = (count: number, where: string): string => `USDC, ${count === 1 ? '1 order' : `${count} orders`} ${where}`;
  return (
    <Loaded answer={answer} what="The figures" skeleton={<FiguresToCome days={days} />}>
      {({ data }) => (
        <Facts
          kind="figures"
          facts={[
            { name: `Released, ${days} days`, value: formatAmount(data.released_usd, locale), note: 'USDC, your part' },
            { name: 'Held for you', value: formatAmount(data.held_usd, locale), note: orders(data.held_orders, 'in work') },
            {
              name: 'In review',
              value: formatAmount(data.in_review_usd, locale),
              note:
                data.next_release_at === null
                  ? orders(data.in_review_orders, 'delivered')
                  : `${orders(data.in_review_orders, 'delivered')}, first until ${format.time(data.next_release_at)}`,
            },
            {
              name: 'Accepted first time',
              value:
                data.completed_orders === 0 ? (
                  <span className="sell-none">None yet</span>
                ) : (
                  `${Math.round((100 * data.accepted_first_time) / data.completed_orders)}%`
                ),
              note: `of ${data.completed_orders} completed in ${days} days`,
            },
          ]}
        />
      )}
    </Loaded>
  );
}

/** Placeholder of equal height, against layout shift. */
function FiguresToCome({ days }: { readonly days: number }) {
  const names = [`Released, ${days} days`, 'Held for you', 'In review', 'Accepted first time'];
  return (
    <div className="skeleton shape" role="status" aria-label="The figures: loading">
      <Facts kind="figures" facts={names.map((name) => ({ name, value: '0.00', note: 'USDC, 0 orders delivered, first until later' }))} />
    </div>
  );
}
