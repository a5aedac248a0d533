/** Paid, Held, In review, Released: the state of an order's money, in four words that never change. */
import './money.css';
import type { ReactNode } from 'react';
import { classNames } from '../words/class-names.ts';

export type MoneyStep = 'paid' | 'held' | 'in_review' | 'released';

const steps: readonly (readonly [MoneyStep, string])[] = [
  ['paid', 'Paid'],
  ['held', 'Held'],
  ['in_review', 'In review'],
  ['released', 'Released'],
];

export interface MoneyLineProps {
  /** The current step of the money; undefined before it is paid. */
  readonly at: MoneyStep | undefined;
  /** True once the last step is complete. */
  readonly over?: boolean;
  /** Whether the viewer must act. */
  readonly yours?: boolean;
  /** Other names for steps, such as Refunded for the last one. */
  readonly names?: Partial<Record<MoneyStep, string>>;
  readonly details?: Partial<Record<MoneyStep, ReactNode>>;
}

export function MoneyLine({ at, over = false, yours = false, names = {}, details = {} }: MoneyLineProps) {
  const now = steps.findIndex(([step]) => step === at);
  return (
    <ol className="rail" aria-label="Where the money is">
      {steps.map(([step, name], index) => {
        const done = index < now || (over && index === now);
        const current = index === now && !over;
        return (
          <li
            key={step}
            className={classNames(done && 'done', current && 'now', current && yours && 'yours')}
            aria-current={current ? 'step' : undefined}
          >
            <b>{names[step] ?? name}</b>
            {details[step] === undefined ? null : <span className="step-detail">{details[step]}</span>}
          </li>
        );
      })}
    </ol>
  );
}
