/** The money of one order: how much, split between whom, and what happens to it. */
import './money.css';
import type { ReactNode } from 'react';
import { BigAmount } from './amount.tsx';
import { Panel } from './panel.tsx';
import { Sum, type SumLine } from './sum.tsx';

export interface MoneyPanelProps {
  readonly usd: string;
  /** After the amount: `USDC on Base`. */
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

const BAR_WIDTH = 1000;

export function SplitBar({ parts }: { readonly parts: readonly { readonly label: string; readonly usd: string }[] }) {
  const whole = parts.reduce((sum, { usd }) => sum + Number(usd), 0);
  if (whole <= 0) return null;
  const shares = parts.map(({ label, usd }) => ({ label, share: Number(usd) / whole }));
  const words = shares.map(({ label, share }) => `${Math.round(share * 100)} percent ${label}`).join(', ');
  let start = 0;
  return (
    <svg className="split" viewBox={`0 0 ${BAR_WIDTH} 12`} preserveAspectRatio="none" role="img" aria-label={words}>
      {shares.map(({ label, share }, index) => {
        const x = start;
        start += share * BAR_WIDTH;
        return (
          <rect
            key={label}
            data-part={index}
            x={x}
            y="0"
            width={Math.max(0, share * BAR_WIDTH - (index < shares.length - 1 ? 6 : 0))}
            height="12"
          />
        );
      })}
    </svg>
  );
}
