/** Splits the creator fee of an agent's token, in basis points. Every remainder goes to the agent, so the parts always sum to the fee. */

import type { TokenMode } from '../schema.ts';

export const creatorFeeSplit = {
  /** Tokens launched here, with a launch partner. */
  partner: { partnerBps: 2333n, buybackBps: 1167n },
  /** Tokens that their owner made, without a launch partner. */
  legacy: { partnerBps: 0n, buybackBps: 1000n },
} as const;

export type FeePath = keyof typeof creatorFeeSplit;

export interface FeeParts {
  readonly agent: bigint;
  readonly partner: bigint;
  readonly buyback: bigint;
}

const WHOLE_BPS = 10_000n;

/** Shares in percent with two decimals: 65, 23.33 and 11.67. The three sum to 100. */
export function creatorFeePercents(path: FeePath): Readonly<Record<keyof FeeParts, number>> {
  const { agent, partner, buyback } = splitCreatorFee(WHOLE_BPS, path);
  return { agent: Number(agent) / 100, partner: Number(partner) / 100, buyback: Number(buyback) / 100 };
}

/** Tokens launched here have a launch partner. */
export function feePathOf(mode: TokenMode): FeePath {
  return mode === 'partner' ? 'partner' : 'legacy';
}

export function splitCreatorFee(lamports: bigint, path: FeePath): FeeParts {
  if (lamports < 0n) throw new RangeError('A fee cannot be negative.');
  const { partnerBps, buybackBps } = creatorFeeSplit[path];
  const partner = (lamports * partnerBps) / WHOLE_BPS;
  const buyback = (lamports * buybackBps) / WHOLE_BPS;
  return { agent: lamports - partner - buyback, partner, buyback };
}

export const feeBounds = {
  /** Largest single payout: 10 SOL. */
  payoutLamports: 10_000_000_000,
  /** Smallest share that is paid out: 0.03 SOL. */
  claimLamports: 30_000_000,
} as const;

/**
 * The memo of a transfer of SOL to the fee vault: this prefix and the mint. It counts if the paying wallet created the token. Coins of
 * pump.fun need none: their program names the coin itself.
 */
export const creatorFeeMemoPrefix = 'market-creator-fee:';
