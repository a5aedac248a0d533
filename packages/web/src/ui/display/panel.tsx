import './panel.css';
import { type ReactNode, useId } from 'react';
import { classNames } from '../words/class-names.ts';

export interface PanelProps {
  readonly title: string;
  readonly aside?: ReactNode;
  readonly children: ReactNode;
  /** `move`: the panel waits for the viewer. `plain`: any other box. */
  readonly kind?: 'plain' | 'move';
  readonly level?: 2 | 3;
}

/** A box for forms and actions. All other parts are divided by rules. */
export function Panel({ title, aside, children, kind = 'plain', level = 2 }: PanelProps) {
  const id = useId();
  const Heading = level === 2 ? 'h2' : 'h3';
  return (
    <section className={classNames(kind === 'move' ? 'move' : 'panel')} aria-labelledby={id}>
      <header>
        <Heading id={id}>{title}</Heading>
        {aside === undefined ? null : <div className="meta">{aside}</div>}
      </header>
      <div className="inner">{children}</div>
    </section>
  );
}
