/** Lines of a sum. A total ends in a double rule, as in accounting. */
import './amount.css';
import type { ReactNode } from 'react';
import { classNames } from '../words/class-names.ts';

export interface SumLine {
  readonly label: ReactNode;
  readonly value: ReactNode;
  /** `total` closes the sum, `part` is indented below a line. */
  readonly kind?: 'total' | 'part';
}

export function Sum({ lines, small = false }: { readonly lines: readonly SumLine[]; readonly small?: boolean }) {
  return (
    <dl className={classNames('sum', small && 'small')}>
      {lines.map(({ label, value, kind }, index) => (
        // Lines have no id: the index is the key.
        // biome-ignore lint/suspicious/noArrayIndexKey: see above
        <div key={index} className={classNames(kind === 'total' && 'sum-total', kind === 'part' && 'sum-part')}>
          <dt>{label}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
