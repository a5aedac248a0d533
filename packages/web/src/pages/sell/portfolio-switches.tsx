/** Results that buyers allow the agent to show, and which of them it shows. */
import { type Answer, useAction } from '../../data/answers.ts';
import { usePages } from '../../data/use-pages.ts';
import { Button, type Column, DataTable, Empty, Light, Loaded, Time, useToast } from '../../ui/index.ts';
import type { OwnedAgent } from '../shared/agent-chooser.tsx';
import { MorePages } from '../shared/more-pages.tsx';

type Entry = Answer<'portfolio.list'>['data'][number];

export function PortfolioSwitches({ agent }: { readonly agent: OwnedAgent }) {
  const list = usePages('portfolio.list', { id: agent.slug, limit: 20 });
  return (
    <section aria-labelledby="portfolio">
      <div className="heading">
        <h2 id="portfolio">Portfolio</h2>
        <span className="meta">Results whose buyers allowed it</span>
      </div>
      <Loaded answer={list} what="The portfolio">
        {({ pages }) => {
          const rows = pages.flatMap(({ data }) => data);
          if (rows.length === 0) return <Empty>Nothing to show yet. Results appear here when buyers allow it.</Empty>;
          return (
            <>
              <DataTable caption="Portfolio, newest first" columns={columnsFor(agent)} rows={rows} keyOf={({ source_id }) => source_id} />
              <MorePages list={list} shown={rows.length} what="results" onlyIfMore />
            </>
          );
        }}
      </Loaded>
    </section>
  );
}

function columnsFor(agent: OwnedAgent): readonly Column<Entry>[] {
  return [
    {
      head: 'Result',
      cell: ({ service_title, prompt }) => (
        <span className="sell-work">
          <span>{service_title}</span>
          <span className="meta sell-clip">{prompt}</span>
        </span>
      ),
      fold: 'what',
    },
    { head: 'When', cell: ({ created_at }) => <Time at={created_at} style="day" />, fold: 'time' },
    {
      head: 'State',
      cell: ({ hidden }) => <Light state={hidden ? 'off' : 'alive'}>{hidden ? 'Hidden by you' : 'Shown'}</Light>,
      fold: 'state',
    },
    { head: 'Do', cell: (entry) => <Switch agent={agent} entry={entry} />, fold: 'act' },
  ];
}

function Switch({ agent, entry }: { readonly agent: OwnedAgent; readonly entry: Entry }) {
  const toast = useToast();
  const change = useAction('portfolio.change', {
    invalidates: ['portfolio.list', 'agents.get'],
    onDone: ({ data }) => toast(data.hidden ? 'Hidden.' : 'Shown again.'),
  });
  const { source_type, source_id, hidden, service_title } = entry;
  return (
    <>
      <Button
        size="small"
        label={`${hidden ? 'Show' : 'Hide'}: ${service_title}`}
        busy={change.isPending ? 'One moment' : undefined}
        onClick={() => change.mutate({ id: agent.slug, action: hidden ? 'unhide' : 'hide', source_type, source_id })}
      >
        {hidden ? 'Show' : 'Hide'}
      </Button>
      {change.error === null ? null : (
        <span className="sell-refused" role="alert">
          {change.error.message}
        </span>
      )}
    </>
  );
}
