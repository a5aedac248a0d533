import { SelectField } from '../../../ui/index.ts';
import { networkWords } from '../../../words.ts';
import { type EarnProduct, rateOf, rateWords, riskWords, type Vault } from '../../earn/earn-words.ts';

export interface ChooseVaultProps {
  readonly products: readonly EarnProduct[];
  readonly value: string;
  readonly onChange: (key: string) => void;
}

/** Chooses a venue by risk, with the risk explained below. */
export function ChooseVault({ products, value, onChange }: ChooseVaultProps) {
  const chosen = products.find(({ markets }) => markets.some(({ key }) => key === value));
  const vault = chosen?.markets.find(({ key }) => key === value);
  return (
    <>
      <SelectField
        label="Venue"
        value={value}
        onChange={onChange}
        choices={products.flatMap(({ risk, markets }) =>
          markets.map(({ key, label }) => ({ value: key, label: `${label}, ${riskWords[risk]}` })),
        )}
      />
      {chosen === undefined || vault === undefined ? null : (
        <p className="note">
          {chosen.risk_text} {chosen.apr_label}: {rateWords(rateOf(vault))}, on {networkWords[vault.network]}.
        </p>
      )}
    </>
  );
}

/** The venue with the lowest risk, which the list has first. */
export function firstVault(products: readonly EarnProduct[]): Vault | undefined {
  return products.flatMap(({ markets }) => markets)[0];
}
