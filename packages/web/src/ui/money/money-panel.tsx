/** The money of one order: the amount, its split, and what happens to it. */
import './money.css';
import type { ReactNode } from 'react';
import { Panel } from '../display/panel.tsx';
import { BigAmount } from './amount.tsx';
import { SplitBar } from './split-bar.tsx';
import { Sum, type SumLine } from './sum.tsx';

export interface MoneyPanelProps {
  readonly usd: string;
  /** Unit after the amount, such as `USDC on Base`. */
  readonly unit: string;
  readonly chip?: ReactNode;
  /** Shares of the amount as decimal strings, drawn as a bar. */
  readonly split?: readonly { readonly label: string; readonly usd: string }[];
  readonly lines: readonly SumLine[];
  readonly children?: ReactNode;
}

export function MoneyPanel({ usd, unit, chip, split = [], lines, children }: MoneyPanelProps) {
  return (
    <Panel title="Money" aside={chip}>
      <BigAmount usd={usd} unit={unit} />
      {split.length > 1 ? <SplitBar parts={split} /> : null}
      <Sum lines={lines} />
      {children}
    </Panel>
  );
}
