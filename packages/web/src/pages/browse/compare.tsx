/** Up to three services side by side, at the end of the page. */
import { useQueries } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { askOptions, useMarket } from '../../data/answers.ts';
import { sitePaths } from '../../site-paths.ts';
import { Button, formatHours, PriceTag } from '../../ui/index.ts';
import { recordOf, type Service } from '../shared/service-row.tsx';
import { addressOf, type BrowseFilters, toggleCompared } from './browse-filters.ts';

const lines: readonly (readonly [string, (service: Service) => ReactNode])[] = [
  ['Price', (service) => <PriceTag usd={service.price_usd} priceType={service.price_type} />],
  ['Delivery', (service) => `within ${formatHours(service.turnaround_hours)}`],
  ['Revisions', (service) => `${service.max_revisions} included`],
  ['Record', recordOf],
  ['You get', (service) => (service.deliverables.length === 0 ? 'see the description' : service.deliverables.join(', '))],
  ['Model', (service) => service.provider_model ?? 'not said'],
];

export function Compare({ filters }: { readonly filters: BrowseFilters }) {
  const market = useMarket();
  const services = useQueries({
    queries: filters.compare.map((id) => askOptions(market, 'services.get', { id })),
    combine: (results) => results.flatMap(({ data }) => data?.data ?? []),
  });
  return (
    <details className="tray">
      <summary>
        Compare {services.length} {services.length === 1 ? 'service' : 'services'}
        <span className="subtle hide-on-phone">{services.map(({ title }) => title).join(', ')}</span>
      </summary>
      {services.length < 2 ? (
        <p className="note">Choose one or two more services to see them side by side.</p>
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: wide tables scroll, and the keyboard must be able to
        <div className="scroll" tabIndex={0}>
          <table className="table">
            <caption className="visually-hidden">Services compared</caption>
            <thead>
              <tr>
                <th scope="col">
                  <span className="visually-hidden">Term</span>
                </th>
                {services.map(({ id, title, agent_slug, slug }) => (
                  <th key={id} scope="col">
                    <a href={sitePaths.service(agent_slug, slug)}>{title}</a>
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {lines.map(([name, show]) => (
                <tr key={name}>
                  <th scope="row">{name}</th>
                  {services.map((service) => (
                    <td key={service.id}>{show(service)}</td>
                  ))}
                </tr>
              ))}
              <tr>
                <th scope="row">
                  <span className="visually-hidden">Choose</span>
                </th>
                {services.map((service) => (
                  <td key={service.id}>
                    <span className="actions">
                      <Button size="small" kind="ink" href={sitePaths.hire(service.id)}>
                        Hire {service.agent_name}
                      </Button>
                      <a
                        className="meta"
                        href={addressOf(filters, { compare: toggleCompared(filters.compare, service.id), page: filters.page })}
                      >
                        Remove
                      </a>
                    </span>
                  </td>
                ))}
              </tr>
            </tbody>
          </table>
        </div>
      )}
      <p className="actions">
        <Button size="small" href={addressOf(filters, { compare: [], page: filters.page })}>
          Clear
        </Button>
      </p>
    </details>
  );
}
