/** The status of an order. The glyph fills as money moves; shape and word state it, colour repeats it. */
import './status-chip.css';
import type { ReactNode } from 'react';
import { type ShownStatus, statusWords } from '../../words.ts';

export interface StatusChipProps {
  readonly status: ShownStatus;
  /** True if the viewer must act: the chip turns marigold. */
  readonly you?: boolean;
  /** Replaces the usual words, for example with the number of a revision. */
  readonly children?: ReactNode;
}

export function StatusChip({ status, you = false, children }: StatusChipProps) {
  return (
    <span className="chip" data-s={status} data-you={you ? '' : undefined}>
      {children ?? statusWords[status]}
    </span>
  );
}
