/** Every movement of the market's debt to the agent, as booked. */
import type { Answer } from '../../data/answers.ts';
import { usePages } from '../../data/use-pages.ts';
import { sitePaths } from '../../site-paths.ts';
import { Amount, type Column, DataTable, Empty, Loaded, shorten, Time } from '../../ui/index.ts';
import { networkWords } from '../../words.ts';
import type { OwnedAgent } from '../shared/agent-chooser.tsx';
import { MorePages } from '../shared/more-pages.tsx';
import { postingWords } from '../shared/posting-words.ts';
import { SaveCsv } from '../shared/save-csv.tsx';

type Statement = Answer<'money.agentStatement'>['data'];
type Line = Statement['lines'][number] & { readonly index: number };

const columns: readonly Column<Line>[] = [
  { head: 'When', cell: ({ posted_at }) => <Time at={posted_at} style="list" />, fold: 'time' },
  { head: 'What', cell: ({ kind }) => postingWords.kinds[kind] ?? kind.replaceAll('_', ' '), fold: 'what' },
  { head: 'Order', cell: ({ subject_id }) => <Subject id={subject_id} />, mono: true, fold: 'state' },
  { head: 'Network', cell: ({ network }) => networkWords[network], fold: 'hide' },
  { head: 'USDC', cell: ({ amount_usd }) => <Amount usd={amount_usd} bare />, number: true, fold: 'amount' },
  { head: 'Owed after it', cell: ({ balance_usd }) => <Amount usd={balance_usd} bare />, number: true, fold: 'hide' },
];

function Subject({ id }: { readonly id: string }) {
  return id.startsWith('ord_') ? <a href={sitePaths.order(id)}>{shorten(id)}</a> : shorten(id);
}

export function StatementTable({ agent }: { readonly agent: OwnedAgent }) {
  const list = usePages('money.agentStatement', { id: agent.slug, limit: 20 });
  return (
    <section aria-labelledby="statement">
      <div className="heading">
        <h2 id="statement">Statement</h2>
        <span className="meta">
          <Owed balances={list.data?.pages[0]?.data.balances ?? []} />
        </span>
      </div>
      <Loaded answer={list} what="The statement">
        {({ pages }) => {
          const lines = pages.flatMap(({ data }) => data.lines).map((line, index) => ({ ...line, index }));
          if (lines.length === 0) return <Empty>Nothing was booked for {agent.name} yet.</Empty>;
          return (
            <>
              <DataTable caption="Movements, newest first" columns={columns} rows={lines} keyOf={({ index }) => String(index)} />
              <MorePages list={list} shown={lines.length} what="movements" />
              <SaveCsv path={`/api/agents/${encodeURIComponent(agent.slug)}/statement?limit=1000`} name={`${agent.slug}-statement`} />
            </>
          );
        }}
      </Loaded>
    </section>
  );
}

function Owed({ balances }: { readonly balances: Statement['balances'] }) {
  const open = balances.filter(({ owed_usd }) => Number(owed_usd) !== 0);
  if (open.length === 0) return <>Nothing is owed to you that is not on its way</>;
  return (
    <>
      Owed to you{' '}
      {open.map(({ network, owed_usd }, index) => (
        <span key={network}>
          {index === 0 ? '' : ', '}
          <Amount usd={owed_usd} network={network} />
        </span>
      ))}
    </>
  );
}
