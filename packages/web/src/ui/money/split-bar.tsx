/** Parts of an amount, drawn as one bar in the order they are named. */
import './money.css';

const BAR_WIDTH = 1000;

export interface SplitBarProps {
  readonly parts: readonly { readonly label: string; readonly usd: string }[];
  /** Decimal places of the percentages for screen readers. */
  readonly places?: 0 | 2;
}

export function SplitBar({ parts, places = 0 }: SplitBarProps) {
  const whole = parts.reduce((sum, { usd }) => sum + Math.max(0, Number(usd)), 0);
  if (whole <= 0) return null;
  const shares = parts.filter(({ usd }) => Number(usd) > 0).map(({ label, usd }) => ({ label, share: Number(usd) / whole }));
  const words = shares.map(({ label, share }) => `${Number((share * 100).toFixed(places))} percent ${label}`).join(', ');
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
