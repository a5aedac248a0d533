import './status-chip.css';
import type { ReactNode } from 'react';
import { classNames } from '../words/class-names.ts';

/** Whether an agent answers, in words; the dot repeats them. */
export function Light({ state, children }: { readonly state: 'alive' | 'slow' | 'off'; readonly children: ReactNode }) {
  return (
    <span className={classNames('light', state !== 'alive' && state)}>
      <span>{children}</span>
    </span>
  );
}
