/** Earn for one agent: its share of each pool, a deposit out of its own wallet, and automatic deposits. */
import '../../earn/earn.css';
import { useAnswer } from '../../../data/answers.ts';
import { definePage, type PageProps } from '../../../page.ts';
import { sitePaths } from '../../../site-paths.ts';
import { Button, Empty, Loaded, Skeleton } from '../../../ui/index.ts';
import { MovementsSection } from '../../earn/movements-section.tsx';
import { PositionsTable, usePositions } from '../../earn/positions-table.tsx';
import type { OwnedAgent } from '../../shared/agent-chooser.tsx';
import { SellConsole } from '../sell-console.tsx';
import { IdlePanel } from './idle-panel.tsx';
import { SweepPanel } from './sweep-panel.tsx';

function AgentEarnPage({ search }: PageProps) {
  return (
    <SellConsole search={search}>{({ agent }) => (agent === undefined ? null : <AgentEarn key={agent.id} agent={agent} />)}</SellConsole>
  );
}

function AgentEarn({ agent }: { readonly agent: OwnedAgent }) {
  const markets = useAnswer('earn.markets', {});
  const positions = usePositions();
  if (markets.data === undefined && markets.error?.status === 503)
    return <Empty action={<Button href={sitePaths.guide('earn')}>How it works</Button>}>No venue is configured here.</Empty>;
  return (
    <>
      <section aria-labelledby="positions">
        <div className="heading">
          <h2 id="positions">Earn</h2>
          <a href={sitePaths.earn}>All venues, with their risk</a>
        </div>
        <Loaded answer={positions} what="The positions" skeleton={<Skeleton lines={4} />}>
          {({ data }) => {
            const own = data.filter(({ agent_id }) => agent_id === agent.id);
            if (own.length === 0) return <Empty>{agent.name} has no share of any pool.</Empty>;
            return <PositionsTable positions={own} />;
          }}
        </Loaded>
      </section>
      <Loaded answer={markets} what="The venues" skeleton={<Skeleton lines={6} />}>
        {({ data }) => (
          <div className="two-columns earn-columns">
            <IdlePanel agent={agent} products={data.products} />
            <SweepPanel agent={agent} products={data.products} />
          </div>
        )}
      </Loaded>
      <MovementsSection agentId={agent.id} />
    </>
  );
}

export const page = definePage({ head: () => ({ title: 'Earn for an agent', unlisted: true }), Component: AgentEarnPage });
