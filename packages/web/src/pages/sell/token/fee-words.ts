/** Creator fees in words and lines. Pure. */
import { creatorFeePercents, feeBounds, feePathOf, type TokenMode } from '@market/contract';
import type { Answer } from '../../../data/answers.ts';

export type Fees = Answer<'fees.claimable'>['data'];

const LAMPORTS = 1_000_000_000;
const MOST_SOL = feeBounds.payoutLamports / LAMPORTS;

/** Without trailing zeros: SOL has nine decimals. */
export function formatSol(sol: number): string {
  return sol.toFixed(9).replace(/\.?0+$/, '');
}

/** The shares of a trading fee, the agent's first. Shares of 0 are omitted. */
export function feeShares(mode: TokenMode): readonly { readonly label: string; readonly percent: number }[] {
  const { agent, partner, buyback } = creatorFeePercents(feePathOf(mode));
  return [
    { label: 'to the agent', percent: agent },
    { label: 'to the launch partner', percent: partner },
    { label: 'to the buyback', percent: buyback },
  ].filter(({ percent }) => percent > 0);
}

/** Words like `65% to the agent, 23.33% to the launch partner, 11.67% to the buyback`. */
export function splitWords(mode: TokenMode): string {
  return feeShares(mode)
    .map(({ label, percent }) => `${percent}% ${label}`)
    .join(', ');
}

const toLamports = (sol: number): number => Math.round(sol * LAMPORTS);

/** SOL that was claimed but is not confirmed yet. */
export function onItsWaySol({ totalSentSol, paidSol }: Pick<Fees, 'totalSentSol' | 'paidSol'>): number {
  return (toLamports(totalSentSol) - toLamports(paidSol)) / LAMPORTS;
}

/** The amount that one claim sends. */
export function claimSol({ claimableSol }: Pick<Fees, 'claimableSol'>): number {
  return Math.min(claimableSol, MOST_SOL);
}

/** Undefined if the fees can be claimed. */
export function claimProblem({ claimableSol, minClaimSol }: Pick<Fees, 'claimableSol' | 'minClaimSol'>): string | undefined {
  if (claimableSol === 0) return 'Nothing is left to claim.';
  return claimableSol < minClaimSol
    ? `From ${formatSol(minClaimSol)} SOL on; ${formatSol(minClaimSol - claimableSol)} SOL is missing.`
    : undefined;
}
