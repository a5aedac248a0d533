/** The surplus of a payment, as every answer shows it. */
import { formatUsd, type NetworkName, networkFacts, type PaymentSurplus } from '@market/contract';
import type { ClaimRow } from './repository.ts';

/** Null when exactly the price was paid. */
export function surplusOf(
  network: NetworkName,
  { payer, amountMicros, priceMicros }: Pick<ClaimRow, 'payer' | 'amountMicros' | 'priceMicros'>,
): PaymentSurplus | null {
  const micros = amountMicros - priceMicros;
  if (micros <= 0n) return null;
  const amount = formatUsd(micros);
  return {
    amount_usd: amount,
    chain: networkFacts[network].chain,
    owed_to: payer,
    note: `${amount} USDC more than the price arrived. It is booked as owed to ${payer}; the operator sends it back to that wallet on request.`,
  };
}
