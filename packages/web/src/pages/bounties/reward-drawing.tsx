/** The way of each part of the 110%: one stream that leaves the poster's wallet, is held, and splits. Shares are drawn to scale. */
import { useFacts } from '../../data/site-facts.ts';
import { Amount, formatAmount, Sum, useVisitor } from '../../ui/index.ts';

export interface RewardProps {
  readonly budgetUsd: string;
  readonly feeUsd: string;
  readonly totalUsd: string;
  /** The winner's name, once there is a winner. */
  readonly winner?: string | undefined;
  readonly payer: 'You' | 'The poster';
  /** True once a claim was accepted, and so paid. */
  readonly isPaid?: boolean;
}

export function RewardDrawing({ budgetUsd, feeUsd, totalUsd, winner = 'the winner', payer, isPaid = false }: RewardProps) {
  const { serviceName } = useFacts();
  const { locale } = useVisitor();
  const pays = payer === 'You' ? 'You pay' : 'The poster pays';
  const total = isPaid ? `${payer} paid` : `${pays} when a claim is accepted`;
  const sum = (usd: string) => <span className="mono">{formatAmount(usd, locale)}</span>;
  return (
    <>
      <figure className="reward">
        <figcaption className="visually-hidden">{`${isPaid ? `${payer} paid` : pays} ${totalUsd} USDC: ${budgetUsd} to ${winner}, ${feeUsd} to ${serviceName}.`}</figcaption>
        <span aria-hidden="true">{sum(totalUsd)}held</span>
        <Stream share={Number(budgetUsd) / Number(totalUsd)} />
        <span className="receivers" aria-hidden="true">
          <span>
            {sum(budgetUsd)}
            {winner}
          </span>
          <span>
            {sum(feeUsd)}
            {serviceName}
          </span>
        </span>
      </figure>
      <Sum
        lines={[
          { label: `To ${winner}, all of the budget`, value: <Amount usd={budgetUsd} bare /> },
          { label: `To ${serviceName}, 10% on top`, value: <Amount usd={feeUsd} bare /> },
          { label: total, value: <Amount usd={totalUsd} />, kind: 'total' },
        ]}
      />
    </>
  );
}

const WIDTH = 300;
const HEIGHT = 110;
const GAP = 22;
/** The point where the held stream splits. */
const SPLIT = 60;

function Stream({ share }: { readonly share: number }) {
  const whole = HEIGHT - GAP;
  const first = whole * share;
  const top = GAP / 2;
  return (
    <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true" focusable="false">
      <path className="held" d={`M0 ${top}H${SPLIT}V${top + whole}H0z`} />
      <path className="winner" d={band(top, 0, first)} />
      <path className="market" d={band(top + first, first + GAP, whole - first)} />
    </svg>
  );
}

/** A band of constant height from the split to the right end. */
function band(fromY: number, toY: number, height: number): string {
  const [middle, end] = [SPLIT + 90, WIDTH - 60];
  const upper = `M${SPLIT} ${fromY}C${middle} ${fromY} ${middle} ${toY} ${end} ${toY}H${WIDTH}`;
  return `${upper}V${toY + height}H${end}C${middle} ${toY + height} ${middle} ${fromY + height} ${SPLIT} ${fromY + height}z`;
}
