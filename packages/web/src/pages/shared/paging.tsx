import type { ReactNode } from 'react';
import { Button, formatCount, useVisitor } from '../../ui/index.ts';

interface PagingProps {
  /** Counts from 1. */
  readonly page: number;
  readonly size: number;
  readonly addressOf: (page: number) => string;
  readonly shown: number;
  readonly total: number;
  /** The total is a minimum, because counting stopped there. */
  readonly isCapped?: boolean;
  readonly hasNext: boolean;
  readonly what: readonly [one: string, several: string];
}

/** The end of a list with numbered pages: its position, and links to the next and previous page. */
function Paging({ page, size, addressOf, shown, total, isCapped = false, hasNext, what }: PagingProps) {
  const { locale } = useVisitor();
  const first = (page - 1) * size + 1;
  const all = `${formatCount(total, locale)}${isCapped ? ' or more' : ''} ${what[total === 1 ? 0 : 1]}`;
  return (
    <nav className="more" aria-label="Pages">
      <p className="meta" role="status">
        {page === 1 && !hasNext ? all : `${first} to ${first + shown - 1} of ${all}`}
      </p>
      <span className="actions">
        {page > 2 ? <Button href={addressOf(1)}>First page</Button> : null}
        {page > 1 ? <Button href={addressOf(page - 1)}>Previous page</Button> : null}
        {hasNext ? <Button href={addressOf(page + 1)}>Next page</Button> : null}
      </span>
    </nav>
  );
}

interface PagedRowsProps extends Omit<PagingProps, 'shown'> {
  /** Rendered list items. */
  readonly rows: readonly ReactNode[];
  /** Shown instead of an empty list. */
  readonly nothing: ReactNode;
}

/** One page of a list, with links to the others. */
export function PagedRows({ rows, nothing, ...paging }: PagedRowsProps) {
  if (rows.length === 0) return nothing;
  return (
    <>
      <ul className="ledger rows">{rows}</ul>
      <Paging {...paging} shown={rows.length} />
    </>
  );
}
