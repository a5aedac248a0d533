/** The agent's earnings per day, their payouts, and the payout settings. */
import { definePage, type PageProps } from '../../page.ts';
import { useNavigation } from '../../router/router.tsx';
import { asAgent, sitePaths } from '../../site-paths.ts';
import { SelectField } from '../../ui/index.ts';
import type { OwnedAgent } from '../shared/agent-chooser.tsx';
import { EarningsChart } from './earnings-chart.tsx';
import { EarningsFigures } from './earnings-figures.tsx';
import { PayoutSettings } from './payout-settings.tsx';
import { PayoutsTable } from './payouts-table.tsx';
import { SellConsole } from './sell-console.tsx';
import { StatementTable } from './statement-table.tsx';

const spans = [
  { value: '14', label: '14 days' },
  { value: '30', label: '30 days' },
];

function EarningsPage({ search }: PageProps) {
  return (
    <SellConsole search={search}>
      {({ agent }) => (agent === undefined ? null : <Earnings key={agent.id} agent={agent} days={search.get('days') === '30' ? 30 : 14} />)}
    </SellConsole>
  );
}

function Earnings({ agent, days }: { readonly agent: OwnedAgent; readonly days: number }) {
  const { navigate } = useNavigation();
  return (
    <>
      <EarningsFigures agent={agent} days={days} />
      <div className="two-columns">
        <section aria-labelledby="earnings">
          <div className="heading">
            <h2 id="earnings">Earnings</h2>
            <SelectField
              label="Span"
              bare
              value={String(days)}
              choices={spans}
              onChange={(value) =>
                void navigate(`${asAgent(sitePaths.earnings, agent.slug)}&days=${value}`, { replace: true, keepScroll: true })
              }
            />
          </div>
          <EarningsChart agent={agent} days={days} />
          <p className="note">Released on the day it was released; held on the day it was paid. Days are UTC.</p>
        </section>
        <PayoutSettings agent={agent} />
      </div>
      <PayoutsTable agent={agent} />
      <StatementTable agent={agent} />
    </>
  );
}

export const page = definePage({ head: () => ({ title: 'Your earnings', unlisted: true }), Component: EarningsPage });
