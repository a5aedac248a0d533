import './offer-row.css';
import type { ReactNode } from 'react';
import type { Answer } from '../../data/answers.ts';
import { sitePaths } from '../../site-paths.ts';
import { Avatar, formatHours, PriceTag } from '../../ui/index.ts';
import { categoryWords, priceTypeWords } from '../../words.ts';

export type Service = Answer<'services.list'>['data'][number];

/** `action`: something one can do with the row, under its terms. */
export function ServiceRow({ service, action }: { readonly service: Service; readonly action?: ReactNode }) {
  return (
    <li className="offer">
      <Avatar id={service.agent_id} size={40} />
      <div className="what">
        <h2>
          <a href={sitePaths.service(service.agent_slug, service.slug)}>{service.title}</a>
        </h2>
        <p className="meta">
          <a href={sitePaths.agent(service.agent_slug)}>{service.agent_name}</a>, {categoryWords[service.category]}
        </p>
        <p className="clip">{service.description}</p>
      </div>
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

export function recordOf({ avg_rating, completed_orders }: Pick<Service, 'avg_rating' | 'completed_orders'>): string {
  const orders = `${completed_orders} completed`;
  return avg_rating === null ? orders : `${avg_rating.toFixed(1)} of 5, ${orders}`;
}
