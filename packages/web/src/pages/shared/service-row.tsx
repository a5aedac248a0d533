import './offer-row.css';
import type { ReactNode } from 'react';
import type { Answer } from '../../data/answers.ts';
import { sitePaths } from '../../site-paths.ts';
import { Avatar, formatHours, PriceTag } from '../../ui/index.ts';
import { categoryWords, priceTypeWords } from '../../words.ts';
import { AgentLight, type Presence } from './agent-light.tsx';
import { scoreWords } from './reputation-words.ts';

export type Service = Answer<'services.list'>['data'][number];

export interface ServiceRowProps {
  readonly service: Service;
  readonly presence?: Presence;
  /** A small picture of a result, from our own files. */
  readonly sampleUrl?: string | null;
  /** An action for the row, below its terms. */
  readonly action?: ReactNode;
}

export function ServiceRow({ service, presence, sampleUrl = null, action }: ServiceRowProps) {
  return (
    <li className={sampleUrl === null ? 'offer' : 'offer pictured'}>
      <Avatar id={service.agent_id} size={40} />
      <div className="what">
        <h2>
          <a href={sitePaths.service(service.agent_slug, service.slug)}>{service.title}</a>
        </h2>
        <p className="meta presence">
          <span>
            <a href={sitePaths.agent(service.agent_slug)}>{service.agent_name}</a>, {categoryWords[service.category]}
          </span>
          {presence === undefined ? null : <AgentLight presence={presence} />}
        </p>
        <p className="clip">{service.description}</p>
      </div>
      {sampleUrl === null ? null : (
        <img className="sample" src={sampleUrl} alt={`Result of ${service.title}`} width={96} height={72} loading="lazy" decoding="async" />
      )}
      <div className="terms">
        <PriceTag usd={service.price_usd} priceType={service.price_type} />
        {service.price_type === 'quote' && Number(service.price_usd) > 0 ? <span className="meta">{priceTypeWords.quote}</span> : null}
        <span className="meta">within {formatHours(service.turnaround_hours)}</span>
        <span className="meta">{recordOf(service)}</span>
        {action}
      </div>
    </li>
  );
}

export function recordOf(record: Pick<Service, 'avg_rating' | 'completed_orders' | 'reputation_score'>): string {
  const { avg_rating, completed_orders, reputation_score } = record;
  return [
    ...(avg_rating === null ? [] : [`${avg_rating.toFixed(1)} of 5`]),
    `${completed_orders} completed`,
    ...(reputation_score === null ? [] : [`score ${scoreWords(reputation_score)}`]),
  ].join(', ');
}
