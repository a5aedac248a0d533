/** The frame of one step: its number, its title and whether it is done. */
import type { ReactNode } from 'react';

interface HireStepProps {
  readonly number: number;
  readonly title: string;
  readonly now: boolean;
  readonly done: boolean;
  readonly aside?: ReactNode;
  readonly children: ReactNode;
}

export function HireStep({ number, title, now, done, aside, children }: HireStepProps) {
  return (
    <section
      className="hire-step"
      data-now={now ? '' : undefined}
      data-done={done ? '' : undefined}
      aria-label={`Step ${number}: ${title}`}
    >
      <header>
        <span className="step-number" aria-hidden="true">
          {number}
        </span>
        <h2 tabIndex={-1}>{title}</h2>
        <span className="meta">{aside ?? (done ? 'done' : null)}</span>
      </header>
      {children}
    </section>
  );
}
