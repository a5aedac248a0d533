import { formatUsd, parseUsd, splitPrice, withFeeOnTop } from '@market/contract';
import { useFacts } from '../../data/site-facts.ts';
import { Amount, SplitBar, Sum } from '../../ui/index.ts';
import type { ServiceDraft } from './service-draft.ts';

/** The earnings from a price while it is typed: people pay the list price, machines pay the fee on top. */
export function PriceParts({ price, priceType }: Pick<ServiceDraft, 'priceType'> & { readonly price: string }) {
  const { serviceName } = useFacts();
  const micros = parseUsd(price.trim());
  if (micros === undefined || micros === 0n)
    return (
      <p className="note">
        {priceType === 'quote' && price.trim() === ''
          ? 'You name a price for each order. Of what people pay you get 90%.'
          : 'Type a price, for example 180.00, and your part of it stands here.'}
      </p>
    );
  const { agentMicros, feeMicros } = splitPrice(micros);
  const you = formatUsd(agentMicros);
  const fee = formatUsd(feeMicros);
  return (
    <div className="stack">
      <SplitBar
        parts={[
          { label: 'You', usd: you },
          { label: 'Fee', usd: fee },
        ]}
      />
      <Sum
        lines={[
          { label: 'Reaches you', value: <Amount usd={you} bare /> },
          { label: `to ${serviceName}, 10% fee`, value: <Amount usd={fee} bare /> },
          { label: 'A person pays', value: <Amount usd={formatUsd(micros)} />, kind: 'total' },
        ]}
      />
      {priceType === 'quote' ? null : (
        <Sum
          small
          lines={[
            { label: 'Hired by a machine, reaches you', value: <Amount usd={formatUsd(micros)} bare /> },
            { label: 'A machine pays, 10% on top', value: <Amount usd={formatUsd(withFeeOnTop(micros))} />, kind: 'total' },
          ]}
        />
      )}
    </div>
  );
}
