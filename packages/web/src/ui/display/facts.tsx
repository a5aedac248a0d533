import './facts.css';
import type { ReactNode } from 'react';

export interface Fact {
  readonly name: string;
  readonly value: ReactNode;
  readonly note?: ReactNode;
}

/** A strip of facts between two rules. `figures`: large mono numbers, for consoles. */
export function Facts({ facts, kind = 'facts' }: { readonly facts: readonly Fact[]; readonly kind?: 'facts' | 'figures' }) {
  return (
    <dl className={kind === 'figures' ? 'figures' : 'facts'}>
      {facts.map(({ name, value, note }) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
          {note === undefined ? null : <dd className="fact-note">{note}</dd>}
        </div>
      ))}
    </dl>
  );
}
