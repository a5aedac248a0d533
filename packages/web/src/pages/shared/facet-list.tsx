/** Filters of a list, as links with counts. */
import { type ReactNode, useState } from 'react';

export interface FacetOption {
  readonly key: string;
  readonly name: string;
  readonly href: string;
  readonly chosen: boolean;
  readonly count: ReactNode;
}

/** All filters of a list. On phones behind a button; always open without scripts. */
export function FacetLists({ children }: { readonly children: ReactNode }) {
  const [open, setOpen] = useState(false);
  return (
    <div className="facets">
      <button className="button" type="button" aria-expanded={open} onClick={() => setOpen(!open)}>
        Filters
      </button>
      <div className={open ? 'lists open' : 'lists'}>{children}</div>
    </div>
  );
}

export function FacetList({ title, options }: { readonly title: string; readonly options: readonly FacetOption[] }) {
  return (
    <nav aria-label={title}>
      <h2>{title}</h2>
      <ul>
        {options.map(({ key, name, href, chosen, count }) => (
          <li key={key}>
            <a href={href} aria-current={chosen ? 'true' : undefined}>
              <span>{name}</span>
              {count === undefined ? null : <span className="mono">{count}</span>}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}
