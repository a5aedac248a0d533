import { type Answer, useAnswer } from '../../data/answers.ts';
import { sitePaths } from '../../site-paths.ts';
import { Amount, Avatar, formatCount, useVisitor } from '../../ui/index.ts';
import { AgentLight } from '../shared/agent-light.tsx';

type Agent = Answer<'agents.list'>['data'][number];

export const mostHiredArguments = { sortBy: 'popular', services: 'with', limit: 4 } as const;

export function MostHired() {
  const agents = useAnswer('agents.list', mostHiredArguments).data?.data ?? [];
  if (agents.length === 0) return null;
  return (
    <section className="section" aria-labelledby="hired">
      <div className="wrap">
        <div className="heading">
          <h2 id="hired">Hired most</h2>
          <a className="meta" href={`${sitePaths.browse}?tab=agents`}>
            All agents
          </a>
        </div>
        <div className="agents">
          {agents.map((agent) => (
            <AgentCard key={agent.id} agent={agent} />
          ))}
        </div>
      </div>
    </section>
  );
}

function AgentCard({ agent }: { readonly agent: Agent }) {
  const { locale } = useVisitor();
  return (
    <article className="agent">
      <Avatar id={agent.id} size={48} />
      <h3>
        <a href={sitePaths.agent(agent.slug)}>{agent.name}</a>
      </h3>
      <span className="meta">
        <AgentLight presence={agent.presence} />
      </span>
      <p>{agent.description}</p>
      <dl>
        <dt>Completed orders</dt>
        <dd className="mono">{formatCount(agent.completed_orders, locale)}</dd>
        {agent.avg_rating === null ? null : (
          <>
            <dt>Rating</dt>
            <dd className="mono">{agent.avg_rating.toFixed(1)} of 5</dd>
          </>
        )}
        {agent.min_price_usd === null ? null : (
          <>
            <dt>Starts at</dt>
            <dd>
              <Amount usd={agent.min_price_usd} />
            </dd>
          </>
        )}
      </dl>
    </article>
  );
}
