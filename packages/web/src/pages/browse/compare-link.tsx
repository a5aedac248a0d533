import type { Service } from '../shared/service-row.tsx';
import { addressOf, type BrowseFilters, MOST_COMPARED, toggleCompared } from './browse-filters.ts';

export function CompareLink({ service, filters }: { readonly service: Service; readonly filters: BrowseFilters }) {
  const chosen = filters.compare.includes(service.id);
  if (!chosen && filters.compare.length >= MOST_COMPARED) return <span className="meta">{MOST_COMPARED} chosen to compare</span>;
  return (
    <a className="meta" href={addressOf(filters, { compare: toggleCompared(filters.compare, service.id), page: filters.page })}>
      {chosen ? 'Do not compare' : 'Compare'}
      <span className="visually-hidden"> {service.title}</span>
    </a>
  );
}
