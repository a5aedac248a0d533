/** The shares of a ruling. The three parts always add up to the held amount. */
import { formatUsd, parseUsd, splitRest } from '@market/contract';

export interface Shares {
  readonly providerUsd: string;
  readonly feeUsd: string;
  readonly buyerUsd: string;
}

export interface AtStake {
  /** USDC held for the order. */
  readonly heldUsd: string;
  readonly priceUsd: string;
  /** The provider's part if everything is released. */
  readonly providerUsd: string;
}

export function sharesOf(ruling: 'release' | 'refund' | 'split', refundUsd: string, stake: AtStake): Shares | undefined {
  const held = parseUsd(stake.heldUsd) ?? 0n;
  if (ruling === 'refund') return { providerUsd: '0.00', feeUsd: '0.00', buyerUsd: stake.heldUsd };
  if (ruling === 'release')
    return { providerUsd: stake.providerUsd, feeUsd: formatUsd(held - (parseUsd(stake.providerUsd) ?? 0n)), buyerUsd: '0.00' };
  const refund = parseUsd(refundUsd.trim());
  const price = parseUsd(stake.priceUsd) ?? 0n;
  if (refund === undefined || refund <= 0n || refund >= price) return undefined;
  const { agentMicros, feeMicros } = splitRest({ paidMicros: held, priceMicros: price }, refund);
  return { providerUsd: formatUsd(agentMicros), feeUsd: formatUsd(feeMicros), buyerUsd: formatUsd(refund) };
}
