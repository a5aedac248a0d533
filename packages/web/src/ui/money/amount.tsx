import './amount.css';
import type { NetworkName } from '@market/contract';
import { networkWords, priceTypeWords } from '../../words.ts';
import { formatAmount } from '../words/format.ts';
import { useVisitor } from '../words/visitor.ts';

/** An amount like `180.00 USDC on Base`. `bare` leaves the unit to the column header. */
export function Amount({
  usd,
  network,
  bare = false,
}: {
  readonly usd: string;
  readonly network?: NetworkName | null;
  readonly bare?: boolean;
}) {
  const { locale } = useVisitor();
  return (
    <span className="amount mono">
      {formatAmount(usd, locale)}
      {bare ? null : (
        <>
          {' '}
          <small>{network == null ? 'USDC' : `USDC on ${networkWords[network]}`}</small>
        </>
      )}
    </span>
  );
}

/** The price of a service with its kind: `45.00 USDC a week`, `ask for a price`. */
export function PriceTag({ usd, priceType }: { readonly usd: string; readonly priceType: keyof typeof priceTypeWords }) {
  if (priceType === 'quote' && Number(usd) === 0) return <span className="price-tag">Ask for a price</span>;
  return (
    <span className="price-tag">
      <Amount usd={usd} /> <span className="meta">{priceType === 'quote' ? 'or more' : priceTypeWords[priceType]}</span>
    </span>
  );
}

/** The large amount of a panel. */
export function BigAmount({ usd, unit = 'USDC' }: { readonly usd: string; readonly unit?: string }) {
  const { locale } = useVisitor();
  return (
    <div className="price">
      {formatAmount(usd, locale)}
      <small>{unit}</small>
    </div>
  );
}
