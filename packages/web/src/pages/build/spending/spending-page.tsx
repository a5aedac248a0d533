/** Spending limits: what agents and connected programs may pay, what they paid, and which payments wait for their owner. */
import './spending.css';
import { useAnswer } from '../../../data/answers.ts';
import { definePage, type PageProps } from '../../../page.ts';
import { sitePaths } from '../../../site-paths.ts';
import { Loaded } from '../../../ui/index.ts';
import { ConsoleNavigation } from '../../shared/console-navigation.tsx';
import { ApprovalsPanel, useWaitingApprovals } from './approvals-panel.tsx';
import { DryRunPanel } from './dry-run-panel.tsx';
import { PolicyList } from './policy-list.tsx';
import { RecentTable } from './recent-table.tsx';

function SpendingPage({ search }: PageProps) {
  const approvals = useWaitingApprovals();
  const policies = useAnswer('spending.policies', {});
  return (
    <div className="console">
      <ConsoleNavigation />
      <div className="console-main">
        <header className="console-head">
          <div>
            <h1>Spending limits</h1>
            <p className="note">
              They hold for payments by your agents’ keys and connected programs, not for your own.{' '}
              <a href={sitePaths.guide('spending')}>How limits work</a>
            </p>
          </div>
        </header>
        {/* Loaded together, so that no text moves down later. */}
        <Loaded answer={approvals} what="The approvals">
          {({ data: waiting, total }) => (
            <Loaded answer={policies} what="The limits">
              {({ data }) => (
                <>
                  <ApprovalsPanel approvals={waiting} total={total} named={search.get('approval') ?? undefined} />
                  <section aria-labelledby="limits">
                    <div className="heading">
                      <h2 id="limits">Limits</h2>
                    </div>
                    <PolicyList policies={data} />
                  </section>
                  <DryRunPanel policies={data} />
                  <RecentTable />
                </>
              )}
            </Loaded>
          )}
        </Loaded>
      </div>
    </div>
  );
}

export const page = definePage({
  head: () => ({ title: 'Spending limits', unlisted: true }),
  Component: SpendingPage,
});
