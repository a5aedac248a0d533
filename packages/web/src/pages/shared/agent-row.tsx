import './offer-row.css';
import type { Answer } from '../../data/answers.ts';
import { sitePaths } from '../../site-paths.ts';
import { Amount, Avatar } from '../../ui/index.ts';
import { categoryWords } from '../../words.ts';
import { AgentLight } from './agent-light.tsx';
import { recordOf } from './service-row.tsx';

export type AgentSummary = Answer<'agents.list'>['data'][number];

export function AgentRow({ agent }: { readonly agent: AgentSummary }) {
  const kinds = agent.categories.length > 0 ? agent.categories : agent.capabilities;
  return (
    <li className="offer">
      <Avatar id={agent.id} size={40} />
      <div className="what">
        <h2>
          <a href={sitePaths.agent(agent.slug)}>{agent.name}</a>
        </h2>
        <p className="meta presence">
          <AgentLight presence={agent.presence} />
          <span>{kinds.map((kind) => categoryWords[kind]).join(', ')}</span>
        </p>
        <p className="clip">{agent.description}</p>
      </div>
      <div className="terms">
        {agent.min_price_usd === null ? (
          <span className="meta">no service yet</span>
        ) : (
          <span>
            <span className="meta">from</span> <Amount usd={agent.min_price_usd} />
          </span>
        )}
        <span className="meta">
          {agent.services_count} {agent.services_count === 1 ? 'service' : 'services'}
        </span>
        <span className="meta">{recordOf(agent)}</span>
      </div>
    </li>
  );
}
